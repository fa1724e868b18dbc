package manager_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const sampling = `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`

const sampled = `{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`

// asking returns a rig with two servers, both of which have asked for a sample under the same
// id, and the calls.
func asking(t *testing.T) (*rig, map[string]manager.Call) {
	t.Helper()
	cfg := config()
	cfg.Client.Serve = []string{"sampling/createMessage", "elicitation/create"}
	r := newRig(t, cfg)
	calls := map[string]manager.Call{}
	for _, name := range []string{"a", "b"} {
		r.connect(name, manager.Options{Supervise: true})
		evs := events(r.say(name, sampling), manager.SessionEvent)
		if len(evs) != 1 || evs[0].Link != r.link(name) || evs[0].Call.Link != r.link(name) || evs[0].Session.Method != "sampling/createMessage" {
			t.Fatalf("%+v", evs)
		}
		calls[name] = evs[0].Call
	}
	return r, calls
}

// Rows B23, B25, B27: a request of a server comes with its server and epoch, and its answer goes to that
// incarnation alone.
func TestCalls(t *testing.T) {
	r, calls := asking(t)
	out := r.do(r.m.Respond(r.now, calls["b"], protocol.Raw(sampled)))
	if got := sent(out, "b"); len(got) != 1 || len(sent(out, "a")) != 0 || !strings.Contains(got[0], `"id":"q"`) {
		t.Errorf("%s", render(out, t0))
	}
	if _, _, err := r.m.Respond(r.now, calls["b"], protocol.Raw(sampled)); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	if _, _, err := r.m.Respond(r.now, manager.Call{Link: r.link("a")}, protocol.Raw(sampled)); !errors.Is(err, lifecycle.ErrGone) {
		t.Error("an answer to no call:", err)
	}
	// A new epoch of the same name.
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	if evs := events(r.out, manager.SessionEvent); len(evs) != 1 || evs[0].Session.Kind != lifecycle.RequestLost || evs[0].Call != calls["a"] {
		t.Errorf("%+v", evs)
	}
	r.sleep(time.Second)
	r.shake("a")
	r.say("a", sampling)
	if _, out, err := r.m.Respond(r.now, calls["a"], protocol.Raw(sampled)); !errors.Is(err, lifecycle.ErrGone) || !out.IsZero() {
		t.Error(err)
	}
	if m, out := r.m.Abandon(r.now, calls["a"]); !out.IsZero() || m.LateReports() != r.m.LateReports()+1 {
		t.Error("an old call is abandoned")
	}
}

// While a server asks the user, the time of the requests to it stands still, and that of those to
// another goes on.
func TestTimeWhileAsked(t *testing.T) {
	for _, own := range []time.Duration{0, 10 * time.Second} {
		r, calls := asking(t)
		r.do(r.m.Respond(r.now, calls["b"], protocol.Raw(sampled)))
		r.sleep(time.Second)
		opt, want := manager.RequestOptions{Timeout: own}, cmp.Or(own, 30*time.Second)
		a, b := r.do(r.m.CallTool(r.now, "a", "t", "", opt)).Op, r.do(r.m.CallTool(r.now, "b", "t", "", opt)).Op
		r.sleep(want)
		class(t, done(t, r.out, b).Err, manager.ClassTimeout)
		r.sleep(5*time.Minute - want)
		if _, n := ended(r.all, a); n != 0 {
			t.Fatal("ended while the user thinks")
		}
		r.do(r.m.Respond(r.now, calls["a"], protocol.Raw(sampled)))
		if r.sleep(want - 1); r.m.Pending() != 1 {
			t.Fatal("ended too early")
		}
		r.sleep(1)
		class(t, done(t, r.out, a).Err, manager.ClassTimeout)
	}
}

// Row B26: the ends of a call.
func TestAnswers(t *testing.T) {
	r, calls := asking(t)
	call := calls["a"]
	out := r.do(r.m.Fail(r.now, call, jsonrpc.Error{Code: -1, Message: "declined"}))
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], "declined") {
		t.Error(got)
	}
	call = events(r.say("a", strings.Replace(sampling, `"q"`, `"r"`, 1)), manager.SessionEvent)[0].Call
	out = r.do(r.m.Finish(r.now, call, client.Answer{Result: protocol.Raw(sampled)}))
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], `"id":"r"`) {
		t.Error(got)
	}
	// A result that does not fit is answered all the same, and told.
	call = events(r.say("a", strings.Replace(sampling, `"q"`, `"s"`, 1)), manager.SessionEvent)[0].Call
	if _, _, err := r.m.Respond(r.now, call, protocol.Raw(`{}`)); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	m, out, err := r.m.Finish(r.now, call, client.Answer{Result: protocol.Raw(`{}`)})
	if !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	if got := sent(r.take(m, out), "a"); len(got) != 1 || !strings.Contains(got[0], "-32603") {
		t.Error(got)
	}
	// What nobody answers in time.
	r.say("a", strings.Replace(sampling, `"q"`, `"t"`, 1))
	r.sleep(10 * time.Minute)
	if got := sent(r.out, "a"); len(got) != 1 || !strings.Contains(got[0], "-32603") {
		t.Error(got)
	}
	if evs := events(r.out, manager.SessionEvent); len(evs) == 0 || evs[len(evs)-1].Session.Kind != lifecycle.RequestExpired {
		t.Errorf("%+v", evs)
	}
	// What this client does not serve is answered by itself.
	if got := sent(r.say("a", `{"jsonrpc":"2.0","id":"u","method":"roots/list"}`), "a"); len(got) != 1 || !strings.Contains(got[0], "-32601") {
		t.Error(got)
	}
	// An elicitation whose answer does not fit its form.
	elicit := `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}`
	call = events(r.say("a", elicit), manager.SessionEvent)[0].Call
	if _, _, err := r.m.Respond(r.now, call, protocol.Raw(`{"action":"accept","content":{"n":"x"}}`)); !errors.Is(err, lifecycle.ErrParams) {
		t.Error(err)
	}
	r.do(r.m.Respond(r.now, call, protocol.Raw(`{"action":"accept","content":{"n":1}}`)))
}

// Progress and notifications within a call of a server, and requests made for it.
func TestWithin(t *testing.T) {
	r, calls := asking(t)
	out := r.do(r.m.Progress(r.now, calls["a"], protocol.ProgressParams{Progress: 1}))
	if len(out.Actions) != 0 { // the server asked for none
		t.Errorf("%s", render(out, t0))
	}
	if _, _, err := r.m.Progress(r.now, manager.Call{}, protocol.ProgressParams{Progress: 1}); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Within: calls["a"]})).Op
	if o := r.out.Actions[0].Out; o.Call != calls["a"].Call {
		t.Errorf("%+v", o)
	}
	if _, _, err := r.m.CallTool(r.now, "b", "t", "", manager.RequestOptions{Within: calls["a"]}); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	custom := protocol.RawRequest{Name: "notifications/x", Body: `{"a":1}`}
	out = r.do(r.m.Notify(r.now, "a", custom, calls["a"]))
	if o := out.Actions[0].Out; o.Call != calls["a"].Call {
		t.Errorf("%+v", o)
	}
	r.do(r.m.Notify(r.now, "b", custom, manager.Call{}))
	if _, _, err := r.m.Notify(r.now, "b", custom, calls["a"]); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	// The server takes its request back: what was made for it is withdrawn.
	out = r.say("a", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}`)
	class(t, done(t, out, op).Err, manager.ClassCancelled)
	r.take(r.m.Abandon(r.now, calls["b"]))
	if evs := events(r.out, manager.SessionEvent); len(evs) != 1 || evs[0].Session.Kind != lifecycle.RequestLost {
		t.Errorf("%+v", evs)
	}
}

// Row B26: all eight log levels come as they are, of the server that sent them (row B25).
func TestLogs(t *testing.T) {
	r, _ := asking(t)
	for _, level := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		out := r.say("b", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+level+`","data":1}}`)
		evs := events(out, manager.SessionEvent)
		if len(evs) != 1 || evs[0].Link != r.link("b") || !strings.Contains(string(evs[0].Session.Body), level) {
			t.Errorf("%s: %+v", level, evs)
		}
	}
}

// Before the transport is open, and once it is over, nothing is taken from it.
func TestNotOpen(t *testing.T) {
	r := newRig(t, config())
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	for _, link := range []manager.Link{r.link("a"), {Server: "a", Epoch: 9}, {Server: "b", Epoch: 1}, {}} {
		for _, out := range []manager.Effects{
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(sampling)})),
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: client.Req{}})),
			r.take(r.m.Report(r.now, manager.Report{Kind: manager.ResponseLost, Link: link, Req: client.Req{}})),
		} {
			if !out.IsZero() {
				t.Errorf("%s", render(out, t0))
			}
		}
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	if out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")})); !out.IsZero() {
		t.Errorf("opened twice: %s", render(out, t0))
	}
	// The message of initialize does not get out: the attempt has failed.
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.SendFailed, Link: r.link("a"), Req: lastReq(r.all), Err: errors.New("full")}))
	if s, _ := r.m.Status("a"); s.Condition != manager.Failed {
		t.Errorf("%+v\n%s", s, render(out, t0))
	}
}

func lastReq(out manager.Effects) client.Req {
	return out.Actions[len(out.Actions)-1].Out.Req
}
