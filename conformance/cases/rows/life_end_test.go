package rows_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// The end of a session and what follows, in each revision.
func TestLifecycleEnd(t *testing.T) { everywhere(t, lifecycleEnd) }

func lifecycleEnd(t *testing.T) {
	t.Run("LIFE-021", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x, out := at(x, lifecycle.Ready).Shutdown(time.Minute)
			sent(t, out)
			closes(t, out, lifecycle.CauseShutdown)
			in(t, x, lifecycle.ShuttingDown)
			x, out = x.Disconnected(nil)
			events(t, out, "phase changed")
			in(t, x, lifecycle.Disconnected)
		})
	})
	t.Run("LIFE-022", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.Ready)
			var reqs []lifecycle.Req
			var calls []lifecycle.Call
			for _, r := range append(featuresOf(x.Role.Peer())[:2], protocol.RawRequest{Name: "ping"}) {
				var req lifecycle.Req
				x, req = send(x, r)
				reqs = append(reqs, req)
			}
			for _, id := range []string{"z", "a"} {
				next, out := x.Receive(ask(id, featuresOf(x.Role)[1]))
				x, calls = next, append(calls, out.Opened)
			}
			x, out := x.Disconnected(errEOF)
			events(t, out, "request failed", "request failed", "request failed", "request lost", "request lost", "phase changed")
			for i, req := range reqs {
				if ev := out.Events[i]; ev.Req != req || ev.Cause.Kind != lifecycle.CauseLost || !errors.Is(ev.Cause, errEOF) {
					t.Errorf("event %d: %v %v", i, ev.Req, ev.Cause)
				}
			}
			for i, call := range calls {
				if ev := out.Events[3+i]; ev.Call != call {
					t.Errorf("event %d: %v, want %v", 3+i, ev.Call, call)
				}
			}
			quiet(t, out)
			if st := x.Status(); st.Inbound+st.Outbound != 0 || st.Phase != lifecycle.Disconnected {
				t.Errorf("%+v", st)
			}
		})
	})
	t.Run("LIFE-023", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.Ready)
			x, req := send(x, protocol.RawRequest{Name: "ping"})
			x, call := hold(x)
			x, _ = x.Disconnected(nil)
			deaf(t, x, call, req)
		})
	})
	t.Run("LIFE-024", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x, call := hold(at(x, lifecycle.Ready))
			x, _ = x.Disconnected(nil)
			x, out, err := x.Respond(call, protocol.EmptyResult{})
			fails(t, err, lifecycle.ErrGone)
			quiet(t, out)
			in(t, x, lifecycle.Disconnected)
		})
	})
	t.Run("LIFE-025", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.ShuttingDown)
			for _, c := range []struct {
				r    protocol.RawRequest
				code int64
			}{
				{featuresOf(x.Role)[0], -32603}, {protocol.RawRequest{Name: "foo/bar"}, -32601},
				{featuresOf(x.Role.Peer())[0], -32601}, {protocol.RawRequest{Name: "initialize"}, map[protocol.Party]int64{protocol.Server: -32600, protocol.Client: -32601}[x.Role]},
			} {
				_, out := x.Receive(ask("4", c.r))
				refused(t, out, c.code)
			}
			_, out := x.Receive(ask("4", protocol.RawRequest{Name: "ping"}))
			sent(t, out, `{"id":"4","result":{}}`)
		})
	})
	t.Run("LIFE-026", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x, req := send(at(x, lifecycle.Ready), protocol.RawRequest{Name: "ping"})
			x, _ = x.Shutdown(5 * time.Second)
			x, out := x.After(3 * time.Second).Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, idOf(req)))
			events(t, out, "response received")
			closes(t, out, lifecycle.CauseShutdown)
			if x.Status().Outbound != 0 {
				t.Error("the request is still open")
			}
		})
	})
	t.Run("LIFE-030", func(t *testing.T) {
		c, _ := verbs.NewClient(t, client.Config{Require: protocol.CapTools | protocol.CapLogging}).Begin(spoken, "")
		c, out := c.Receive(c.InitializeResult(spoken.String(), `{"logging":{}}`))
		sent(t, out)
		closes(t, out, lifecycle.CauseMissingCapability)
		in(t, c, lifecycle.Failed)
		if cause := c.Status().Cause; cause.Reason != "tools" {
			t.Errorf("cause %v", cause)
		}
	})
	t.Run("LIFE-031", func(t *testing.T) { // TIME-003
		each(t, func(t *testing.T, x verbs.Side) {
			x, req := send(at(x, lifecycle.Ready), featuresOf(x.Role.Peer())[0])
			x, out := x.Tick(60 * time.Second)
			events(t, out, "request failed")
			x, out = x.Tick(time.Hour)
			events(t, out)
			x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, idOf(req)))
			events(t, out, "ignored JRPC-033")
			if x.Status().Outbound != 0 {
				t.Error("the request is still open")
			}
		})
	})
	t.Run("LIFE-032", func(t *testing.T) {
		c, out := at(full(t, protocol.Client), lifecycle.Initializing).Tick(5 * time.Minute)
		sent(t, out)
		events(t, out, "request failed", "phase changed")
		closes(t, out, lifecycle.CauseTimedOut)
		in(t, c, lifecycle.Failed)
	})
	t.Run("LIFE-033", func(t *testing.T) {
		a, b := at(full(t, protocol.Client), lifecycle.Initializing), full(t, protocol.Client)
		a, _ = a.Finish(spoken, `{"tools":{}}`)
		b = b.Open(another(), `{"prompts":{}}`)
		a, first := send(a, protocol.RawRequest{Name: "tools/list"})
		b, _ = b.Disconnected(nil)
		if idOf(first) != "2" || a.Status().Outbound != 1 || a.Phase() != lifecycle.Ready || a.Revision() != spoken || a.PeerCapabilities() != protocol.CapTools {
			t.Errorf("%+v, %v", a.Status(), first)
		}
		if b.Revision() != another() || b.PeerCapabilities() != protocol.CapPrompts {
			t.Errorf("%v, %v", b.Revision(), b.PeerCapabilities())
		}
	})
	t.Run("LIFE-034", func(t *testing.T) {
		s := full(t, protocol.Server).Open(spoken, allOfClient)
		other, err := s.Server().NewSession(verbs.Epoch)
		if err != nil || other.Phase() != lifecycle.Uninitialized || other.PeerCapabilities() != 0 || !other.Revision().IsZero() || other.Peer().Name != "" {
			t.Errorf("%v, %+v", err, other.Status())
		}
	})
	t.Run("LIFE-035", func(t *testing.T) {
		for _, answer := range []string{
			`"error":{"code":1,"message":"no"}`, `"result":{}`, `"result":7`,
			`"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`,
			`"result":{"protocolVersion":"` + spoken.String() + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, "",
		} {
			c := verbs.NewClient(t, client.Config{Require: protocol.CapTools})
			c, hello := c.Begin(spoken, "")
			if answer == "" {
				c, _ = c.Tick(time.Hour)
			} else {
				c, _ = c.Receive(`{"jsonrpc":"2.0","id":1,` + answer + `}`)
			}
			in(t, c, lifecycle.Failed)
			cause := c.Status().Cause
			deaf(t, c, lifecycle.MakeCall(nil, 1, 1), hello.Req)
			c, out := c.Disconnected(nil)
			quiet(t, out)
			in(t, c, lifecycle.Failed)
			if cause == nil || c.Status().Cause != cause {
				t.Errorf("cause %v", cause)
			}
		}
	})
	t.Run("LIFE-036", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			for _, phase := range []lifecycle.Phase{lifecycle.Uninitialized, lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown} {
				_, err := at(x, phase).Reset()
				fails(t, err, lifecycle.ErrPhase)
			}
			x, old := send(at(x, lifecycle.Ready), featuresOf(x.Role.Peer())[0])
			x, _ = hold(x)
			for _, end := range []func(verbs.Side) (verbs.Side, lifecycle.Output){
				func(x verbs.Side) (verbs.Side, lifecycle.Output) { return x.Disconnected(nil) },
				func(x verbs.Side) (verbs.Side, lifecycle.Output) { return x.Abort(nil) },
			} {
				x, _ := end(x)
				x, err := x.Reset()
				if err != nil {
					t.Fatal(err)
				}
				if st := x.Status(); st != (lifecycle.Status{}) || x.PeerCapabilities() != 0 || x.Peer().Name != "" {
					t.Errorf("%+v, peer %v", st, x.Peer())
				}
				x = at(x, lifecycle.Ready)
				x, req := send(x, featuresOf(x.Role.Peer())[0])
				if req.Seq() <= old.Seq() {
					t.Errorf("%v after %v", req, old)
				}
				x, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, idOf(old)))
				events(t, out, "ignored LIFE-036")
				quiet(t, out)
				if x.Status().Outbound != 1 {
					t.Error("the late answer ended something")
				}
			}
		})
		// Subscriptions and the log level are the server's.
		s := verbs.NewServer(t, server.Config{Serve: []string{"resources/read"}, Subscribe: true, Logging: true}).Open(spoken, "{}")
		s, _ = s.Feed(ask("a", featuresOf(protocol.Server)[5]), ask("b", protocol.RawRequest{Name: "logging/setLevel", Body: `{"level":"alert"}`}))
		s, _ = s.Disconnected(nil)
		s, _ = s.Reset()
		s = s.Open(spoken, "{}")
		_, out, _ := s.Notify(protocol.ResourceUpdatedParams{URI: "a:b"})
		sent(t, out)
		_, out, _ = s.Notify(protocol.LoggingMessageParams{Level: "debug", Data: "1"})
		sent(t, out, `{"method":"notifications/message","params":{"level":"debug","data":1}}`)
	})
	t.Run("LIFE-037", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			idle, _ := at(x, lifecycle.Ready).Shutdown(0)
			starting, _ := at(x, lifecycle.Initializing).Shutdown(time.Hour)
			for _, x := range []verbs.Side{idle, at(x, lifecycle.ShuttingDown), starting} {
				for _, line := range []string{
					verbs.InitializeLine(spoken.String(), "{}"), verbs.Initialized, x.InitializeResult(spoken.String(), "{}"),
					`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, `nonsense`,
				} {
					x, _ := x.Receive(line)
					in(t, x, lifecycle.ShuttingDown)
				}
				for _, do := range []func() (verbs.Side, lifecycle.Output){
					func() (verbs.Side, lifecycle.Output) { return x.Shutdown(0) },
					func() (verbs.Side, lifecycle.Output) { return x.Shutdown(time.Hour) },
					func() (verbs.Side, lifecycle.Output) { return x.Abort(nil) },
					x.InputClosed,
					func() (verbs.Side, lifecycle.Output) { return x.Tick(100 * time.Hour) },
				} {
					x, _ := do()
					in(t, x, lifecycle.ShuttingDown)
				}
				_, err := x.Reset()
				fails(t, err, lifecycle.ErrPhase)
				if x.Role == protocol.Client {
					_, _, err := x.Initialize()
					fails(t, err, lifecycle.ErrPhase)
				}
				x, _ = x.Disconnected(nil)
				in(t, x, lifecycle.Disconnected)
			}
		})
	})
	t.Run("LIFE-041", func(t *testing.T) {
		tool := func(name string) *server.Catalog {
			c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: name}}})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		x := verbs.NewServer(t, server.Config{
			Catalog: tool("a"), Serve: []string{"tools/call", "resources/read"}, Unlisted: true, ListChanged: protocol.CapToolsListChanged, Subscribe: true,
		})
		x, _ = x.Begin(spoken, "{}")
		x, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"p"}}}`)
		_, progress, err := x.Progress(out.Opened, protocol.ProgressParams{Progress: 1})
		if err != nil {
			t.Error(err)
		}
		sent(t, progress, `{"method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
		for _, n := range []protocol.Params{protocol.ToolListChangedParams{}, protocol.ResourceUpdatedParams{URI: "a:b"}} {
			_, _, err := x.Notify(n)
			fails(t, err, lifecycle.ErrPhase)
		}
		for _, name := range []string{"b", "c"} {
			if x, out, err = x.Offer(tool(name)); err != nil {
				t.Fatal(err)
			}
			sent(t, out)
		}
		_, out = x.After(time.Second).Receive(verbs.Initialized)
		sent(t, out, `{"method":"notifications/tools/list_changed"}`)
	})
	t.Run("LIFE-042", func(t *testing.T) { each(t, grace) })
	t.Run("LIFE-043", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.Ready)
			x, out, err := x.Request(featuresOf(x.Role.Peer())[0], lifecycle.RequestOptions{Progress: true})
			if err != nil {
				t.Fatal(err)
			}
			x, call := hold(x)
			x, _ = x.Shutdown(time.Hour)
			x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, idOf(out.Req)))
			events(t, out, "progress received")
			x, out = x.Receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"held"}}`)
			events(t, out, "request cancelled")
			if out.Events[0].Call != call {
				t.Errorf("cancelled %v", out.Events[0].Call)
			}
			lines := []string{`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`}
			if x.Role == protocol.Client {
				lines = []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":1}}`}
			}
			for _, l := range lines {
				x, out = x.Receive(l)
				events(t, out, "ignored LIFE-043")
				quiet(t, out)
			}
		})
	})
}
