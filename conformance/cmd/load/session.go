package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// openings is how often a session is tried if connections are cut.
const openings = 30

// user makes the calls of one session.
type user struct {
	number int
	load   *load
	client *session.Client
	mu     sync.Mutex
	next   int
}

// run opens the session, makes its calls, several at a time, and closes it.
func (s *user) run(ctx context.Context) {
	if !s.open(ctx) {
		return
	}
	var workers sync.WaitGroup
	for range s.load.parallel {
		workers.Go(func() {
			for n, ok := s.take(); ok; n, ok = s.take() {
				s.call(ctx, n)
			}
		})
	}
	workers.Wait()
	for began := time.Now(); s.load.book.outstanding(s.number, s.next); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > s.load.hang {
			break // close reports it
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.load.hang)
	defer cancel()
	if err := s.client.Close(ctx); err != nil {
		s.load.closings.Add(1)
		if s.load.book.sure {
			s.load.book.report("close", "session %d: %v", s.number, err)
		}
	}
	if ctx.Err() != nil {
		s.load.book.report("hangs", "the end of session %d", s.number)
	}
}

// vanishes reports whether the client of the session leaves without DELETE.
func (s *user) vanishes() bool {
	return rand.New(rand.NewPCG(s.load.seed, uint64(s.number*perSession))).Float64() < s.load.vanish
}

// open opens the session, repeatedly if that can fail.
func (s *user) open(ctx context.Context) bool {
	for i := range openings {
		c, err := s.load.connect(s)
		if err != nil {
			s.load.book.report("client", "%v", err)
			return false
		}
		s.client = c
		open, cancel := context.WithTimeout(ctx, s.load.hang)
		err = c.Open(open)
		if open.Err() != nil {
			s.load.book.report("hangs", "the beginning of session %d: %v", s.number, err)
		}
		cancel()
		if err == nil {
			return true
		}
		s.load.reopened.Add(1)
		closing, cancel := context.WithTimeout(ctx, s.load.hang)
		_ = c.Close(closing)
		cancel()
		if s.load.book.sure || i == openings-1 {
			s.load.book.report("open", "session %d, attempt %d: %v", s.number, i+1, err)
			return false
		}
	}
	return false
}

// take returns the number of the next call, if any.
func (s *user) take() (number, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == s.load.calls || time.Now().After(s.load.until) {
		return 0, false
	}
	s.next++
	return newNumber(s.number, s.next), true
}

// weights are the frequencies of the kinds of calls.
var weights = [kinds]int{quick: 50, noted: 12, asking: 12, slow: 8, bulk: 5, stopped: 5, polled: 8, told: 8}

// draw returns the kind of a call, and the time after which the client cancels it.
func (s *user) draw(n number) (kind, time.Duration) {
	r := rand.New(rand.NewPCG(s.load.seed, uint64(n)))
	weights, all := weights, 0
	if s.load.ends {
		weights[ended] = 1
	}
	for _, w := range weights {
		all += w
	}
	i, k := r.IntN(all), quick
	for i >= weights[k] {
		i -= weights[k]
		k++
	}
	return k, time.Duration(r.IntN(200)) * time.Millisecond
}

// call makes one call and records its end.
func (s *user) call(ctx context.Context, n number) {
	b := s.load.book
	k, after := s.draw(n)
	b.begin(n, k)
	stop := errors.New("given up")
	limited, cancel := context.WithTimeout(ctx, s.load.hang)
	defer cancel()
	call, giveUp := context.WithCancelCause(limited)
	defer giveUp(nil)
	if k == stopped {
		t := time.AfterFunc(after, func() { giveUp(stop) })
		defer t.Stop()
	}
	result, err := s.client.CallTool(call, protocol.CallToolParams{Name: k.String(), Arguments: jsonrpc.Raw(fmt.Sprintf(`{"n":%d}`, n))}, session.RequestOptions{
		OnProgress: func(p protocol.ProgressParams) {
			if p.Total == nil {
				p.Total = new(float64)
			}
			b.step(n, number(*p.Total), p.Progress)
		},
	})
	switch {
	case err == nil && !result.IsError:
		b.result(n, protocol.TextOf(result.Content))
	case limited.Err() != nil:
		b.report("hangs", "%s", b.describe(n))
		b.failed(n, "hangs", err, false, false)
	case err == nil: // the function says so
		text := protocol.TextOf(result.Content)
		b.failed(n, "tool: "+text, nil, k == asking || k == stopped, false)
	default:
		why, lost := cause(err)
		b.failed(n, why, err, lost, errors.Is(context.Cause(call), stop))
	}
}

// cause says in a few words why a request failed, and whether cut
// connections can cause that.
func cause(err error) (why string, lost bool) {
	var refused *jsonrpc.Error
	var c *lifecycle.Cause
	switch {
	case errors.As(err, &refused):
		return fmt.Sprintf("error %d: %s", refused.Code, refused.Message), false
	case errors.As(err, &c):
		return c.Kind.String(), lossy[c.Kind]
	case errors.Is(err, context.Canceled):
		return "cancelled", false
	}
	return err.Error(), false
}

// heard handles the client's events other than answers.
func (s *user) heard(ev client.Event) {
	switch {
	case ev.Kind == lifecycle.NotificationReceived && ev.Method == "notifications/message":
		p, err := protocol.Decode[protocol.LoggingMessageParams](ev.Body)
		var n, i int
		if err == nil {
			var text string
			if text, err = strconv.Unquote(string(p.Data)); err == nil {
				_, err = fmt.Sscanf(text, "%d %d", &n, &i)
			}
		}
		if err != nil || number(n).session() != s.number {
			s.load.book.report("note of another session", "session %d: %s", s.number, ev.Body)
			return
		}
		s.load.book.note(number(n), i)
	case ev.Kind == lifecycle.PhaseChanged && ev.To == lifecycle.Ready:
		s.load.book.renew(s.number)
	case ev.Kind == lifecycle.Violation || ev.Kind == lifecycle.LocalViolation:
		s.load.book.report("violation", "session %d: %v %s %s %v", s.number, ev.Kind, ev.Rule, ev.Method, ev.ID)
	}
}

// serve answers the server's question by repeating it.
func (s *user) serve(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
	p, err := protocol.Decode[protocol.CreateMessageParams](ev.Body)
	if err != nil {
		return nil, err
	}
	text := protocol.TextOf(p.Messages[0].Content)
	n, err := strconv.Atoi(text)
	if err != nil || number(n).session() != s.number {
		s.load.book.report("question of another session", "session %d: %s", s.number, text)
		return nil, errors.New("no number")
	}
	s.load.book.ask(number(n))
	return protocol.CreateMessageResult{Role: protocol.RoleAssistant, Model: "echo", Content: []protocol.Content{protocol.TextContent(text)}}, nil
}

// lossy are the causes of requests that fail because a connection was cut.
var lossy = map[lifecycle.CauseKind]bool{
	lifecycle.CauseLost: true, lifecycle.CauseNotSent: true, lifecycle.CauseResponseLost: true, lifecycle.CauseRejected: true,
}
