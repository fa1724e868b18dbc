package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// lists has a server list what is given, whatever it is.
func (w *world) lists(name, method, items string) {
	w.t.Helper()
	p, of := w.peers[name], protocol.ListOf(method)
	p.mute, p.late = true, nil
	w.say(name, `{"jsonrpc":"2.0","method":"`+of.Changed+`"}`)
	w.pass(2 * time.Second)
	for _, m := range p.late {
		body := `{"` + of.Member + `":` + items + `}`
		if m.Method != method {
			body = `{"` + protocol.ListOf(m.Method).Member + `":[]}`
		}
		n, _ := m.ID.Int64()
		w.say(name, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, n, body))
	}
	p.mute, p.late = false, nil
}

// An item that is none, or that the revision of the client does not have, costs no other item of
// any server. It is reported once for a listing.
func TestItemsThatDoNotFit(t *testing.T) {
	const icon = `"icons":[{"src":"https://example.com/i.png"}]`
	for method, items := range map[string]struct{ good, odd string }{
		"tools/list": {
			`{"name":"good","inputSchema":{"type":"object"}}`,
			`{"name":"bool","inputSchema":{"type":"object","properties":{"v":true}},"annotations":[],"title":7},{"name":"none"},7,null,{"inputSchema":{"type":"object"}},` +
				`{"name":"new","title":"T","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"optional"},` + icon + `}`,
		},
		"resources/list": {
			`{"uri":"x:good","name":"good"}`,
			`{"uri":"x:odd","name":"odd","size":"much","annotations":7},{"uri":"x:none"},[],{"uri":"x:new","name":"new","title":"T","annotations":{"lastModified":"2025-01-12T15:00:58Z"},` + icon + `}`,
		},
		"resources/templates/list": {
			`{"uriTemplate":"x:{good}","name":"good"}`,
			`{"uriTemplate":"x:{odd}","name":"odd","mimeType":[]},{"uriTemplate":7,"name":"none"},{"uriTemplate":"x:{new}","name":"new","title":"T",` + icon + `}`,
		},
		"prompts/list": {
			`{"name":"good"}`,
			`{"name":"odd","arguments":[{"name":7},{"name":"a","required":"yes"}],"description":{}},{"name":[]},{"name":"new","title":"T","arguments":[{"name":"a","title":"A"}],` + icon + `}`,
		},
	} {
		for _, rev := range protocol.Revisions() {
			t.Run(fmt.Sprint(strings.TrimSuffix(method, "/list"), rev), func(t *testing.T) {
				both(t, func(t *testing.T, as option) {
					w := newWorld(t, []string{"a", "b"}, as, resources, func(w *world) {
						w.cc = client.Config{Info: info, Revisions: []protocol.Revision{rev}} // checks what comes
						w.down.Revisions = []protocol.Revision{rev}
					})
					w.pass(10 * time.Second)
					others := w.list(method)
					w.seen, w.got = nil, nil
					w.lists("b", method, "["+items.good+","+items.odd+"]")
					got := w.list(method)
					if !slices.Contains(got, "good") && !slices.Contains(got, "x:good") && !slices.Contains(got, "x:{good}") {
						t.Errorf("%q", got)
					}
					for _, name := range others {
						if !strings.Contains(name, "b") && !slices.Contains(got, name) {
							t.Errorf("%q is not in %q", name, got)
						}
					}
					for _, ev := range w.got {
						if ev.Kind == lifecycle.Violation {
							t.Errorf("the client finds %s %s: %s", ev.Rule, ev.Method, ev.Body)
						}
					}
					n := 0
					for _, ev := range w.seen {
						if ev.Session.Kind == lifecycle.Violation || ev.Session.Kind == lifecycle.Downgraded {
							n++
							if ev.Link.Server != "b" || ev.Session.Method != method || ev.Session.Rule == "" {
								t.Errorf("%+v", ev)
							}
						}
					}
					if n != 1 {
						t.Errorf("%d reports", n)
					}
					if body := w.ask(method, "{}"); rev.String() < "2025-11-25" && strings.Contains(body, `"icons"`) {
						t.Errorf("a client of %v gets %s", rev, body)
					}
				})
			})
		}
	}
}

// A list with nothing odd in it passes byte for byte, and nothing is reported.
func TestItemsThatFit(t *testing.T) {
	w := newWorld(t, []string{"a"})
	w.pass(10 * time.Second)
	w.seen = nil
	const item = `{ "x":[1e2, {"y":null}],"inputSchema": {"type":"object","properties":{"v":{}}},"name":"good","_meta":{"a/b":1} }`
	w.lists("a", "tools/list", "["+item+"]")
	if body := w.ask("tools/list", "{}"); body != `{"tools":[`+item+`]}` {
		t.Error(body)
	}
	for _, ev := range w.seen {
		t.Errorf("%+v", ev)
	}
}

// A result, and an error, is as the revision of the client has it, and what is lost is reported.
func TestResultsThatDoNotFit(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		w := newWorld(t, []string{"a"}, func(w *world) {
			w.cc = client.Config{Info: info, Revisions: []protocol.Revision{rev}}
			w.down.Revisions = []protocol.Revision{rev}
		})
		w.pass(10 * time.Second)
		req := w.call("a-slow")
		body := `{"content":[{"type":"audio","data":"","mimeType":"audio/wav"},{"type":"resource_link","uri":"x:y","name":"n"}],"structuredContent":{"a":1}}`
		w.on("a")(noReq(w.peers["a"].s.Respond(w.now, w.held("a"), protocol.Raw(body))))
		got := w.result(req)
		if newest := rev.String() >= "2025-06-18"; newest != (got == body) || strings.Contains(got, `"audio"`) != (rev.String() >= "2025-03-26") {
			t.Errorf("%v: %s", rev, got)
		}
		for _, ev := range w.got {
			if ev.Kind == lifecycle.Violation {
				t.Errorf("%v: the client finds %s: %s", rev, ev.Rule, ev.Body)
			}
		}
		req = w.call("a-slow")
		w.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"x","data":{"elicitations":[{"mode":"url","elicitationId":"1","url":"https://x","message":"m"}]}}}`, w.lastID("a")))
		if e := w.fault(req); (e.Code == protocol.CodeURLElicitationRequired) != (rev.String() >= "2025-11-25") {
			t.Errorf("%v: %+v", rev, e)
		}
	}
}

// lastID is the id of the last message that a server got.
func (w *world) lastID(name string) string {
	got := w.peers[name].got
	n, _ := got[len(got)-1].ID.Int64()
	return fmt.Sprint(n)
}
