package gating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// busy returns a ready side with a call that awaits an answer and wants progress, and
// a request that awaits one.
func busy(t *testing.T, role protocol.Party) (x verbs.Side, call lifecycle.Call, req lifecycle.Req) {
	t.Helper()
	line := `{"jsonrpc":"2.0","id":"c","method":"x/ask","params":{"_meta":{"progressToken":"p"}}}`
	if role == protocol.Server {
		x = verbs.NewServer(t, server.Config{Serve: []string{"x/ask"}, Logging: true, Catalog: &server.Catalog{}})
	} else {
		x = verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}, Roots: []protocol.Root{}, RootsListChanged: true})
	}
	x = x.Open(protocol.Revision20250618, `{}`)
	x, out := x.Receive(line)
	call = out.Opened
	x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
	if err != nil || call.IsZero() {
		t.Fatal(err, call)
	}
	return x, call, out.Req
}

// steps returns how many transitions led to the State of x.
func steps(x verbs.Side) uint64 {
	if x.Role == protocol.Server {
		return x.Server().Step()
	}
	return x.Client().Step()
}

// Verbs of the machines beside a State use the time like those of a State: after a
// silence the deadline of a request counts from the verb, not from the last message. What a
// fold itself sends counts from the transition of its Output.
func TestVerbsBesideAStateTakeTheTime(t *testing.T) {
	minute := lifecycle.RequestOptions{Timeout: time.Minute}
	c := verbs.NewClient(t, client.Config{}).Open(protocol.Revision20250618, `{"tools":{"listChanged":true}}`)
	s := verbs.NewServer(t, server.Config{}).Open(protocol.Revision20250618, `{"roots":{"listChanged":true}}`)
	pager, err := client.NewPager("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	roots, asked, out, err := server.Roots{}.Want(s.Server(), s.Now, minute)
	if err != nil {
		t.Fatal(err)
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, out.Send[0].Message.ID.Append(nil))
	silence := time.Hour
	for name, do := range map[string]func(now time.Time) (verbs.Side, verbs.Side, lifecycle.Output, error){
		"Pager.Next": func(now time.Time) (verbs.Side, verbs.Side, lifecycle.Output, error) {
			_, next, out, err := pager.Next(c.Client(), now, minute)
			return c, c.With(next), out, err
		},
		"Roots.Want": func(now time.Time) (verbs.Side, verbs.Side, lifecycle.Output, error) {
			_, next, out, err := server.Roots{}.Want(s.Server(), now, minute)
			return s, s.With(next), out, err
		},
		"Roots.Handle": func(now time.Time) (verbs.Side, verbs.Side, lifecycle.Output, error) {
			overtaken, out := asked.Receive(s.Now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`))
			r, overtaken, _ := roots.Handle(overtaken, out)
			answered, out := overtaken.Receive(now, jsonrpc.DecodeString(answer))
			_, next, out := r.Handle(answered, out)
			return s.With(answered), s.With(next), out, nil
		},
	} {
		now := c.Now.Add(silence)
		before, after, out, err := do(now)
		if err != nil || len(out.Send) != 1 {
			t.Errorf("%s: %d sent: %v", name, len(out.Send), err)
			continue
		}
		if got, want := steps(after), steps(before)+1; got != want {
			t.Errorf("%s: step %d, want %d", name, got, want)
		}
		if due, _ := after.NextDeadline(); !due.Equal(now.Add(time.Minute)) {
			t.Errorf("%s: due at %v, want %v", name, due, now.Add(time.Minute))
		}
	}
}

// Calls that expire end in the order of their deadlines and, with equal
// deadlines, in the order of arrival, whatever their ids.
func TestCallsExpireInOrder(t *testing.T) {
	timeouts := lifecycle.Timeouts{Inbound: time.Minute}
	for _, x := range []verbs.Side{
		verbs.NewServer(t, server.Config{Serve: []string{"x/ask"}, Timeouts: timeouts}).Open(protocol.Revision20250618, `{}`),
		verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}, Timeouts: timeouts}).Open(protocol.Revision20250618, `{}`),
	} {
		ids := []string{`"b"`, "9", "3", `"a"`, "-1", "2", "1"}
		for i, id := range ids {
			if i == 3 {
				x = x.After(time.Second)
			}
			x, _ = x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"method":"x/ask"}`)
		}
		_, out := x.Tick(time.Hour)
		expired := verbs.Events(out, lifecycle.RequestExpired)
		if len(expired) != len(ids) || len(out.Send) != len(ids) {
			t.Fatalf("%v: %s", x.Role, verbs.Kinds(out))
		}
		for i, id := range ids {
			if ev, m := string(expired[i].ID.Append(nil)), out.Send[i].Message; ev != id || m.ID != expired[i].ID || m.Err == nil || m.Err.Code != jsonrpc.CodeInternalError {
				t.Errorf("%v: %d. is %s, answered %v, want %s", x.Role, i, ev, m, id)
			}
		}
	}
}

// Log messages over the rate are dropped and counted, on both sides.
func TestDroppedLogsAreCounted(t *testing.T) {
	limits := lifecycle.Limits{Logs: lifecycle.Rate{PerSecond: 1, Burst: 2}}
	for _, x := range []verbs.Side{
		verbs.NewServer(t, server.Config{Logging: true, Limits: limits}).Open(protocol.Revision20250618, `{}`),
		verbs.NewClient(t, client.Config{Limits: limits}).Open(protocol.Revision20250618, `{"logging":{}}`),
	} {
		passed, left := 0, uint64(0)
		for i := range 6 {
			var out lifecycle.Output
			if i == 5 {
				x = x.After(time.Second)
			}
			if x.Role == protocol.Client {
				x, out = x.Receive(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":1}}`)
				passed += len(out.Events)
			} else {
				var err error
				if x, out, err = x.Notify(protocol.LoggingMessageParams{Level: "error", Data: `1`}); err != nil {
					t.Fatal(err)
				}
				passed += len(out.Send)
			}
			if left = uint64(i + 1 - passed); x.Status().DroppedLogs != left {
				t.Errorf("%v: %d passed of %d, %d counted", x.Role, passed, i+1, x.Status().DroppedLogs)
			}
		}
		if passed != 3 || left != 3 {
			t.Errorf("%v: %d passed, %d left out", x.Role, passed, left)
		}
	}
}

// A malformed answer to the last open request ends a session that is shutting down, like a
// valid one.
func TestMalformedAnswerSettles(t *testing.T) {
	for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
		for _, member := range []string{`"result":{}`, `"result":[]`, `"error":{"code":1,"message":"m"}`, `"error":{}`} {
			x, call, _ := busy(t, role)
			x, _, err := x.Respond(call, protocol.Raw(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			x, out := x.Shutdown(time.Hour)
			if out.Close != nil {
				t.Fatal("closed with an open request")
			}
			if _, out = x.Receive(`{"jsonrpc":"2.0","id":` + x.LastID() + `,` + member + `}`); out.Close == nil {
				t.Errorf("%v: after %s it is not closed", role, member)
			}
		}
	}
}
