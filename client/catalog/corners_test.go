package catalog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

func messageOf(line string) jsonrpc.Message { return jsonrpc.DecodeString(line) }

// Two names that were cut and are the same in spite of their hashes: the first in the order has
// it, the other is told of, and has its plain name where nobody else does (E8, E9).
func TestCutNamesThatCollide(t *testing.T) {
	for _, policy := range []naming.Conflict{naming.Hidden, naming.Qualified} {
		ts, err := New(Config{Sources: sources("a"), Naming: naming.Policy{Names: naming.Plain, OnConflict: policy, OnLoss: naming.Keep}, Limits: Limits{Dropped: 1}}, t0)
		if err != nil {
			t.Fatal(err)
		}
		var items []*item
		id := naming.Form{}.ID("a", strings.Repeat("x", 200))
		for _, name := range []string{"second", "first", "third"} {
			n := ts.item(ofTools, ts.source(1).owner, name, `{}`)
			n.id, n.cut = id, true // as if
			items = append(items, n)
		}
		l := listOf(ofTools, items, &Filter{})
		s := *ts.source(1)
		s.lists[ofTools].list = l
		ts.set(s)
		var c Change
		ts.install(&c, nil, l)
		if len(c.Dropped) != 1 || c.More != 1 || !conflicts(c.Dropped[0].Err) {
			t.Errorf("%+v", c)
		}
		if b, ok := ts.Lookup(protocol.ToolList, id); !ok || b.Key != "first" || b.Name != id {
			t.Errorf("%+v, %v", b, ok)
		}
		for b := range ts.Items(protocol.ToolList, true) {
			if b.Key != "first" && (b.Name != "" || b.ShadowedBy != (ItemID{Server: "a", Key: "first"})) {
				t.Errorf("%+v", b)
			}
		}
		shown := 0
		for range ts.Items(protocol.ToolList, false) {
			shown++
		}
		if shown != 1 || ts.Check() != nil {
			t.Errorf("%d, %v", shown, ts.Check())
		}
	}
}

// What the session lets through is looked at all the same.
func TestReaderTrustsNobody(t *testing.T) {
	ts, _ := New(Config{}, t0)
	r := reader{of: &owner{}}
	r.read(&ts, []protocol.Raw{`{"name":"x"}`, `7`, `{"name":"y","inputSchema":{"type":"object"}}`})
	if len(r.dropped) != 2 || !errors.Is(r.dropped[1].Err, ErrItem) || len(r.items) != 1 {
		t.Errorf("%+v", r.dropped)
	}
	r = reader{of: &owner{}}
	r.fault(&ts, `{"tools":[{"name":"`+protocol.Raw(strings.Repeat("é", 100))+`"},{"name":"y","inputSchema":{"type":"object"}}]}`)
	if len(r.dropped) != 1 || len(r.dropped[0].Key) > 64 || !strings.HasPrefix(r.dropped[0].Key, "éé") {
		t.Errorf("%+v", r.dropped)
	}
	for _, page := range []protocol.Raw{"", "{}", "[]", `{"tools":5}`, `{"tools":null}`} {
		r = reader{of: &owner{}}
		r.fault(&ts, page)
		if r.dropped != nil {
			t.Errorf("%s: %+v", page, r.dropped)
		}
	}
}

// Check finds what is wrong.
func TestCheck(t *testing.T) {
	w := start(t, Config{
		Kinds: []*protocol.List{protocol.ToolList}, Naming: naming.Policy{Names: naming.Plain}, Sources: sources("a", "b"),
		Local: []protocol.Tool{{Name: "l", InputSchema: `{"type":"object"}`}},
	}, map[string]*fake{"a": {lists: [kinds][]string{{"x"}}}, "b": {slow: true}})
	x := w.c.find(ofTools, "x")
	change := func(do func(s *source)) func(*Catalog) {
		return func(c *Catalog) {
			s := *c.source(1)
			do(&s)
			c.sources = c.sources.Put(1, c.due(&s), &s)
		}
	}
	for name, breaks := range map[string]func(*Catalog){
		"due":           func(c *Catalog) { c.sources = c.sources.Put(1, 0, c.source(1)) },
		"due otherwise": func(c *Catalog) { c.sources = c.sources.Put(1, table.Never-5, c.source(1)) },
		"number":        func(c *Catalog) { c.uid = 0 },
		"not found":     func(c *Catalog) { c.names = c.names.remove(byPlain, "x", x, false) },
		"counted":       func(c *Catalog) { c.listed++ },
		"newest":        func(c *Catalog) { c.nth++ },
		"name too many": func(c *Catalog) { c.names = c.names.add(slot{tag: byPlain, text: "q"}, x) },
		"look-alike":    func(c *Catalog) { c.names = c.names.add(slot{tag: byLook, text: "q"}, x) },
		"order": func(c *Catalog) {
			c.names = c.names.put(slot{tag: byPlain, text: "x", items: []*item{x, c.local.items[0]}})
		},
		"another":         func(c *Catalog) { c.names = c.names.add(slot{tag: byID, text: "x"}, c.local.items[0]) },
		"server":          func(c *Catalog) { c.names = c.names.put(slot{tag: byServer, text: "a", n: 7}) },
		"server too many": func(c *Catalog) { c.names = c.names.put(slot{tag: byServer, text: "q", n: 7}) },
		"listing":         change(func(s *source) { s.lists[ofTools].op = manager.OpOf(99) }),
		"too many":        func(c *Catalog) { cfg := *c.cfg; cfg.Limits.Items = 0; c.cfg = &cfg },
	} {
		c := w.c
		breaks(&c)
		if c.Check() == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// A tool whose name is the qualified one of a server that was there before has it no more after Restore than
// before, whatever the order of the servers. (conformance/explore, catalog/set: "set the servers 1; reply; reply 1")
func TestRestoreGivesAwayNoQualifiedName(t *testing.T) {
	cfg := Config{Sources: sources("a", "b"), Naming: naming.Policy{Names: naming.Plain}}
	w := start(t, cfg, map[string]*fake{"a": {lists: [kinds][]string{{"mcp.b.t"}}}, "b": {lists: [kinds][]string{{"t"}}}})
	back, err := Restore(cfg, w.m, w.c.Snapshot(), w.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Catalog{w.c, back} {
		if i, ok := c.Lookup(protocol.ToolList, "mcp.b.t"); !ok || i.Server != "b" {
			t.Errorf("mcp.b.t is %v, %v", i.Ref(), ok)
		}
	}
}

// Of a server that was lost and came back before the Catalog was told of either, the lists are read again.
func TestBackBeforeItWasMissed(t *testing.T) {
	f := &fake{lists: [kinds][]string{{"x"}}}
	w := start(t, Config{Kinds: []*protocol.List{protocol.ToolList}, Sources: sources("a"), Naming: naming.Policy{Names: naming.Plain}}, map[string]*fake{"a": f})
	f.lists[ofTools] = []string{"y"}
	var all manager.Effects
	m, e := w.m.Report(w.now, manager.Report{Kind: manager.Ended, Link: f.link, Err: errors.New("gone")})
	for range 2 { // what the Manager does until it is ready again, with nobody to hear of it
		w.now = w.now.Add(time.Minute)
		all.Events = append(all.Events, e.Events...)
		all.Actions = append(all.Actions, e.Actions...)
		m, e = m.Tick(w.now)
		for len(e.Actions) > 0 {
			a := e.Actions[0]
			all.Events = append(all.Events, e.Events...)
			r := manager.Report{Kind: manager.Opened, Link: a.Link}
			if a.Kind == manager.ActSend {
				answer := f.answer(string(jsonrpc.Append(nil, a.Out.Message)))
				if answer == "" {
					break
				}
				r = manager.Report{Kind: manager.Received, Link: a.Link, Message: messageOf(answer)}
			}
			f.link = a.Link
			m, e = m.Report(w.now, r)
		}
		if s, _ := m.Status("a"); s.Condition == manager.Ready {
			break
		}
	}
	all.Events = append(all.Events, e.Events...)
	if s, _ := m.Status("a"); s.Condition != manager.Ready || s.Link != f.link {
		t.Fatalf("%+v", s)
	}
	w.manage(m, all)
	w.sleep(0)
	if got := w.names(protocol.ToolList); got != "y" {
		t.Errorf("the tools are %q", got)
	}
}

// A change that is announced while the list is read is read too, once, and of each kind by itself.
func TestAnnouncedWhileRead(t *testing.T) {
	for announced, want := range map[string][kinds]int{"": {1, 1, 1, 1}, "tools": {2, 1, 1, 1}, "prompts": {1, 1, 1, 2}, "resources": {1, 2, 2, 1}} {
		f := &fake{slow: true, lists: [kinds][]string{ofTools: {"x"}}}
		w := start(t, Config{Sources: sources("a"), MinInterval: time.Second}, map[string]*fake{"a": f})
		if announced != "" {
			w.say("a", announced)
			w.say("a", announced)
		}
		w.release("a")
		w.sleep(time.Minute)
		if f.asked != want {
			t.Errorf("%q: read %v times, want %v", announced, f.asked, want)
		}
	}
}
