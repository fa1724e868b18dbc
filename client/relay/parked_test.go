package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// parkedWorld is one in which the client owes answers to one call, and another ended while it did.
func parkedWorld(t tb) *world {
	w := newWorld(t, []string{"left", "right", "third"}, statelessClient, resources, func(w *world) { w.cfg.Manager.Client.Limits.Inbound = 8 })
	w.list("tools/list")
	for _, uris := range [][]string{{"own://left", "zz:unknown"}, {"own://left"}} {
		w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ResourceSubscriptions: uris}}, noTimeout)
	}
	for _, name := range []string{"left", "right", "third"} {
		w.call(name + "-slow")
		w.asks(name, protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}, w.held(name))
	}
	w.asks("left", protocol.ListRootsParams{}, w.held("left"))
	w.on("left")(noReq(w.peers["left"].s.Progress(w.now, w.held("left"), protocol.ProgressParams{Progress: 1, Message: "half"})))
	w.on("right")(w.peers["right"].s.Respond(w.now, w.held("right"), protocol.TextResult("before")))
	w.on("third")(w.peers["third"].s.Fail(w.now, w.held("third"), protocol.InvalidParams("before")))
	return w
}

// parked makes a world of a client without a session, whose call waits for an answer, and returns the call and
// the question.
func parked(t *testing.T, options ...option) (*world, client.Req, client.Event) {
	t.Helper()
	w := newWorld(t, []string{"left", "right"}, append([]option{statelessClient}, options...)...)
	w.list("tools/list")
	req := w.call("left-slow")
	w.asks("left", protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}, w.held("left"))
	ev, asked := w.questions()[protocol.MethodElicitationCreate]
	if !asked {
		t.Fatal(strings.Join(w.lines, "\n"))
	}
	return w, req, ev
}

// last returns the last message from one to another that has a text in it.
func (w *world) last(way, text string) string {
	w.t.Helper()
	for _, line := range slices.Backward(w.lines) {
		if strings.HasPrefix(line, way+" ") && strings.Contains(line, text) {
			return strings.TrimPrefix(line, way+" ")
		}
	}
	w.t.Fatalf("no %s from %s\n%s", text, way, strings.Join(w.lines, "\n"))
	return ""
}

// raw sends a request of a client without a session as it is, and returns the answer.
func (w *world) raw(line string) string {
	w.t.Helper()
	w.lines = append(w.lines, "client>relay "+line)
	n := len(w.lines)
	w.later(func() { w.feed(jsonrpc.DecodeString(line)) })
	for _, line := range w.lines[n:] {
		if answer, is := strings.CutPrefix(line, "relay>client "); is {
			return answer
		}
	}
	return ""
}

// A call that its server ended while the client had a question of it gives what it came to when it is made again,
// and the question is moot.
func TestEndedWhileParked(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(w *world)
		want string
	}{
		"result": {func(w *world) {
			w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("early")))
		}, `"text":"early"`},
		"error": {func(w *world) {
			w.on("left")(w.peers["left"].s.Fail(w.now, w.held("left"), protocol.InvalidParams("no")))
		}, `"message":"no"`},
		"lost": {func(w *world) { w.kill("left") }, `the link to the server was lost; the request may have run`},
		"removed": {func(w *world) {
			w.defs = w.defs[1:]
			r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs)
			if err != nil {
				w.t.Fatal(err)
			}
			w.relay(r, s, eff)
		}, `the link to the server was lost; the request may have run`},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w, req, q := parked(t, as)
				c.end(w)
				if _, over := w.end(req); over {
					t.Fatal("the client was told before it asked")
				}
				w.answer(q.Call, sayName)
				if _, over := w.end(req); !over || !strings.Contains(w.last("relay>client", `"id":4`), c.want) {
					t.Error(strings.Join(w.lines, "\n"))
				}
			})
		})
	}
}

// A Filter that changes while a call is parked counts when the call is made again: what it keeps out does not exist for
// the client, ended or not, and its server is told. What it does not keep out goes on.
func TestFilterWhileParked(t *testing.T) {
	for name, c := range map[string]struct {
		filter      catalog.Filter
		ended, kept bool
	}{
		"denied":           {catalog.Filter{Deny: []catalog.Rule{{Name: "left-slow"}}}, false, true},
		"denied and ended": {catalog.Filter{Deny: []catalog.Rule{{Name: "left-slow"}}}, true, true},
		"not allowed":      {catalog.Filter{Allow: []catalog.Rule{{Name: "left"}}}, false, true},
		"another":          {catalog.Filter{Deny: []catalog.Rule{{Name: "left"}}}, false, false},
		"resources":        {catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ResourceList, Name: "*"}}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w, req, q := parked(t, as)
				w.defs = slices.Clone(w.defs)
				w.defs[0].Filter = c.filter
				r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs)
				if err != nil {
					t.Fatal(err)
				}
				w.relay(r, s, eff)
				finish := func() {
					w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
				}
				if c.ended {
					finish()
				}
				w.answer(q.Call, sayName)
				if !c.kept {
					finish()
					if got := w.result(req); !strings.Contains(got, "done") || w.told("left") != sayName {
						t.Error(got, w.told("left"))
					}
					return
				}
				if e := w.fault(req); e.Code != jsonrpc.CodeInvalidParams || !strings.Contains(e.Message, "unknown tool") || w.told("left") != "" {
					t.Errorf("%+v, the server was told %s", e, w.told("left"))
				}
				w.last("relay>left", `"message":"the client may no longer call it"`)
				if !c.ended {
					w.last("relay>left", protocol.MethodCancelled)
				}
			})
		})
	}
}

// Progress of a call that is parked reaches the client when that makes the call again: in its order, before the
// answer if the call has ended, and the last of it if it is much.
func TestProgressWhileParked(t *testing.T) {
	for name, c := range map[string]struct {
		steps, told int
		ends        bool
	}{"goes on": {3, 3, false}, "ended": {3, 3, true}, "much": {40, 32, false}} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w, req, q := parked(t, as)
				for i := range c.steps {
					w.on("left")(noReq(w.peers["left"].s.Progress(w.now, w.held("left"), protocol.ProgressParams{Progress: float64(i + 1)})))
				}
				finish := func() {
					w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
				}
				if c.ends {
					finish()
				}
				if n := w.count("notifications/progress"); n != 0 {
					t.Fatal(n, "reached a client that has no request open")
				}
				w.answer(q.Call, sayName)
				if !c.ends {
					finish()
				}
				var got []string
				for _, line := range w.lines {
					if strings.Contains(line, `"done"`) && strings.HasPrefix(line, "relay>client ") {
						break
					}
					if strings.HasPrefix(line, "relay>client ") && strings.Contains(line, "notifications/progress") {
						_, line, _ = strings.Cut(line, `"progress":`)
						got = append(got, strings.TrimRight(line, "}"))
					}
				}
				var want []string
				for i := c.steps - c.told; i < c.steps; i++ {
					want = append(want, fmt.Sprint(i+1))
				}
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v\n%s", got, want, strings.Join(w.lines, "\n"))
				}
				if w.last("relay>client", `"done"`); w.result(req) == "" {
					t.Error("no result")
				}
			})
		})
	}
}

// A call that the client does not make again in time is cancelled, and its server gets an error for what it asked.
func TestParkedExpires(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w, _, q := parked(t, as, func(w *world) { w.cfg.CallTimeout = time.Minute })
		w.pass(time.Minute - 1)
		if strings.Contains(strings.Join(w.lines, "\n"), "notifications/cancelled") {
			t.Fatal("too early")
		}
		w.pass(1)
		w.last("relay>left", "the client did not answer in time")
		w.last("relay>left", "notifications/cancelled")
		w.answer(q.Call, sayName)
		w.last("relay>client", "unknown requestState")
	})
}

// A requestState is good for the call that it is of, and until that has ended: not for another tool, another relay,
// a second time, or after a change of it.
//
// rows: MRTR-016
// revisions: 2026-07-28
func TestForgedState(t *testing.T) {
	w, _, q := parked(t)
	state := rawjson.Text(rawText(w.last("relay>client", "input_required"), "result"), "requestState")
	call := func(tool, state string) string {
		return w.raw(`{"jsonrpc":"2.0","id":"` + tool + state + `","method":"tools/call","params":{"name":"` + tool + `","requestState":"` + state +
			`","inputResponses":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`)
	}
	number := state[strings.Index(state, "."):]
	for _, bad := range []string{"x", number, "0" + number, strings.TrimSuffix(state, "1") + "2", state + "0", strings.ToUpper(state) + " ", "18446744073709551616" + number, state[:len(state)-len(number)]} {
		if got := call("left-slow", bad); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "unknown requestState") {
			t.Errorf("%q: %s", bad, got)
		}
	}
	if got := call("right-slow", state); !strings.Contains(got, "unknown requestState") {
		t.Error("of another tool:", got)
	}
	other, _, _ := parked(t, func(w *world) { w.cfg.Manager.Client.HashKey = [16]byte{1} })
	if got := other.raw(w.lines[0][len("client>relay "):]); got == "" {
		t.Error(got)
	}
	w.r, other.r = other.r, w.r // another process gets it
	if got := call("left-slow", state); !strings.Contains(got, "unknown requestState") {
		t.Error("at another relay:", got)
	}
	w.r, other.r = other.r, w.r

	if got := call("left-slow", state); !strings.Contains(got, "input_required") {
		t.Error("made again without answers:", got)
	}
	w.answer(q.Call, sayName)
	if got := call("left-slow", state); !strings.Contains(got, "unknown requestState") {
		t.Error("a second time:", got)
	}
}

func rawText(line, member string) string {
	raw, _ := rawjson.Get(line, member)
	return raw
}

// Parked calls are bounded, in number and bytes: what does not fit is refused to the server that asks.
func TestParkedIsBounded(t *testing.T) {
	long := `{"message":"` + strings.Repeat("m", 1000) + `","requestedSchema":{"type":"object","properties":{}}}`
	for name, c := range map[string]struct {
		held relay.Held
		body string
		fit  int
	}{
		"number": {relay.Held{Requests: 2}, askName, 2},
		"bytes":  {relay.Held{Bytes: 3500}, long, 3},
	} {
		names := []string{"a", "b", "c", "d"}
		w := newWorld(t, names, statelessClient, func(w *world) { w.cfg.Held = c.held })
		w.list("tools/list")
		refused := 0
		for i, name := range names {
			w.call(name + "-slow")
			w.asks(name, protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: jsonrpc.Raw(c.body)}, w.held(name))
			if line := w.lines[len(w.lines)-1]; strings.Contains(line, "the client accepts no more requests") {
				refused++
			} else if i >= c.fit {
				t.Error(name, line)
			}
		}
		if refused != len(names)-c.fit {
			t.Errorf("%s: %d refused", name, refused)
		}
	}
}

// A server that has no call open cannot ask a client without a session, nor can one that has several open which may
// be of several people, nor one that asks what the client did not declare for the call.
func TestQuestionsOfNoCall(t *testing.T) {
	form := protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}
	for _, strangers := range []bool{false, true} {
		w := newWorld(t, []string{"left", "right"}, statelessClient, func(w *world) { w.cfg.Strangers = strangers })
		w.list("tools/list")
		refused := func() bool {
			n := len(w.lines)
			w.asks("left", form, server.Call{})
			return strings.Contains(strings.Join(w.lines[n:], "\n"), "-32603")
		}
		if !refused() {
			t.Error("within no call")
		}
		first, second := w.call("left-slow"), w.call("left-slow")
		if refused() != strangers {
			t.Error("two are open")
		}
		if strangers { // let each have one
			continue
		}
		q := w.questions()[protocol.MethodElicitationCreate]
		if q.Req != first {
			t.Error("not within the oldest")
		}
		for range 2 {
			if refused() {
				t.Error("one is parked")
			}
		}
		if q := w.questions()[protocol.MethodElicitationCreate]; q.Req != second {
			t.Error(q.Req)
		}
	}
	w := newWorld(t, []string{"left"}, statelessClient)
	w.list("tools/list")
	w.raw(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"left-slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	w.asks("left", form, w.held("left"))
	w.last("relay>left", "-32601")
}

// A call has 32 questions open at most.
func TestManyQuestions(t *testing.T) {
	w := newWorld(t, []string{"left"}, statelessClient, func(w *world) { w.cc.Limits.Inbound = 100 })
	w.list("tools/list")
	req := w.call("left-slow")
	for i := range 33 {
		n := len(w.lines)
		w.asks("left", protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}, w.held("left"))
		if refused := strings.Contains(strings.Join(w.lines[n:], "\n"), "the client accepts no more requests"); refused != (i == 32) {
			t.Fatal(i, refused)
		}
	}
	for range 32 {
		w.answer(w.questions()[protocol.MethodElicitationCreate].Call, sayName)
	}
	w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
	if got := w.result(req); !strings.Contains(got, "done") {
		t.Error(got)
	}
}

// A client that did not get the last questions makes the call again with the state before: it is asked again, and what
// it answers to questions that are over answers no other.
func TestEarlierRound(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w, req, q := parked(t, as)
		lost := w.last("relay>client", "input_required")
		w.answer(q.Call, sayName)
		w.asks("left", protocol.ListRootsParams{}, w.held("left"))
		now := w.last("relay>client", "roots/list")
		state := func(line string) string { return rawjson.Text(rawText(line, "result"), "requestState") }
		if state(now) == state(lost) {
			t.Error("the state is the same")
		}
		again := w.raw(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"left-slow","requestState":"` + state(lost) +
			`","inputResponses":{"q2":{"roots":[]}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{},"elicitation":{}}}}}`)
		if !strings.Contains(again, "input_required") || !strings.Contains(again, `"q2"`) {
			t.Error(again)
		}
		w.answer(w.questions()[protocol.MethodRootsList].Call, sayRoots)
		w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
		if got := w.result(req); !strings.Contains(got, "done") || w.told("left") != sayName+sayRoots {
			t.Error(got, w.told("left"))
		}
	})
}
