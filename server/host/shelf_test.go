package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

var who = protocol.Implementation{Name: "s", Version: "1"}

// shelf is a Turner that keeps its State as a store does.
type shelf struct {
	t        *testing.T
	cfg      server.Config
	h        *server.Handlers
	ctx      context.Context
	calls    *host.Calls
	conflict bool // each turn runs its function on a State first that another process replaces
	restore  bool // the State of each turn comes out of a snapshot

	mu        sync.Mutex
	s         server.State
	fail      error // the store is broken
	sent      []string
	unclaimed []server.Event
	refused   int
}

func newCalls(w *host.Work, t host.Turner, owner string) *host.Calls {
	c := new(host.Calls)
	w.Init(c, t, owner)
	return c
}

// newShelf returns a session at 2025-03-26, the handshake done, with one tool.
func newShelf(t *testing.T, w *host.Work, f server.ToolFunc) *shelf {
	t.Helper()
	return newOwnedShelf(t, w, "", f)
}

func newOwnedShelf(t *testing.T, w *host.Work, owner string, f server.ToolFunc) *shelf {
	t.Helper()
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, f)
	cfg, err := host.Config(server.Config{Info: who, Logging: true}, h)
	if err != nil {
		t.Fatal(err)
	}
	x := &shelf{t: t, cfg: cfg, h: h, ctx: context.Background()}
	if x.s, err = server.New(cfg, time.Now()); err != nil {
		t.Fatal(err)
	}
	x.calls = newCalls(w, x, owner)
	x.receive(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	x.receive(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return x
}

// Turn implements host.Turner.
func (x *shelf) Turn(f func(server.State, time.Time) (server.State, server.Output, error)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := time.Now()
	if x.fail != nil {
		_, _, _ = f(x.s, now)
		return x.fail
	}
	if x.conflict {
		_, _, _ = f(x.s, now)
		x.s, _ = x.s.Tick(now)
		if s, out, err := x.s.Request(now, protocol.PingParams{}, server.RequestOptions{}); err == nil {
			x.s, _, _ = s.Cancel(now, out.Req, "")
		}
	}
	if x.restore {
		s, err := server.Restore(x.cfg, x.s.Snapshot(), now)
		if err != nil {
			x.t.Error(err)
			return err
		}
		x.s = s
	}
	s, out, err := f(x.s, now)
	x.s = s
	x.act(out)
	return err
}

// act does what an Output asks for.
func (x *shelf) act(out server.Output) {
	for _, o := range out.Send {
		x.sent = append(x.sent, string(jsonrpc.Append(nil, o.Message)))
	}
	x.unclaimed = append(x.unclaimed, x.calls.Handle(out)...)
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.RequestReceived {
			continue
		}
		if e := x.calls.Start(x.ctx, x.h, ev); e != nil {
			x.refused++
			s, next, _ := x.s.Fail(time.Now(), ev.Call, *e)
			x.s = s
			x.act(next)
		}
	}
}

func (x *shelf) receive(format string, args ...any) {
	_ = x.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		s, out := s.Receive(now, jsonrpc.DecodeString(fmt.Sprintf(format, args...)))
		return s, out, nil
	})
}

// call calls the tool.
func (x *shelf) call(id, args string) {
	x.receive(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"t","arguments":%s,"_meta":{"progressToken":%q}}}`, id, args, id)
}

func (x *shelf) cancel(id string) {
	x.receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%q,"reason":"enough"}}`, id)
}

// said waits for a message with all this in it.
func (x *shelf) said(want ...string) (got string) {
	x.t.Helper()
	eventually(x.t, fmt.Sprint("nothing has ", want), func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		for _, line := range x.sent {
			all := true
			for _, w := range want {
				all = all && strings.Contains(line, w)
			}
			if all {
				got = line
				return true
			}
		}
		return false
	})
	return got
}

// outside steps the State as another process does: the Calls do not hear of it.
func (x *shelf) outside(f func(s server.State, now time.Time) (server.State, server.Output)) server.Output {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, out := f(x.s, time.Now())
	x.s = s
	return out
}

func (x *shelf) state() server.State {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.s
}

var eventually = await.Eventually

// quiet waits until a Work has nothing to do and no goroutine is left.
func quiet(t *testing.T, w *host.Work, goroutines int) {
	t.Helper()
	eventually(t, "there is still work", func() bool { return w.Status() == host.WorkStatus{} })
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

func ask(ctx context.Context, c server.Caller) (jsonrpc.Raw, error) {
	return c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
}

var errStore = errors.New("the store is broken")
