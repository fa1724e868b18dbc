package rows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// grace: open requests of both directions may finish, and those left at the end of the
// grace time end.
func grace(t *testing.T, x verbs.Side) {
	fresh := x
	x = at(x, lifecycle.Ready)
	x, one := send(x, protocol.RawRequest{Name: "ping"})
	x, two := send(x, featuresOf(x.Role.Peer())[0])
	x, call := hold(x)
	now, out := x.Shutdown(0)
	sent(t, out, fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%s,"reason":"shutting down"}}`, idOf(one)),
		fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%s,"reason":"shutting down"}}`, idOf(two)))
	events(t, out, "phase changed", "request failed", "request failed", "request lost")
	closes(t, out, lifecycle.CauseShutdown)
	in(t, now, lifecycle.ShuttingDown)

	x, out = x.Shutdown(5 * time.Second)
	sent(t, out)
	if out.Close != nil {
		t.Error("closed while work is open")
	}
	for grace, want := range map[time.Duration]time.Duration{time.Hour: 5 * time.Second, time.Second: time.Second} {
		again, _ := x.Shutdown(grace) // it can be shortened, not extended
		if at, _ := again.NextDeadline(); at.Sub(x.Now) != want {
			t.Errorf("another Shutdown with %v: due in %v", grace, at.Sub(x.Now))
		}
	}
	x, out, err := x.After(2*time.Second).Fail(call, protocol.InternalError("no"))
	if err != nil || len(out.Send) != 1 || out.Close != nil {
		t.Errorf("%v, %q", err, verbs.Lines(out))
	}
	x, out = x.After(time.Second).Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, idOf(one)))
	events(t, out, "response received")
	x, out = x.Tick(2*time.Second - 1)
	if !out.IsZero() {
		t.Errorf("before the end: %+v", out)
	}
	_, out = x.Tick(1)
	sent(t, out, fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%s,"reason":"shutting down"}}`, idOf(two)))
	events(t, out, "request failed")
	closes(t, out, lifecycle.CauseShutdown)

	begun, _ := at(fresh, lifecycle.Initializing).Shutdown(0)
	in(t, begun, lifecycle.ShuttingDown)
	_, out = at(fresh, lifecycle.Initializing).Shutdown(0)
	sent(t, out) // initialize is never cancelled
	closes(t, out, lifecycle.CauseShutdown)

	quietly := lifecycle.Policy{QuietShutdown: true}
	if x.Role == protocol.Server {
		x = fullServer(t, quietly)
	} else {
		x = verbs.NewClient(t, client.Config{Policy: quietly})
	}
	x, _ = send(at(x, lifecycle.Ready), protocol.RawRequest{Name: "ping"})
	_, out = x.Shutdown(0)
	sent(t, out)
	events(t, out, "phase changed", "request failed")
}

// deaf: in error and disconnected nothing has an effect.
func deaf(t *testing.T, x verbs.Side, call lifecycle.Call, req lifecycle.Req) {
	t.Helper()
	for _, l := range []string{
		ask("p", protocol.RawRequest{Name: "ping"}), ask("a", featuresOf(x.Role)[0]), verbs.Initialized, `nonsense`, `[]`, `{"id":1}`,
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		verbs.InitializeLine("2025-06-18", "{}"), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`,
	} {
		if _, out := x.Receive(l); !out.IsZero() {
			t.Errorf("%s: %+v", l, out)
		}
	}
	for _, v := range []verbs.Verb{
		{Op: verbs.OpTick}, {Op: verbs.OpShutdown}, {Op: verbs.OpInputClosed}, {Op: verbs.OpAbort}, {Op: verbs.OpSendFailed, Req: req, Cause: errEOF},
	} {
		if next, out, _ := x.After(time.Hour).Do(v); !out.IsZero() || next.Phase() != x.Phase() {
			t.Errorf("%v: %+v", v.Op, out)
		}
	}
	e := protocol.InternalError("x")
	for err, verbs := range map[error][]verbs.Verb{
		lifecycle.ErrPhase: {{Op: verbs.OpRequest, Params: protocol.PingParams{}}, {Op: verbs.OpNotify, Params: protocol.RawRequest{Name: "notifications/x"}}},
		lifecycle.ErrGone: {
			{Op: verbs.OpRespond, Call: call, Result: protocol.EmptyResult{}}, {Op: verbs.OpFail, Call: call, Err: &e},
			{Op: verbs.OpProgress, Call: call}, {Op: verbs.OpCancel, Req: req},
		},
	} {
		for _, v := range verbs {
			_, _, got := x.Do(v)
			fails(t, got, err)
		}
	}
	if _, ok := x.NextDeadline(); ok {
		t.Error("something is due")
	}
}
