package manager_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// one returns a rig with one server that is ready.
func one(t *testing.T, opt manager.Options) *rig {
	t.Helper()
	r := newRig(t, config())
	r.connect("a", opt)
	return r
}

// answer answers the last request of a step.
func (r *rig) answer(name, result string) manager.Effects {
	r.t.Helper()
	id := lastID(r.t, r.out)
	return r.say(name, `{"jsonrpc":"2.0","id":`+jsonrpc.Int(id).String()+`,`+result+`}`)
}

// Rows B10, E2, F2: the result is what the server wrote, also that of a tool
// that failed.
func TestCallTool(t *testing.T) {
	r := one(t, manager.Options{})
	for _, body := range []string{
		`{"content":[{"type":"text","text":"x"}],"extra":1}`,
		`{"content":[],"isError":true}`,
	} {
		op := r.do(r.m.CallTool(r.now, "a", "t", `{"b":1, "a":[2]}`, manager.RequestOptions{})).Op
		if got := sent(r.out, "a")[0]; !strings.Contains(got, `"arguments":{"b":1, "a":[2]}`) {
			t.Error(got)
		}
		ev := done(t, r.answer("a", `"result":`+body), op)
		s, ok := ev.Outcome()
		if ev.Err != nil || !ok || string(s.Body) != body || ev.Method != "tools/call" || ev.Link != r.link("a") {
			t.Errorf("%+v", ev)
		}
	}
	// An error of the server comes with code and data, as it came.
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	ev := done(t, r.answer("a", `"error":{"code":-32602,"message":"unknown tool","data":{"n":1}}`), op)
	e := class(t, ev.Err, manager.ClassProtocol)
	if e.Code != -32602 || e.Data != `{"n":1}` || e.Server != "a" || e.Method != "tools/call" || ev.Session.Err.Message != "unknown tool" {
		t.Errorf("%+v", e)
	}
	var rpc *jsonrpc.Error
	if !errors.As(ev.Err, &rpc) || !errors.Is(ev.Err, &manager.Error{Class: manager.ClassProtocol}) {
		t.Error(ev.Err)
	}
}

// Rows B11, F4: an object, or nothing; the kind of anything else is named
// before a server is looked up. Row B18: those of a prompt are strings.
func TestArguments(t *testing.T) {
	r := one(t, manager.Options{})
	for _, args := range []protocol.Raw{"", "null"} {
		r.do(r.m.CallTool(r.now, "a", "t", args, manager.RequestOptions{}))
		r.do(r.m.GetPrompt(r.now, "a", "p", args, manager.RequestOptions{}))
		if got := sent(r.out, "a")[0]; strings.Contains(got, "arguments") {
			t.Error(got)
		}
	}
	r.do(r.m.GetPrompt(r.now, "a", `p"`, `{ "x" : "1"}`, manager.RequestOptions{}))
	if got := sent(r.out, "a")[0]; !strings.Contains(got, `"params":{"name":"p\"","arguments":{ "x" : "1"}}`) {
		t.Error(got)
	}
	for args, kind := range map[protocol.Raw]string{`[1]`: "array", `"x"`: "string", `1`: "number", `true`: "boolean", `{`: "JSON"} {
		_, _, err := r.m.CallTool(r.now, "nobody", "t", args, manager.RequestOptions{})
		_, _, err2 := r.m.GetPrompt(r.now, "nobody", "t", args, manager.RequestOptions{})
		if !errors.Is(err, lifecycle.ErrParams) || !errors.Is(err2, lifecycle.ErrParams) || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: %v, %v", args, err, err2)
		}
	}
	if _, _, err := r.m.GetPrompt(r.now, "nobody", "t", `{"x":1}`, manager.RequestOptions{}); !errors.Is(err, lifecycle.ErrParams) || !strings.Contains(err.Error(), "number") {
		t.Error(err)
	}
}

// Row B19: a reference has a type and a name, or it is refused before a server is looked up;
// context goes out.
func TestComplete(t *testing.T) {
	r := one(t, manager.Options{})
	for _, ref := range []protocol.Reference{{}, protocol.PromptReference(""), protocol.ResourceReference(""), {Type: "ref/other", Name: "x"}} {
		p := protocol.CompleteParams{Ref: ref, Argument: protocol.CompleteArgument{Name: "n", Value: "v"}}
		if _, _, err := r.m.Complete(r.now, "nobody", p, manager.RequestOptions{}); !errors.Is(err, lifecycle.ErrParams) {
			t.Errorf("%+v: %v", ref, err)
		}
	}
	p := protocol.CompleteParams{
		Ref: protocol.PromptReference("p"), Argument: protocol.CompleteArgument{Name: "n", Value: "v"},
		Context: &protocol.CompleteContext{Arguments: map[string]string{"other": "1"}},
	}
	r.do(r.m.Complete(r.now, "a", p, manager.RequestOptions{}))
	if got := sent(r.out, "a")[0]; !strings.Contains(got, `"context":{"arguments":{"other":"1"}}`) {
		t.Error(got)
	}
}

// Rows B12, E20, E21, F7: at the deadline the operation ends, the server is
// told with the id of the request, and a late answer reaches nobody.
func TestTimeout(t *testing.T) {
	r := one(t, manager.Options{})
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	id := jsonrpc.Int(lastID(t, r.out)).String()
	m, out := r.m.Tick(t0.Add(30*time.Second - 1))
	if _, n := ended(out, op); n != 0 || m.Pending() != 1 {
		t.Fatal("ended too early")
	}
	r.sleep(30 * time.Second)
	class(t, done(t, r.out, op).Err, manager.ClassTimeout)
	if got := sent(r.out, "a"); len(got) != 1 || !strings.Contains(got[0], "notifications/cancelled") || !strings.Contains(got[0], `"requestId":`+id) {
		t.Error(got)
	}
	out = r.say("a", `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[]}}`)
	if _, n := ended(out, op); n != 0 {
		t.Error("a late answer ends it again")
	}
	// A time of its own, and none at all.
	op = r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: time.Second})).Op
	forever := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})).Op
	r.sleep(time.Second)
	done(t, r.out, op)
	r.sleep(300 * time.Hour)
	if _, n := ended(r.all, forever); n != 0 || r.m.Pending() != 1 {
		t.Error("it ended")
	}
	if _, _, err := r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Timeout: -2}); err == nil {
		t.Error("a negative timeout")
	}
}

// Row B2: progress restarts the time, up to Maximum. It comes with its operation (row B25).
func TestProgress(t *testing.T) {
	r := one(t, manager.Options{})
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{
		Timeout: 10 * time.Second, Maximum: 15 * time.Second, ResetOnProgress: true,
	})).Op
	id := jsonrpc.Int(lastID(t, r.out)).String()
	r.sleep(9 * time.Second)
	out := r.say("a", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+id+`,"progress":1}}`)
	if evs := events(out, manager.SessionEvent); len(evs) != 1 || evs[0].Op != op || evs[0].Session.Kind != lifecycle.ProgressReceived {
		t.Fatalf("%s", render(out, t0))
	}
	r.sleep(5 * time.Second)
	if r.m.Pending() != 1 {
		t.Fatal("progress has not extended it")
	}
	r.sleep(time.Second)
	class(t, done(t, r.out, op).Err, manager.ClassTimeout)
}

// Rows B21, E20: what is on its way is cancelled with its id; without it nothing is sent.
func TestCancel(t *testing.T) {
	r := one(t, manager.Options{})
	op := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	id := jsonrpc.Int(lastID(t, r.out)).String()
	out := r.do(r.m.Cancel(r.now, op, "enough"))
	class(t, done(t, out, op).Err, manager.ClassCancelled)
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], `"requestId":`+id+`,"reason":"enough"`) {
		t.Error(got)
	}
	for _, op := range []manager.Op{op, {}, manager.OpOf(99)} {
		if _, out, err := r.m.Cancel(r.now, op, ""); !errors.Is(err, lifecycle.ErrGone) || !out.IsZero() {
			t.Errorf("%v: %v", op, err)
		}
	}
	list := r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{})).Op
	class(t, done(t, r.do(r.m.Cancel(r.now, list, "")), list).Err, manager.ClassCancelled)
	ping := r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op
	class(t, done(t, r.do(r.m.Cancel(r.now, ping, "")), ping).Err, manager.ClassCancelled)
	health := r.take(r.m.HealthCheck(r.now)).Op
	class(t, done(t, r.do(r.m.Cancel(r.now, health, "")), health).Err, manager.ClassCancelled)
	for _, op := range []manager.Op{r.do(r.m.Connect(r.now, "b", manager.Options{})).Op, r.take(r.m.Disconnect(r.now, "a")).Op} {
		if _, _, err := r.m.Cancel(r.now, op, ""); !errors.Is(err, lifecycle.ErrPhase) {
			t.Errorf("%v: %v", op, err)
		}
	}
	// Replaces cancels too; the zero Op and one of another server replace nothing.
	r = one(t, manager.Options{})
	first := r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{})).Op
	out = r.do(r.m.CallTool(r.now, "a", "t", "", manager.RequestOptions{Replaces: first}))
	class(t, done(t, out, first).Err, manager.ClassCancelled)
	r.connect("b", manager.Options{})
	out = r.do(r.m.CallTool(r.now, "b", "t", "", manager.RequestOptions{Replaces: out.Op}))
	if len(out.Events) != 0 {
		t.Errorf("%s", render(out, t0))
	}
}

// Row B15: the latency is that between sending and receiving; what is no empty result is told.
func TestPing(t *testing.T) {
	r := one(t, manager.Options{})
	op := r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op
	r.sleep(40 * time.Millisecond)
	ev := done(t, r.m2(`"result":{"extra":1}`), op)
	if ev.Err != nil || ev.Latency != 40*time.Millisecond {
		t.Errorf("%+v", ev)
	}
	if s, _ := r.m.Status("a"); s.Latency != 40*time.Millisecond {
		t.Error(s.Latency)
	}
	op = r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op
	class(t, done(t, r.m2(`"result":[]`), op).Err, manager.ClassProtocol)
	op = r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op
	class(t, done(t, r.m2(`"error":{"code":-32601,"message":"no"}`), op).Err, manager.ClassProtocol)
	op = r.do(r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{})).Op
	r.sleep(10 * time.Second)
	class(t, done(t, r.out, op).Err, manager.ClassTimeout)
	if _, _, err := r.m.Request(r.now, "b", protocol.PingParams{}, manager.RequestOptions{}); !errors.Is(err, manager.ErrUnknownServer) {
		t.Error(err)
	}
}

// m2 answers the request with the highest id that server a has open.
func (r *rig) m2(result string) manager.Effects {
	r.t.Helper()
	s, _ := r.m.Client("a")
	var id jsonrpc.ID
	for q := range s.Outbound() {
		id = q.ID
	}
	return r.say("a", `{"jsonrpc":"2.0","id":`+id.String()+`,`+result+`}`)
}

// Row B16: contents come as they are, and a resource that does not exist is named.
func TestReadResource(t *testing.T) {
	r := one(t, manager.Options{})
	op := r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "file:///x"}, manager.RequestOptions{})).Op
	body := `{"contents":[{"uri":"file:///x","text":"1"}]}`
	if ev := done(t, r.answer("a", `"result":`+body), op); string(ev.Session.Body) != body {
		t.Errorf("%+v", ev)
	}
	for data, want := range map[string]string{`,"data":{"uri":"file:///y"}`: "file:///y", ``: "file:///x"} {
		op = r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "file:///x"}, manager.RequestOptions{})).Op
		e := class(t, done(t, r.answer("a", `"error":{"code":-32002,"message":"no"`+data+`}`), op).Err, manager.ClassProtocol)
		if e.URI != want || e.Code != -32002 {
			t.Errorf("%+v", e)
		}
	}
	op = r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "file:///x"}, manager.RequestOptions{})).Op
	if e := class(t, done(t, r.answer("a", `"error":{"code":-32602,"message":"no","data":{"uri":"file:///y"}}`), op).Err, manager.ClassProtocol); e.URI != "" {
		t.Errorf("of invalid params in a session: %+v", e)
	}
}
