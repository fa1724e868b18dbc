package links

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// heard are the reports of Links.
type heard struct {
	mu   sync.Mutex
	list []manager.Report
	rule func(manager.Report) // runs with each, without the lock
}

func (h *heard) report(r manager.Report) {
	h.mu.Lock()
	h.list = append(h.list, r)
	rule := h.rule
	h.mu.Unlock()
	if rule != nil {
		rule(r)
	}
}

func (h *heard) of(id manager.Link) (kinds []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.list {
		if r.Link == id {
			kinds = append(kinds, r.Kind.String())
		}
	}
	return kinds
}

func (h *heard) last(id manager.Link) (last manager.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.list {
		if r.Link == id {
			last = r
		}
	}
	return last
}

func (h *heard) want(t *testing.T, id manager.Link, kinds ...string) {
	t.Helper()
	if got := h.of(id); !slices.Equal(got, kinds) {
		t.Errorf("%v: %q, want %q", id, got, kinds)
	}
}

// stiff is a Transport of which each method can be told what to do; nil: what a good one of a
// silent server does.
type stiff struct {
	send    func(ctx context.Context, o client.Outgoing) error
	receive func(ctx context.Context) (Arrival, error)
	close   func(ctx context.Context) error

	mu     sync.Mutex
	sent   []string
	closed int
}

func (s *stiff) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if s.send != nil {
		if err := s.send(ctx, o); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, o.Message.Method)
	return nil
}

func (s *stiff) Receive(ctx context.Context) (Arrival, error) {
	if s.receive != nil {
		return s.receive(ctx)
	}
	<-ctx.Done()
	return Arrival{}, context.Cause(ctx)
}

func (s *stiff) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed++
	s.mu.Unlock()
	if s.close != nil {
		return s.close(ctx)
	}
	return nil
}

func (s *stiff) closes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// toTransport is a Dial whose endpoints are what it returns.
func toTransport(ctx context.Context, endpoint any) (Transport, error) {
	switch e := endpoint.(type) {
	case Transport:
		return e, nil
	case func(context.Context) (Transport, error):
		return e(ctx)
	case error:
		return nil, e
	}
	return nil, nil
}

var one, two = manager.Link{Server: "one", Epoch: 1}, manager.Link{Server: "two", Epoch: 2}

func open(id manager.Link, endpoint any, by time.Duration) manager.Action {
	a := manager.Action{Kind: manager.ActOpen, Link: id, Endpoint: endpoint}
	if by > 0 {
		a.By = time.Now().Add(by)
	}
	return a
}

func send(id manager.Link, m jsonrpc.Message) manager.Action {
	return manager.Action{Kind: manager.ActSend, Link: id, Out: client.Outgoing{Message: m}}
}

// ping is a request.
func ping() jsonrpc.Message { return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) }

// word is a notification of about n bytes.
func word(n int) jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"` + strings.Repeat("x", n) + `"}}`)
}

func shut(id manager.Link, by time.Duration) manager.Action {
	return manager.Action{Kind: manager.ActClose, Link: id, By: time.Now().Add(by)}
}

func kill(id manager.Link) manager.Action { return manager.Action{Kind: manager.ActKill, Link: id} }

// links runs a test under virtual time, and sees that Close leaves nothing.
func links(t *testing.T, opt Options, f func(*testing.T, *Links, *heard)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := new(heard)
		opt.Report = h.report
		l := New(toTransport, opt)
		f(t, l, h)
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if l.Len() != 0 {
			t.Errorf("%d connections after Close", l.Len())
		}
		l.Do([]manager.Action{open(one, new(stiff), 0)})
		synctest.Wait() // and the test fails if a goroutine is left
		if l.Len() != 0 {
			t.Error("a connection was opened after Close")
		}
	})
}
