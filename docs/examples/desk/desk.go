package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/registry"
)

// maxLine is the greatest length of a line, in bytes.
const maxLine = 4 << 20

// line is a line of input or output.
type line struct {
	Session string          `json:"session,omitempty"` // the agent; without one a command is for all
	Group   string          `json:"group,omitempty"`
	Message json.RawMessage `json:"message,omitempty"` // of MCP
	Do      string          `json:"do,omitempty"`      // a command, or its answer
	Groups  []string        `json:"groups,omitempty"`  // of set
	Params  json.RawMessage `json:"params,omitempty"`  // of login
	Version uint64          `json:"version,omitempty"` // as status has returned it: if it has changed, nothing is done

	Changed bool            `json:"changed,omitempty"`
	Added   []string        `json:"added,omitempty"`   // tools
	Removed []string        `json:"removed,omitempty"` // tools
	Result  json.RawMessage `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// place is where an MCP session is: between an agent and one group, or all of them.
type place struct{ session, group string }

// talk is an MCP session.
type talk struct {
	h  *host.Host
	in chan jsonrpc.Message
}

// desk has the groups of all agents, and the MCP sessions that use them.
type desk struct {
	ctx    context.Context
	folder *os.Root
	scopes atomic.Pointer[registry.Scopes] // which sessions follow, within their turns
	work   *host.Work                      // which all sessions share

	mu    sync.Mutex // held while scopes or talks are changed
	talks map[place]*talk

	printing sync.Mutex
	out      io.Writer
	over     sync.WaitGroup
}

func newDesk(ctx context.Context, folder *os.Root, out io.Writer) (*desk, error) {
	d := &desk{ctx: ctx, folder: folder, work: host.NewWork(host.WorkOptions{}), talks: map[place]*talk{}, out: out}
	shared, err := d.group("", "clock")
	if err != nil {
		return nil, err
	}
	r, _, err := registry.New(protocol.CapTools).Register(shared)
	if err != nil {
		return nil, err
	}
	s := registry.NewScopes(r)
	d.scopes.Store(&s)
	return d, nil
}

// read serves the lines of in.
func (d *desk) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			d.print(line{Error: err.Error()})
			continue
		}
		if l.Message == nil {
			d.print(d.command(l))
			continue
		}
		if err := d.deliver(place{l.Session, l.Group}, jsonrpc.Decode(l.Message)); err != nil {
			d.print(line{Session: l.Session, Group: l.Group, Error: err.Error()})
		}
	}
	return lines.Err()
}

// deliver passes a message to the session of its place. The first message begins the session.
func (d *desk) deliver(p place, m jsonrpc.Message) error {
	d.mu.Lock()
	t, err := d.talks[p], error(nil)
	if t == nil {
		t, err = d.begin(p)
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case t.in <- m:
	case <-t.h.Done():
	}
	return nil
}

// begin begins the session of a place.
func (d *desk) begin(p place) (*talk, error) {
	cfg, v := server.Config{Info: protocol.Implementation{Name: "desk", Version: "1.0.0"}}, d.view(p)
	if p.group == "" {
		cfg = v.Config(cfg)
	} else {
		g, err := d.scopes.Load().Offered(p.session, p.group)
		if err != nil {
			return nil, err
		}
		cfg = g.Config(cfg)
	}
	cfg, err := host.Config(cfg, v.Handlers())
	if err != nil {
		return nil, err
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	t := &talk{in: make(chan jsonrpc.Message)}
	t.h = host.New(s, v.Handlers(), pipe.NewWriter(&frame{d: d, p: p}, 0, 0), host.Options{
		Work: d.work, Owner: p.session, Companion: func(server.Peer) server.Companion {
			return registry.Follow(func() *registry.View { return d.view(p) })
		},
	})
	d.talks[p] = t
	d.over.Go(func() {
		err := t.h.Serve(d.ctx, t.in)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.talks[p] == t {
			delete(d.talks, p)
		}
		if err != nil {
			d.print(line{Session: p.session, Group: p.group, Error: err.Error()})
		}
	})
	return t, nil
}

// view returns what is offered at a place. It is called within turns, and does not block.
func (d *desk) view(p place) *registry.View {
	s := d.scopes.Load()
	if p.group == "" {
		return s.View(p.session)
	}
	g, err := s.Offered(p.session, p.group)
	if err != nil {
		return nil
	}
	return g.View()
}

// follow makes the sessions of an agent, or of all, offer what is offered now. Sessions with a group
// that is no longer offered end, and so does the one with the group again. The lock is held.
func (d *desk) follow(session, again string) {
	for p, t := range d.talks {
		if p.session != session && session != "" {
			continue
		}
		_ = t.h.StepNow() // fails if the session has ended
		why := error(nil)
		if p.group != "" {
			_, why = d.scopes.Load().Offered(p.session, p.group)
		}
		if p.group == again && again != "" && why == nil {
			why = errors.New("connected again")
		}
		if why == nil {
			continue
		}
		delete(d.talks, p)
		_ = t.h.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
			s, out := s.Abort(now, why)
			return s, out, nil
		})
	}
}

// close ends all sessions.
func (d *desk) close() {
	d.mu.Lock()
	for _, t := range d.talks {
		t.h.Shutdown()
	}
	d.mu.Unlock()
	d.over.Wait()
}

func (d *desk) print(l line) {
	b, err := json.Marshal(l)
	if err != nil {
		b = []byte(`{"error":"a line could not be written"}`)
	}
	d.printing.Lock()
	defer d.printing.Unlock()
	_, _ = d.out.Write(append(b, '\n')) // an agent that is gone does not read it
}

// frame puts the messages of a session into lines with its agent and group.
type frame struct {
	d    *desk
	p    place
	rest []byte
}

// Write implements io.Writer.
func (f *frame) Write(b []byte) (int, error) {
	f.rest = append(f.rest, b...)
	for {
		m, rest, ok := bytes.Cut(f.rest, []byte{'\n'})
		if !ok {
			return len(b), nil
		}
		f.d.print(line{Session: f.p.session, Group: f.p.group, Message: m})
		f.rest = rest
	}
}
