package relay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// filter gives a server a Filter.
func filter(name string, f catalog.Filter) option {
	return func(w *world) {
		for i := range w.defs {
			if w.defs[i].Name == name {
				w.defs[i].Filter = f
			}
		}
	}
}

// askedFor reports whether a message that mentions a text has reached a server.
func (w *world) askedFor(name, text string) bool {
	return slices.ContainsFunc(w.lines, func(l string) bool { return strings.HasPrefix(l, "relay>"+name+" ") && strings.Contains(l, text) })
}

// What a Filter keeps out is in no list and unknown by each of its names, and its server is asked
// for none of it.
func TestFilter(t *testing.T) {
	for _, servers := range [][]string{{"a"}, {"a", "b"}} {
		both(t, func(t *testing.T, as option) {
			w := newWorld(t, servers, as, resources, filter("a", catalog.Filter{Deny: []catalog.Rule{
				{Kind: protocol.ToolList, Name: "a"},
				{Kind: protocol.ResourceList, Name: "own://a"}, {Kind: protocol.ResourceList, Name: "*secret*"},
				{Kind: protocol.TemplateList, Name: "t-a:*"}, {Kind: protocol.PromptList, Name: "p-a"},
			}}))
			for _, l := range protocol.Lists() {
				for _, name := range w.list(l.Method) {
					if slices.Contains([]string{"a", "own://a", "t-a://{x}", "p-a"}, name) {
						t.Errorf("%s has %q", l.Method, name)
					}
				}
			}
			for _, c := range []struct {
				method, params string
				code           int
			}{
				{"tools/call", `{"name":"a"}`, -32602},
				{"tools/call", `{"name":"mcp.a.a"}`, -32602},
				{"prompts/get", `{"name":"p-a"}`, -32602},
				{"prompts/get", `{"name":"mcp.a.p-a"}`, -32602},
				{"resources/read", `{"uri":"own://a"}`, -32002},
				{"resources/read", `{"uri":"a+own://a"}`, -32002},
				{"resources/read", `{"uri":"A+own://a"}`, -32002},
				{"resources/read", `{"uri":"t-a://1"}`, -32002},
				{"resources/read", `{"uri":"a+t-a://1"}`, -32002},
				{"resources/read", `{"uri":"a+note:///secret"}`, -32002},
				{"resources/read", `{"uri":"a+x:unlisted"}`, -32002},
				{"resources/subscribe", `{"uri":"own://a"}`, -32002},
				{"resources/subscribe", `{"uri":"a+t-a://1"}`, -32002},
				{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p-a"},"argument":{"name":"x","value":""}}`, -32602},
				{"completion/complete", `{"ref":{"type":"ref/prompt","name":"mcp.a.p-a"},"argument":{"name":"x","value":""}}`, -32602},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"t-a://{x}"},"argument":{"name":"x","value":""}}`, -32602},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"a+t-a://{x}"},"argument":{"name":"x","value":""}}`, -32602},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"t-a://1"},"argument":{"name":"x","value":""}}`, -32602},
			} {
				w.lines = nil
				e := w.fault(w.request(protocol.RawRequest{Name: c.method, Body: protocol.Raw(c.params)}, client.RequestOptions{}))
				if int(e.Code) != c.code || strings.Contains(string(e.Data), `"server"`) {
					t.Errorf("%s %s: %+v", c.method, c.params, e)
				}
				if w.askedFor("a", c.method) {
					t.Errorf("%s %s has reached the server", c.method, c.params)
				}
			}
			for _, c := range [][2]string{ // and the rest is there
				{"tools/call", `{"name":"both"}`}, {"tools/call", `{"name":"mcp.a.both"}`}, {"prompts/get", `{"name":"mcp.a.both"}`},
				{"resources/read", `{"uri":"file:///both"}`}, {"resources/read", `{"uri":"a+note:///open"}`},
				{"completion/complete", `{"ref":{"type":"ref/resource","uri":"a+note:///{x}"},"argument":{"name":"x","value":""}}`},
			} {
				w.ask(c[0], c[1])
			}
			if len(servers) > 1 { // the name that the first may not have is free for the second
				if body := w.ask("resources/read", `{"uri":"own://b"}`); !strings.Contains(body, `"b"`) {
					t.Error(body)
				}
			}
		})
	}
}

// A tool that says nothing of itself is not read-only, and one whose list is not known yet is not
// called either.
func TestFilterByAnnotation(t *testing.T) {
	w := newWorld(t, []string{"a"}, func(w *world) {
		w.peers["a"].mute = true
		w.peers["a"].h.Tool(protocol.Tool{Name: "get", InputSchema: `{"type":"object"}`, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: protocol.Ptr(true)}}, echo("a"))
	}, filter("a", catalog.Filter{Allow: []catalog.Rule{{ReadOnly: protocol.Ptr(true)}}}))
	reqs := []client.Req{w.call("a"), w.call("mcp.a.a"), w.call("get"), w.call("mcp.a.get"), w.call("mcp.a.none")}
	for _, req := range reqs {
		if ev, ok := w.end(req); ok {
			t.Errorf("%+v", ev)
		}
	}
	w.speak("a")
	for i, req := range reqs {
		if i == 2 || i == 3 {
			w.result(req)
		} else if e := w.fault(req); e.Code != -32602 {
			t.Errorf("%d: %+v", i, e)
		}
	}
	if got := w.list("tools/list"); !slices.Equal(got, []string{"get"}) {
		t.Errorf("%q", got)
	}
	if w.askedFor("a", "none") || w.askedFor("a", `"name":"a"`) {
		t.Error("the server was asked")
	}
}

// What tools say of themselves is as good as the list it is from: a tool is called by that of an
// earlier session, or by one that has changed, only when the list is read again.
func TestFilterByOldAnnotations(t *testing.T) {
	tool := func(h *server.Handlers, readOnly bool) {
		h.Tool(protocol.Tool{Name: "get", InputSchema: `{"type":"object"}`, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: &readOnly}}, echo("a"))
	}
	changed := func(w *world) { w.say("a", `{"jsonrpc":"2.0","method":"`+protocol.ToolList.Changed+`"}`) }
	for name, change := range map[string]func(w *world){
		"reconnect": func(w *world) { w.kill("a"); w.pass(10 * time.Second) },
		"restart":   func(w *world) { w.relay(must3(w.r.Restart(w.s, w.now, "a"))) },
		"rest":      func(w *world) { w.relay(w.r.Rest(w.s, w.now)) },
		"changed":   changed,
		"reading":   func(w *world) { changed(w); w.pass(2 * time.Second) }, // it was asked for before
	} {
		t.Run(name, func(t *testing.T) {
			for _, readOnly := range []bool{false, true} {
				both(t, func(t *testing.T, as option) {
					w := newWorld(t, []string{"a", "b"}, as, func(w *world) { tool(w.peers["a"].h, true) },
						filter("a", catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, ReadOnly: protocol.Ptr(false)}}}))
					w.pass(time.Minute)
					w.result(w.call("get"))
					p := w.peers["a"]
					p.h = &server.Handlers{}
					tool(p.h, readOnly)
					list, err := p.h.Catalog()
					if err != nil {
						t.Fatal(err)
					}
					p.slow = protocol.ToolList.Method
					change(w)
					if name == "changed" || name == "reading" {
						p.s, _, _ = p.s.SetCatalog(w.now, list) // its announcement is the one above
					}
					w.lines = nil
					reqs := []client.Req{
						w.request(protocol.CallToolParams{Name: "get"}, noTimeout), w.request(protocol.CallToolParams{Name: "mcp.a.get"}, noTimeout),
					}
					w.pass(3 * time.Second)
					if w.askedFor("a", "tools/call") || p.s.Phase() != lifecycle.Ready {
						t.Error("called by what is not known any more")
					}
					p.slow = ""
					w.speak("a")
					w.pass(3 * time.Second)
					for _, req := range reqs {
						if readOnly {
							w.result(req)
						} else if e := w.fault(req); e.Code != -32602 {
							t.Errorf("%+v", e)
						}
					}
					if w.askedFor("a", "tools/call") != readOnly {
						t.Error("called, or not")
					}
				})
			}
		})
	}
}

// A call waits for one list and not for ever: where the server announces without end it is made by the
// list that was read since, and where none can be read it ends.
func TestFilterByAnnotationsThatChange(t *testing.T) {
	w := newWorld(t, []string{"a"}, func(w *world) {
		w.peers["a"].h.Tool(protocol.Tool{Name: "get", InputSchema: `{"type":"object"}`, Annotations: &protocol.ToolAnnotations{ReadOnlyHint: protocol.Ptr(true)}}, echo("a"))
	}, filter("a", catalog.Filter{Allow: []catalog.Rule{{ReadOnly: protocol.Ptr(true)}}}))
	w.pass(time.Minute)
	changed := func() { w.say("a", `{"jsonrpc":"2.0","method":"`+protocol.ToolList.Changed+`"}`) }
	w.peers["a"].slow = protocol.ToolList.Method
	changed()
	req, came := w.request(protocol.CallToolParams{Name: "get"}, noTimeout), w.now
	for n := 0; ; n++ {
		if _, ok := w.end(req); ok {
			break
		}
		if n == 100 {
			t.Fatal("it waits still")
		}
		w.pass(100 * time.Millisecond)
		changed()
		if n%15 == 14 { // so long takes a list
			w.speak("a")
		}
	}
	if w.result(req); w.now.Sub(came) > 4*time.Second {
		t.Error("it waited", w.now.Sub(came))
	}
	w.speak("a")
	w.pass(time.Minute)
	w.relay(must3(w.r.Restart(w.s, w.now, "a")))
	req = w.request(protocol.CallToolParams{Name: "get"}, noTimeout)
	w.pass(defaultHeldTime - 1)
	if _, ok := w.end(req); ok {
		t.Error("it ended early")
	}
	w.pass(1)
	if e := w.fault(req); e.Code != -32603 || !strings.Contains(string(e.Data), `"server":"a"`) {
		t.Errorf("%+v", e)
	}
}

// What is no method of the revision goes to a server with a Filter only by a Route that names it:
// nobody knows that it does not do what the Filter forbids.
func TestFilterOfCustomMethods(t *testing.T) {
	odd := []string{"tools/Call", "tools/call/", "acme/run", "Tools/call", "x"}
	for _, tt := range []struct {
		routes []relay.Route
		f      catalog.Filter
		pass   []string
	}{
		{nil, catalog.Filter{}, odd},
		{nil, catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: "hidden"}}}, nil},
		{nil, catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.PromptList}}}, nil},
		{nil, catalog.Filter{Allow: []catalog.Rule{{}}}, nil},
		{[]relay.Route{{"", "a"}}, catalog.Filter{Deny: []catalog.Rule{{Name: "hidden"}}}, nil},
		{[]relay.Route{{"", "a"}}, catalog.Filter{}, odd},
		{[]relay.Route{{"", "a"}, {"acme/", "a"}, {"x", "a"}}, catalog.Filter{Deny: []catalog.Rule{{Name: "hidden"}}}, []string{"acme/run", "x"}},
	} {
		both(t, func(t *testing.T, as option) {
			w := newWorld(t, []string{"a"}, as, config(relay.Config{Routes: tt.routes}), filter("a", tt.f))
			w.peers["a"].cfg.ServeUnknown = true
			for _, method := range odd {
				want := slices.Contains(tt.pass, method)
				w.lines = nil
				req := w.request(protocol.RawRequest{Name: method, Body: `{"name":"hidden"}`}, noTimeout)
				c, out, err := w.c.Notify(w.now, protocol.RawRequest{Name: method, Body: `{"said":"x"}`}, client.Call{})
				if err != nil {
					t.Fatal(err)
				}
				w.client(c, out)
				if w.askedFor("a", `"hidden"`) != want || w.askedFor("a", `"said"`) != want {
					t.Errorf("%+v: %s passed is not %v", tt, method, want)
				}
				if want {
					continue
				}
				if e := w.fault(req); e.Code != -32601 {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// A Filter that changes counts at once, without a new connection: for lists, calls and updates of
// what was subscribed to before. The caller may change its own copy.
func TestSetFilter(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		deny := []catalog.Rule{{Name: "nothing"}}
		w := newWorld(t, []string{"a", "b"}, as, resources, filter("a", catalog.Filter{Deny: deny}))
		if !w.moves { // which gives its own copy again
			deny[0].Name = "*"
		}
		w.list("tools/list")
		w.result(w.call("a"))
		w.ask("resources/subscribe", `{"uri":"own://a"}`)
		w.ask("resources/subscribe", `{"uri":"file:///both"}`)
		set := func(f catalog.Filter) {
			w.defs = slices.Clone(w.defs)
			w.defs[0].Filter = f
			r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs)
			if err != nil {
				t.Fatal(err)
			}
			w.relay(r, s, eff)
			w.pass(time.Second)
		}
		opens, changed := w.peers["a"].opens, w.count(protocol.ToolList.Changed)
		set(catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: "a"}, {Kind: protocol.ResourceList, Name: "own:*"}}})
		if got := w.count(protocol.ToolList.Changed); got != changed+1 || w.peers["a"].opens != opens {
			t.Errorf("%d announcements, %d connections", got-changed, w.peers["a"].opens)
		}
		if got := w.list("tools/list"); slices.Contains(got, "a") || !slices.Contains(got, "a-slow") {
			t.Errorf("%q", got)
		}
		if e := w.fault(w.call("mcp.a.a")); e.Code != -32602 {
			t.Errorf("%+v", e)
		}
		for _, uri := range []string{"own://a", "file:///both"} {
			w.say("a", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"`+uri+`"}}`)
		}
		if n := w.count("notifications/resources/updated"); n != 1 {
			t.Errorf("%d updates", n)
		}
		set(catalog.Filter{})
		if got := w.list("tools/list"); !slices.Contains(got, "a") {
			t.Errorf("%q", got)
		}
		w.result(w.call("a"))
		if n := len(w.peers["a"].got); w.peers["a"].opens != opens {
			t.Errorf("%d connections, %d messages", w.peers["a"].opens, n)
		}
	})
}

// An update of what does not pass goes no further, though a subscription of what is above it does.
func TestFilterOfUpdates(t *testing.T) {
	w := newWorld(t, []string{"a"}, resources, filter("a", catalog.Filter{Deny: []catalog.Rule{{Name: "note:///private/*"}}}))
	w.ask("resources/subscribe", `{"uri":"note:///"}`)
	for _, uri := range []string{"note:///1", "note:///private/2", "note:///private/3/4"} {
		w.say("a", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"`+uri+`"}}`)
	}
	if n := w.count("notifications/resources/updated"); n != 1 {
		t.Errorf("%d updates", n)
	}
}

// A Filter that cannot be used is an error where it is given: at the start, and with new servers.
func TestFilterIsChecked(t *testing.T) {
	bad := catalog.Filter{Deny: []catalog.Rule{{Name: "["}}}
	w := newWorld(t, []string{"a"})
	defs := []relay.Server{{Name: "a", Definition: "1", Filter: bad}}
	_, err := relay.New(w.cfg, defs, t0)
	_, _, eff, again := w.r.SetServers(w.s, w.now, defs)
	for _, err := range []error{err, again} {
		if !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), `server "a"`) || !strings.Contains(err.Error(), `Deny[0].Name is "["`) {
			t.Error(err)
		}
	}
	if eff.Send != nil || eff.Actions != nil {
		t.Errorf("%+v", eff)
	}
}
