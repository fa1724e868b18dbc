package host_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// entry takes the request of an Early in, at a shelf.
type entry struct {
	x      *shelf
	m      jsonrpc.Message
	mu     sync.Mutex // of the rest
	e      *host.Early
	state  string // "", "entered", "answered"
	refuse bool   // the State has refused the request
	after  func() // is called before the request is entered
}

func (n *entry) Enter() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state != "" {
		return
	}
	if n.state = "entered"; n.refuse {
		n.x.calls.Entered(n.e, server.Call{})
		return
	}
	if n.after != nil {
		n.after()
	}
	_ = n.x.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		s, out := s.Receive(now, n.m)
		n.x.calls.Entered(n.e, out.Opened)
		events := out.Events[:0]
		for _, ev := range out.Events { // the function runs already
			if ev.Kind != lifecycle.RequestReceived {
				events = append(events, ev)
			}
		}
		out.Events = events
		return s, out, nil
	})
}

func (n *entry) Answer() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.state != "" {
		return false
	}
	n.state = "answered"
	_ = n.x.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		s, out := n.e.Receive(s, now)
		for _, ev := range out.Events {
			if ev.Kind == lifecycle.LocalViolation {
				n.x.sent = append(n.x.sent, fmt.Sprint("violation: ", ev.Method, " ", ev.Cause.Err))
			}
		}
		return s, out, nil
	})
	return true
}

// early starts a call of the tool before its State has it; nil where the turn comes first. set may set it up.
func (x *shelf) early(id, args string, set func(*entry)) *entry {
	x.t.Helper()
	m := jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"t","arguments":%s,"_meta":{"progressToken":%q}}}`, id, args, id))
	job, ok := x.h.Early(x.state(), time.Now(), m, 0)
	if !ok {
		x.t.Fatal("the State would not hand it to the application")
	}
	n := &entry{x: x, m: m}
	n.mu.Lock()
	defer n.mu.Unlock()
	if set != nil {
		set(n)
	}
	if n.e = x.calls.StartEarly(x.ctx, job, m, n); n.e == nil {
		return nil
	}
	n.e.Run()
	return n
}

// A function that runs before its State has the request is as any other: one turn does for both if it returns
// without its Caller, and whatever it does by its Caller comes after the request was taken in.
func TestEarly(t *testing.T) {
	for name, tt := range map[string]struct {
		f     server.ToolFunc
		state string // of the entry
		said  []string
		set   func(*entry)
		then  func(*entry) // once it runs
	}{
		"returns": {
			f: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult("done"), nil
			},
			state: "answered", said: []string{`"id":"a"`, `"text":"done"`},
		},
		"fails": {
			f: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return nil, &jsonrpc.Error{Code: -32001, Message: "no"}
			},
			state: "answered", said: []string{`"id":"a"`, `"error":{"code":-32001,"message":"no"}`},
		},
		"does not fit": {
			f: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return &protocol.CallToolResult{StructuredContent: `[1`}, nil
			},
			state: "answered", said: []string{`violation: tools/call tools/call "t": `},
		},
		"tells of progress": {
			f: func(_ context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult("done"), c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `1`})
			},
			state: "entered", said: []string{`notifications/message`},
		},
		"looks": {
			f: func(_ context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult(fmt.Sprint("open ", c.State().Status().Inbound, c.Call().IsZero())), nil
			},
			state: "entered", said: []string{`"id":"a"`, `"text":"open 1 false"`},
		},
		"asks after a while": {
			f: func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				time.Sleep(time.Second)
				_, err := c.Request(ctx, protocol.PingParams{}, server.RequestOptions{Timeout: time.Second})
				return protocol.TextResult(fmt.Sprint("timed out ", err != nil)), nil
			},
			state: "entered", said: []string{`"id":"a"`, `"text":"timed out true"`},
		},
		"is cancelled": {
			f: func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
			then:  func(n *entry) { n.Enter(); n.x.cancel("a") },
			state: "entered",
		},
		"is refused": {
			f: func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				if err := c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `1`}); !errors.Is(err, lifecycle.ErrGone) {
					t.Error("it is told", err)
				}
				if <-ctx.Done(); !errors.Is(context.Cause(ctx), lifecycle.ErrGone) {
					t.Error("its context ends with", context.Cause(ctx))
				}
				return nil, nil
			},
			set:   func(n *entry) { n.refuse = true },
			state: "entered",
		},
		"is entered when all is closed": {
			f: func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				_ = c.Call()
				if <-ctx.Done(); !errors.Is(context.Cause(ctx), errStore) {
					t.Error("its context ends with", context.Cause(ctx))
				}
				return nil, nil
			},
			set:   func(n *entry) { n.after = func() { n.x.calls.Close(errStore) } },
			state: "entered", said: []string{`"id":"a"`, `no result`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := host.NewWork(host.WorkOptions{})
				var of context.Context
				var by server.Caller
				x := newShelf(t, w, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
					of, by = ctx, c
					return tt.f(ctx, c, p)
				})
				n := x.early("a", "{}", tt.set)
				synctest.Wait()
				if tt.then != nil {
					tt.then(n)
				}
				time.Sleep(time.Minute)
				for range 2 { // the ping is over
					_ = x.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
						s, out := s.Tick(now)
						return s, out, nil
					})
					time.Sleep(time.Minute)
				}
				if n.state != tt.state {
					t.Errorf("the request is %q, want %q", n.state, tt.state)
				}
				if tt.said != nil {
					x.said(tt.said...)
				}
				if of.Err() == nil {
					t.Error("its context goes on")
				}
				// What it has left behind can do nothing as if outside of any call.
				note := protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `1`}
				for i, err := range []error{by.Notify(note), by.Progress(protocol.ProgressParams{Progress: 9}), x.calls.Notify(by.Call(), note)} {
					if !errors.Is(err, lifecycle.ErrGone) && !(n.refuse && i == 2) {
						t.Errorf("%d: it can still speak: %v", i, err)
					}
				}
				if got := w.Status(); got != (host.WorkStatus{}) || !x.calls.Idle() || x.calls.Runs(1) || x.state().Status().Inbound != 0 {
					t.Errorf("left are %+v, %+v", got, x.state().Status())
				}
			})
		})
	}
}

// Where a call would have to wait, or be refused, nothing is run early, and nothing of it is held.
func TestEarlyNeedsAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, opt := range map[string]host.WorkOptions{
			"no place": {MaxRunning: 1, NoShares: true}, "no room": {MaxRunning: 2, MaxPerSession: 1, NoShares: true}, "no bytes": {CallBytes: 100, NoShares: true},
			"no share": {MaxRunning: 2, MaxWaiting: 2},
		} {
			release := make(chan struct{})
			w := host.NewWork(opt)
			x := newOwnedShelf(t, w, "o", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				<-release
				return protocol.TextResult("done"), nil
			})
			x.call("a", `{"a":"xxxxxxxxxxxxxxxxxxxxxxxxx"}`)
			if n := x.early("b", `{"a":"xxxxxxxxxxxxxxxxxxxxxxxxx"}`, nil); n != nil || w.Status().Running != 1 {
				t.Errorf("%s: it is begun, %+v", name, w.Status())
			}
			close(release)
			synctest.Wait()
			if n := x.early("c", "{}", nil); n == nil {
				t.Errorf("%s: it is not begun", name)
			}
			time.Sleep(time.Second)
			if w.Status() != (host.WorkStatus{}) || !x.calls.Idle() {
				t.Errorf("%s: left are %+v", name, w.Status())
			}
		}
	})
}

// Stop ends the contexts of the sessions it is told of, with a cause, and their functions may still answer.
func TestStopOfSome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := host.NewWork(host.WorkOptions{}), errors.New("stop")
		f := func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			<-ctx.Done()
			return protocol.TextResult(fmt.Sprint("ended by ", context.Cause(ctx))), nil
		}
		a, b := newShelf(t, w, f), newShelf(t, w, f)
		a.call("a", "{}")
		b.call("b", "{}")
		synctest.Wait()
		if !a.calls.Runs(2) || a.calls.Runs(3) { // 1 is initialize
			t.Errorf("1 %v, 2 %v, 3 %v", a.calls.Runs(1), a.calls.Runs(2), a.calls.Runs(3))
		}
		w.Stop(cause, func(of host.Turner) bool { return of == host.Turner(a) })
		synctest.Wait()
		a.said(`"id":"a"`, "ended by stop")
		if w.Status().Running != 1 || a.calls.Runs(2) {
			t.Errorf("%+v", w.Status())
		}
		w.Stop(cause, nil)
		time.Sleep(time.Second)
		b.said(`"id":"b"`, "ended by stop")
		if w.Status() != (host.WorkStatus{}) {
			t.Errorf("%+v", w.Status())
		}
	})
}
