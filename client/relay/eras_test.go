package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
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
	if in, _ := protocol.ReadResponses(p.calls[len(p.calls)-1].Body, jsonrpc.Span{}); in != nil {
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

		w.listsMore("left", "another")
		if n := w.count(protocol.ToolList.Changed); n != 1 {
			t.Errorf("%d\n%s", n, strings.Join(w.lines, "\n"))
		}
		if got := w.ask("tools/list", ""); !strings.Contains(got, `"another"`) {
			t.Error(got)
		}
	})
}

// listsMore has a server list one tool more, and lets that be known.
func (w *world) listsMore(name, tool string) {
	w.t.Helper()
	p := w.peers[name]
	p.h.Tool(protocol.Tool{Name: tool, InputSchema: `{"type":"object"}`}, echo(name))
	catalog, err := p.h.Catalog()
	if err != nil {
		w.t.Fatal(err)
	}
	w.on(name)(noReq(p.s.SetCatalog(w.now, catalog)))
	w.pass(time.Second)
	w.serve(p)(p.s.Tick(w.now)) // which announces it
	w.pass(time.Minute)
}

// A client without a session that listens is told of lists that have changed since it asked for them, once, and of
// no others. Until then nothing is due, in a Relay that moves as in one that stays.
func TestListenAfterAChange(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left"}, statelessClient, resources, as)
		w.list("tools/list")
		w.list("prompts/list")
		w.listsMore("left", "another")
		for _, want := range []int{1, 1} {
			w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true}}, noTimeout)
			w.pass(time.Second)
			if n := w.count(protocol.ToolList.Changed); n != want {
				t.Errorf("%d, want %d\n%s", n, want, strings.Join(w.lines, "\n"))
			}
		}
		if n := w.count(protocol.PromptList.Changed); n != 0 {
			t.Error(n)
		}
	})
}

// News of resources reaches a client without a session by its subscriptions, in the names that it knows; servers are
// subscribed to once, and no longer than somebody listens.
func TestListenToResources(t *testing.T) {
	for cell, options := range cells {
		if !strings.HasPrefix(cell, "stateless") {
			continue
		}
		t.Run(cell, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"left", "right"}, append(options[:len(options):len(options)], as, resources)...)
				listen := func(uris ...string) client.Req {
					return w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ResourceSubscriptions: uris}}, noTimeout)
				}
				update := func(name, uri string) (told string) {
					w.got = nil
					w.on(name)(w.peers[name].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: uri}, server.Call{}))
					for _, ev := range w.got {
						if ev.Method == "notifications/resources/updated" {
							told += rawjson.Text(string(ev.Body), "uri") + " "
						}
					}
					return told
				}
				first := listen("file:///both", "right+file:///both", "own://left", "zz:unknown") // before any server is known
				second := listen("own://left")
				for _, c := range [][3]string{{"left", "file:///both", "file:///both "}, {"right", "file:///both", "right+file:///both "}, {"left", "own://left", "own://left own://left "}} {
					if got := update(c[0], c[1]); got != c[2] {
						t.Errorf("%s, %s: %q", c[0], c[1], got)
					}
				}
				w.kill("right")
				w.pass(time.Minute)
				if got := update("right", "file:///both"); got != "right+file:///both " {
					t.Errorf("after it came back: %q", got)
				}
				stop := func(req client.Req) {
					c, out, err := w.c.Cancel(w.now, req, "")
					if err != nil {
						t.Fatal(err)
					}
					w.client(c, out)
				}
				stop(first)
				if got := update("left", "own://left") + update("right", "file:///both") + update("left", "file:///both"); got != "own://left " {
					t.Errorf("%q", got)
				}
				stop(second)
				w.say("left", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"own://left"}}`)
				if n := w.count("notifications/resources/updated"); n != 0 {
					t.Error(n)
				}
				if p := w.peers["left"]; !p.s.Revision().IsZero() {
					w.last("relay>left", `resources/unsubscribe","params":{"uri":"own://left"}`)
				}
			})
		})
	}
}

// A server without a session that refuses the headers of a call is listed again, from which the transport learns what
// they are to be; the code of one with a session is its own.
//
// rows: HTTP-208
func TestListedAgain(t *testing.T) {
	inCells(t, []string{"left"}, func(t *testing.T, w *world) {
		w.list("tools/list")
		w.pass(time.Minute)
		p, lists := w.peers["left"], 0
		p.slow = "tools/call"
		w.watch = func(_ string, m jsonrpc.Message) {
			if m.Method == "tools/list" {
				lists++
			}
		}
		refused := func(calls int) {
			for range calls {
				req := w.call("left")
				id, _ := p.late[len(p.late)-1].ID.Int64()
				w.say("left", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32020,"message":"m"}}`, id))
				w.fault(req)
			}
		}
		for want := range 3 {
			if lists != want && p.s.Revision().IsZero() || lists > 0 && !p.s.Revision().IsZero() {
				t.Error(lists, "times, want", want)
			}
			refused(5)
			w.pass(time.Minute)
		}
	})
}
