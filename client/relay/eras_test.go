package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// statelessClient has the client ask without a session, and the relay serve it.
func statelessClient(w *world) {
	w.cc.Revisions, w.down.Revisions = protocol.AllRevisions(), protocol.AllRevisions()
}

// statelessServers has the servers serve without a session, and the relay ask so.
func statelessServers(w *world) {
	w.cfg.Manager.Client.Revisions = protocol.AllRevisions()
	for _, p := range w.peers {
		p.cfg.Revisions = protocol.AllRevisions()
	}
}

// cells are the eras of the client and of the servers.
var cells = map[string][]option{
	"session to sessions":    nil,
	"stateless to sessions":  {statelessClient},
	"session to stateless":   {statelessServers},
	"stateless to stateless": {statelessClient, statelessServers},
}

// inCells runs a test in all four.
func inCells(t *testing.T, names []string, do func(t *testing.T, w *world), more ...option) {
	for cell, options := range cells {
		t.Run(cell, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, names, append(append(options[:len(options):len(options)], more...), as)...)
				if w.s.Revision().IsZero() != strings.HasPrefix(cell, "stateless") {
					t.Fatal(w.s.Revision())
				}
				do(t, w)
			})
		})
	}
}

// The forms that servers ask in.
const (
	askName  = `{"message":"who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}`
	sayName  = `{"action":"accept","content":{"n":"ada"}}`
	sayRoots = `{"roots":[{"uri":"file:///a"}]}`
)

// asksBoth has a server ask for a name and for roots within the call that it holds.
func (w *world) asksBoth(name string) {
	w.t.Helper()
	p, form := w.peers[name], protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}
	if p.s.Revision().IsZero() {
		w.on(name)(p.s.Respond(w.now, w.held(name), &protocol.InputRequired{
			Questions: []protocol.Question{{Key: "name", Params: form}, {Key: "roots", Params: protocol.ListRootsParams{}}}, State: "s",
		}))
		return
	}
	w.asks(name, form, w.held(name))
	w.asks(name, protocol.ListRootsParams{}, w.held(name))
}

// questions returns what the client was asked and has not answered, by method.
func (w *world) questions() map[string]client.Event {
	open := map[string]client.Event{}
	for _, ev := range w.got {
		if ev.Kind == lifecycle.RequestReceived {
			for c := range w.c.Inbound() {
				if c.Call == ev.Call {
					open[ev.Method] = ev
				}
			}
		}
	}
	return open
}

// told returns what a server was told: the results of its requests, or the answers that the call brings.
func (w *world) told(name string) (list string) {
	for _, ev := range w.peers[name].heard {
		if ev.Kind == lifecycle.ResponseReceived {
			list += string(ev.Body)
		}
	}
	p := w.peers[name]
	if in, _ := protocol.ReadResponses(p.calls[len(p.calls)-1].Body); in != nil {
		list += string(in.Results["name"]) + string(in.Results["roots"])
	}
	return list
}

// What a server asks within a call reaches the client, and the answers reach the server, whatever the eras of
// both are.
func TestQuestionsInAllCells(t *testing.T) {
	inCells(t, []string{"left", "right"}, func(t *testing.T, w *world) {
		w.list("tools/list")
		req := w.call("left-slow")
		w.asksBoth("left")
		for _, q := range []struct{ method, answer string }{{protocol.MethodElicitationCreate, sayName}, {protocol.MethodRootsList, sayRoots}} {
			ev, asked := w.questions()[q.method]
			if !asked {
				t.Fatalf("nobody asks %s\n%s", q.method, strings.Join(w.lines, "\n"))
			}
			w.answer(ev.Call, jsonrpc.Raw(q.answer))
		}
		if got := w.told("left"); got != sayName+sayRoots {
			t.Fatalf("the server was told %s\n%s", got, strings.Join(w.lines, "\n"))
		}
		w.on("left")(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("done")))
		if got := w.result(req); !strings.Contains(got, "done") {
			t.Error(got)
		}
		if n := len(w.questions()); n > 0 {
			t.Error(n)
		}
	})
}

// parkedWorld is one in which the client owes answers to one call, and another ended while it did.
func parkedWorld(t tb) *world {
	w := newWorld(t, []string{"left", "right", "third"}, statelessClient, func(w *world) { w.cfg.Manager.Client.Limits.Inbound = 8 })
	w.list("tools/list")
	for _, name := range []string{"left", "right", "third"} {
		w.call(name + "-slow")
		w.asks(name, protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}, w.held(name))
	}
	w.asks("left", protocol.ListRootsParams{}, w.held("left"))
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
	for _, bad := range []string{"x", number, "0" + number, state + "0", strings.ToUpper(state) + " ", "18446744073709551616" + number, state[:len(state)-len(number)]} {
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
			if line := w.lines[len(w.lines)-1]; strings.Contains(line, "the client takes no more requests") {
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

// A server that has several calls open, or none, cannot ask a client without a session; nor can one that asks what
// the client did not declare for the call.
func TestQuestionsOfNoCall(t *testing.T) {
	form := protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}
	w := newWorld(t, []string{"left", "right"}, statelessClient)
	w.list("tools/list")
	for open := range 3 {
		if open != 1 {
			w.asks("left", form, server.Call{})
			if got := w.last("relay>left", "error"); !strings.Contains(got, "-32603") {
				t.Errorf("%d open: %s", open, got)
			}
		}
		w.call("left-slow")
	}
	w = newWorld(t, []string{"left"}, statelessClient)
	w.list("tools/list")
	w.raw(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"left-slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	w.asks("left", form, w.held("left"))
	w.last("relay>left", "-32601")
}

// What a client without a session says of itself in its requests stays here, and its log level is told to servers in
// the way of their era.
func TestEnvelopeStays(t *testing.T) {
	inCells(t, []string{"left"}, func(t *testing.T, w *world) {
		stateless := w.s.Revision().IsZero()
		if stateless {
			w.raw(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"left-slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"me","version":"7"},"io.modelcontextprotocol/logLevel":"info","keep":1}}}`)
		} else {
			w.ask("logging/setLevel", `{"level":"info"}`)
			w.request(protocol.CallToolParams{Name: "left-slow", Meta: `{"keep":1}`}, client.RequestOptions{})
		}
		got := w.last("relay>left", "tools/call")
		if strings.Contains(got, `"me"`) || !strings.Contains(got, `"keep":1`) {
			t.Error(got)
		}
		p := w.peers["left"]
		if in := strings.Contains(got, `logLevel":"info"`); in != p.s.Revision().IsZero() {
			t.Error(got)
		}
		if !p.s.Revision().IsZero() {
			w.last("relay>left", `"logging/setLevel","params":{"level":"info"}`)
		}
		for _, level := range []protocol.LoggingLevel{"debug", "warning"} {
			s, out, err := p.s.Notify(w.now, protocol.LoggingMessageParams{Level: level, Data: jsonrpc.Raw(`"` + string(level) + `"`)}, w.held("left"))
			if err != nil {
				t.Fatal(err)
			}
			w.serve(p)(s, out)
		}
		w.last("relay>client", `"level":"warning"`)
		if strings.Contains(strings.Join(w.lines, "\n"), `"level":"debug"`) {
			t.Error(strings.Join(w.lines, "\n"))
		}
	}, func(w *world) { w.peers["left"].cfg.Logging = true })
}

// Progress, a cancellation and changes of lists cross in all four cells.
func TestNewsInAllCells(t *testing.T) {
	inCells(t, []string{"left"}, func(t *testing.T, w *world) {
		w.list("tools/list")
		if w.s.Revision().IsZero() {
			w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true}}, noTimeout)
		}
		req := w.request(protocol.CallToolParams{Name: "left-slow"}, client.RequestOptions{Progress: true})
		w.on("left")(noReq(w.peers["left"].s.Progress(w.now, w.held("left"), protocol.ProgressParams{Progress: 0.5})))
		w.last("relay>client", "notifications/progress")
		c, out, err := w.c.Cancel(w.now, req, "enough")
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		w.last("relay>left", "notifications/cancelled")

		p := w.peers["left"]
		p.h.Tool(protocol.Tool{Name: "another", InputSchema: `{"type":"object"}`}, echo("left"))
		catalog, err := p.h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		w.on("left")(noReq(p.s.SetCatalog(w.now, catalog)))
		w.pass(time.Second)
		w.serve(p)(p.s.Tick(w.now)) // which announces it
		w.pass(time.Minute)
		if n := w.count(protocol.ToolList.Changed); n != 1 {
			t.Errorf("%d\n%s", n, strings.Join(w.lines, "\n"))
		}
		if got := w.ask("tools/list", ""); !strings.Contains(got, `"another"`) {
			t.Error(got)
		}
	})
}
