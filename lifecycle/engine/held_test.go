package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

func held(in *engine.Intake)  { in.Held = true }
func usual(in *engine.Intake) {}

// asIs and again are the two ways to come to a Core: by its history, and by its snapshot.
var ways = map[string]func(t *testing.T, c engine.Core, env *engine.Env) engine.Core{
	"as it is": func(_ *testing.T, c engine.Core, _ *engine.Env) engine.Core { return c },
	"restored": func(t *testing.T, c engine.Core, env *engine.Env) engine.Core {
		d, err := restored(&c, env)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(d.Snapshot().Dst), string(c.Snapshot().Dst); got != want {
			t.Errorf("the snapshot is\n%s\nwant\n%s", got, want)
		}
		return d
	},
}

// What the machine holds has no deadline: it outlives Timeouts.Inbound, which ends other
// calls.
func TestHeldDoesNotExpire(t *testing.T) {
	for way, come := range ways {
		t.Run(way, func(t *testing.T) {
			env := toolServer()
			c := ready(env, protocol.Revision20250618)
			kept := enter(t, &c, "1", held)
			if due, ok := c.NextDeadline(table.Never); ok {
				t.Errorf("something is due at %v", due)
			}
			other := enter(t, &c, "2", usual)
			c = come(t, c, env)
			kept, other = c.Call(kept.Seq(), kept.Key()), c.Call(other.Seq(), other.Key())
			if due, _ := c.NextDeadline(table.Never); !due.Equal(origin.Add(time.Second)) {
				t.Errorf("the next deadline is %v, want that of the other call", due)
			}
			for _, d := range []time.Duration{time.Second, 1000 * time.Hour} {
				var o lifecycle.Output
				c.Clock(origin.Add(d))
				c.Tick(&o)
				if want := map[time.Duration]string{time.Second: "request expired"}[d]; kinds(&o) != want || want != "" && o.Events[0].Call != other {
					t.Errorf("after %v: %v, want %s of the other", d, o.Events, want)
				}
				if !c.Open(kept) || c.Open(other) {
					t.Errorf("after %v the one is open: %v, the other: %v", d, c.Open(kept), c.Open(other))
				}
			}
			if due, ok := c.NextDeadline(table.Never); ok {
				t.Errorf("something is due at %v", due)
			}
		})
	}
}

// What the machine holds ends with the session, by RequestLost, and holds nothing up: what
// else is open may finish, and with nothing open the close action comes at once.
func TestHeldEndsWithTheSession(t *testing.T) {
	ends := map[string]struct {
		end   func(c *engine.Core, o *lifecycle.Output)
		cause lifecycle.CauseKind
		rest  bool // other calls may finish
		close bool // the close action comes
	}{
		"shutdown":     {func(c *engine.Core, o *lifecycle.Output) { c.Shutdown(time.Hour, o) }, lifecycle.CauseShutdown, true, true},
		"at once":      {func(c *engine.Core, o *lifecycle.Output) { c.Shutdown(0, o) }, lifecycle.CauseShutdown, false, true},
		"input closed": {func(c *engine.Core, o *lifecycle.Output) { c.InputClosed(o) }, lifecycle.CauseInputClosed, true, true},
		"disconnected": {func(c *engine.Core, o *lifecycle.Output) { c.Disconnected(nil, o) }, lifecycle.CauseLost, false, false},
		"abort":        {func(c *engine.Core, o *lifecycle.Output) { c.Abort(errors.New("x"), o) }, lifecycle.CauseAborted, false, true},
	}
	for way, come := range ways {
		for name, e := range ends {
			for _, beside := range []bool{false, true} {
				t.Run(way+"/"+name, func(t *testing.T) {
					env := toolServer()
					c := ready(env, protocol.Revision20250618)
					kept := enter(t, &c, "1", held)
					var other lifecycle.Call
					if beside {
						other = enter(t, &c, `"b"`, usual)
					}
					c = come(t, c, env)
					kept, other = c.Call(kept.Seq(), kept.Key()), c.Call(other.Seq(), other.Key())

					var o lifecycle.Output
					e.end(&c, &o)
					if err := c.Check(); err != nil {
						t.Fatal(err)
					}
					lost := 0
					for _, ev := range o.Events {
						if ev.Call != kept {
							continue
						}
						lost++
						if ev.Kind != lifecycle.RequestLost || ev.Cause.Kind != e.cause || ev.ID != jsonrpc.Int(1) || ev.Method != protocol.MethodToolsCall {
							t.Errorf("the call ends by %+v", ev)
						}
					}
					if lost != 1 || c.Open(kept) {
						t.Errorf("%d events end the call, and it is open: %v", lost, c.Open(kept))
					}
					waits := beside && e.rest
					if c.Open(other) != waits || (o.Close != nil) != (e.close && !waits) {
						t.Errorf("the other is open: %v, close: %v", c.Open(other), o.Close)
					}
					if !waits {
						return
					}
					o = lifecycle.Output{}
					c.Respond(other, &protocol.Encoded{Body: "{}"}, &o)
					if o.Close == nil || o.Close.Kind != e.cause {
						t.Errorf("after the last answer the close action is %v, want %v", o.Close, e.cause)
					}
				})
			}
		}
	}
}

// A request of ours that was made within what the machine holds ends with it.
func TestWithinHeld(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	kept := enter(t, &c, "1", held)
	var o lifecycle.Output
	if err := c.Send(protocol.ListRootsParams{}, lifecycle.RequestOptions{Within: kept}, &o); err != nil {
		t.Fatal(err)
	}
	req := o.Req
	o = lifecycle.Output{}
	c.Shutdown(time.Hour, &o)
	if got := kinds(&o); got != "phase changed, request lost, request failed" || o.Events[2].Req != req || o.Events[2].Cause.Kind != lifecycle.CauseCancelled {
		t.Errorf("%s: %+v", got, o.Events)
	}
	const want = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the call is over"}}`
	if sent(&o) != want || o.Close == nil {
		t.Errorf("%s goes out, close %v", sent(&o), o.Close)
	}
}

// What the machine holds can be answered, refused, given up and cancelled as any call.
func TestHeldIsACall(t *testing.T) {
	for name, end := range map[string]func(c *engine.Core, call lifecycle.Call, o *lifecycle.Output){
		`{"jsonrpc":"2.0","id":1,"result":{}}`: func(c *engine.Core, call lifecycle.Call, o *lifecycle.Output) {
			c.Respond(call, &protocol.Encoded{Body: "{}"}, o)
		},
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}`: func(c *engine.Core, call lifecycle.Call, o *lifecycle.Output) {
			_ = c.Fail(call, protocol.InternalError("broken"), o)
		},
		"request lost": func(c *engine.Core, call lifecycle.Call, o *lifecycle.Output) { c.Abandon(call, o) },
		"request cancelled": func(c *engine.Core, _ lifecycle.Call, o *lifecycle.Output) {
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			c.Receive(&m, new(engine.Intake), o)
		},
	} {
		c := ready(toolServer(), protocol.Revision20250618)
		call := enter(t, &c, "1", held)
		var o lifecycle.Output
		end(&c, call, &o)
		if got := kinds(&o) + sent(&o); got != name || c.Open(call) {
			t.Errorf("%s: %s, open: %v", name, got, c.Open(call))
		}
	}
}

// A snapshot in which something held could expire, or holds up the end, is refused.
func TestRestoreHeld(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	enter(t, &c, "1", held)
	enter(t, &c, "2", usual)
	for name, pairs := range map[string][]string{
		"a deadline": {`"held":true`, `"held":true,"due":5`},
		"the end":    {`"phase":"ready"`, `"phase":"shutting_down","cause":{"kind":"shut down"}`},
	} {
		if _, err := restored(&c, env, pairs...); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := restored(&c, env, `"held":true,`, ``, `"phase":"ready"`, `"phase":"shutting_down","cause":{"kind":"shut down"}`); err != nil {
		t.Errorf("with nothing held: %v", err)
	}
}
