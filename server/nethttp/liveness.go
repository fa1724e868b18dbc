package nethttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// answers has the process say at Options.Liveness which one it is, until Close. Who runs there is what others want to
// know of a process that they hear nothing of: a client has come to them for something of it.
func (h *Handler) answers() error {
	m := h.member
	if h.opt.Liveness == "" {
		return nil
	}
	l, err := net.Listen("tcp", h.opt.Liveness)
	if err != nil {
		return fmt.Errorf("nethttp: Options.Liveness: %w", err)
	}
	m.at = l.Addr().String()
	context.AfterFunc(h.ctx, func() { _ = l.Close() })
	h.wg.Go(func() {
		for h.ctx.Err() == nil {
			c, err := l.Accept()
			if err != nil {
				time.Sleep(acceptRetry) // such as for too many open files
				continue
			}
			id := "-"
			if a := m.now.Load(); a != nil {
				id = a.process
			}
			_ = c.SetDeadline(time.Now().Add(time.Second))
			_, _ = io.WriteString(c, greeting+id+"\n") // who does not read it asks again
			_ = c.Close()
		}
	})
	return nil
}

const (
	greeting    = "mcp-process "
	acceptRetry = 10 * time.Millisecond
	firstAsk    = 5 * time.Millisecond // before the second one; the double before the next
)

// errSilent says that something was said at an address that no process says.
var errSilent = errors.New("nethttp: no process answers")

// processAt returns which process runs at an address.
func processAt(ctx context.Context, at string) (id string, err error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", at)
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	if end, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(end)
	}
	text, err := io.ReadAll(io.LimitReader(c, 64))
	if err != nil {
		return "", err
	}
	id, ok := strings.CutPrefix(string(text), greeting)
	if id, whole := strings.CutSuffix(id, "\n"); ok && whole {
		return id, nil
	}
	return "", errSilent
}

// refused reports whether nobody listens at an address. The number of the error differs by system.
func refused(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" && strings.Contains(op.Err.Error(), "refused")
}

// maxFirst bounds the sessions of a dead process that are taken over before its others.
const maxFirst = 64

// first returns the sessions of a process that are taken over before its others, with one more: each once.
func first(list []string, session string) []string {
	if len(list) >= maxFirst || slices.Contains(list, session) {
		return list
	}
	return append(list, session)
}

// suspect asks the other processes that have something of a session whether they live, for a client has come here. Nobody
// waits for that.
func (h *Handler) suspect(session string, owners cluster.Owners) {
	if h.member == nil {
		return
	}
	for _, e := range owners {
		if e.At != "" && e.At != h.member.at {
			select {
			case h.member.suspects <- suspicion{e, session}:
			default: // many are asked already, and the lease decides
			}
		}
	}
}

// investigate asks suspected processes whether they live, each once at a time, until Close. If one has died, it calls end
// for the sessions whose clients are waiting, before the others, of which there may be many, are taken over.
func (h *Handler) investigate(end func(dead, session string) error) {
	type verdict struct {
		process string
		dead    bool
	}
	m := h.member
	asking, over := map[string][]string{}, make(chan verdict)
	for {
		select {
		case s := <-m.suspects:
			e := s.of
			sessions, asked := asking[e.Process]
			if asking[e.Process] = first(sessions, s.session); asked {
				continue
			}
			h.wg.Go(func() {
				select {
				case over <- verdict{e.Process, h.ask(e)}:
				case <-h.ctx.Done():
				}
			})
		case v := <-over:
			sessions := asking[v.process]
			if delete(asking, v.process); !v.dead {
				continue
			}
			for _, id := range sessions {
				h.wg.Go(func() { _ = end(v.process, id) }) // or it is with all the others
			}
			poke(m.again)
		case <-h.ctx.Done():
			return
		}
	}
}

// ask ends the lease of a process if its address refuses connections, or another one answers there: a process that goes
// on under another id has ended what it had. Silence means nothing. What dies may close its connections before it stops
// listening, so that one more is taken and then reset: it asks again. It reports whether the lease is ended.
func (h *Handler) ask(e cluster.Entry) (dead bool) {
	m := h.member
	ctx, cancel := m.asked(h.ctx)
	defer cancel()
	for wait := firstAsk; ; wait *= 2 {
		id, err := processAt(ctx, e.At)
		if err == nil && id == e.Process {
			return false
		}
		if err == nil || refused(err) {
			h.opt.Log.Info("nethttp: process dead according to its address", "at", e.At)
			if err := m.c.Expire(ctx, e.Process); err != nil {
				h.opt.Log.Warn("nethttp: could not end the lease of a dead process", "err", err)
				return false
			}
			return true
		}
		if pause(ctx, wait); ctx.Err() != nil {
			return false
		}
	}
}
