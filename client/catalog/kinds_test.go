package catalog

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// two are servers that list something of each kind, and the same.
func two() map[string]*fake {
	return map[string]*fake{
		"a": {lists: [kinds][]string{{"x"}, {"file:///x", "file:///a"}, {"file:///{p}"}, {"ask"}}},
		"b": {lists: [kinds][]string{{"x", "y"}, {"file:///x"}, {"file:///{p}"}, {"ask", "b"}}},
	}
}

// Lists of all kinds are read and named: tools and prompts by Policy.Names, resources and templates by
// Policy.URIs. A uri that two servers list is that of the first, and the other's is qualified.
func TestNamesOfKinds(t *testing.T) {
	for name, c := range map[string]struct {
		policy naming.Policy
		want   [kinds]string
	}{
		"auto":  {naming.Policy{}, [kinds]string{"mcp.a.x mcp.b.x mcp.b.y", "file:///x file:///a b+file:///x", "file:///{p} b+file:///{p}", "mcp.a.ask mcp.b.ask mcp.b.b"}},
		"plain": {naming.Policy{Names: naming.Plain}, [kinds]string{"x mcp.b.x y", "file:///x file:///a b+file:///x", "file:///{p} b+file:///{p}", "ask mcp.b.ask b"}},
		"names alone": {naming.Policy{Names: naming.Always}, [kinds]string{
			"mcp.a.x mcp.b.x mcp.b.y", "file:///x file:///a b+file:///x", "file:///{p} b+file:///{p}", "mcp.a.ask mcp.b.ask mcp.b.b",
		}},
		"hidden": {naming.Policy{Names: naming.Plain, OnConflict: naming.Hidden}, [kinds]string{
			"x y", "file:///x file:///a b+file:///x", "file:///{p} b+file:///{p}", "ask b",
		}},
		"always": {naming.Policy{Names: naming.Always, URIs: naming.Always}, [kinds]string{
			"mcp.a.x mcp.b.x mcp.b.y", "a+file:///x a+file:///a b+file:///x", "a+file:///{p} b+file:///{p}", "mcp.a.ask mcp.b.ask mcp.b.b",
		}},
	} {
		w := start(t, Config{Naming: c.policy, Sources: sources("a", "b")}, two())
		for k, of := range protocol.Lists() {
			if got := w.names(of); got != c.want[k] {
				t.Errorf("%s: the %s are %q, want %q", name, of.Member, got, c.want[k])
			}
			for i := range w.c.Items(of, true) {
				if got, ok := w.c.Lookup(of, i.ID); !ok || got.Number != i.Number || got.Kind != of {
					t.Errorf("%s: %q is %+v, %v", name, i.ID, got, ok)
				}
				if got, ok := w.c.Lookup(of, i.Name); i.Name != "" && (!ok || got.Number != i.Number) {
					t.Errorf("%s: %q is %+v, %v", name, i.Name, got, ok)
				}
			}
		}
		if w.c.Len() != 11 {
			t.Errorf("%s: %d items", name, w.c.Len())
		}
	}
}

// A name is looked for among the items of its kind alone, and of the kinds that are read.
func TestKindsApart(t *testing.T) {
	w := start(t, Config{Naming: naming.Policy{Names: naming.Plain}, Sources: sources("a", "b"), Kinds: []*protocol.List{protocol.PromptList, protocol.ResourceList}}, two())
	if got := w.servers["a"].asked; got != [kinds]int{0, 1, 0, 1} {
		t.Errorf("lists were read: %v", got)
	}
	for name, of := range map[string]*protocol.List{"x": protocol.ToolList, "ask": protocol.ResourceList, "file:///x": protocol.PromptList, "file:///a": new(protocol.List)} {
		if i, ok := w.c.Lookup(of, name); ok {
			t.Errorf("%q is %+v", name, i)
		}
	}
	if _, ok := w.c.Status(protocol.ToolList, "a"); ok {
		t.Error("there is a Status of a list that is not read")
	}
	if _, err := New(Config{Kinds: []*protocol.List{{Member: "x"}}}, t0); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}

// An announcement has the lists read again that it is about; that of resources those of templates too.
func TestKindsAnnounced(t *testing.T) {
	w := start(t, Config{Sources: sources("a"), MinInterval: time.Second}, two())
	w.sleep(time.Minute)
	for what, want := range map[string][kinds]int{"tools": {1, 0, 0, 0}, "resources": {0, 1, 1, 0}, "prompts": {0, 0, 0, 1}} {
		w.servers["a"].asked = [kinds]int{}
		w.say("a", what)
		w.sleep(time.Minute)
		if got := w.servers["a"].asked; got != want {
			t.Errorf("%s: lists were read %v times, want %v", what, got, want)
		}
	}
}

// A server that does not know the method of a list has none, and is not asked again by itself; the
// others of its lists are there.
func TestKindsWithout(t *testing.T) {
	servers := two()
	servers["a"].none = []int{ofTemplates}
	w := start(t, Config{Sources: sources("a")}, servers)
	w.sleep(time.Minute)
	st, _ := w.c.Status(protocol.TemplateList, "a")
	if st.Failures != 0 || st.Stale || servers["a"].asked[ofTemplates] != 1 || w.names(protocol.ResourceList) != "file:///x file:///a" {
		t.Errorf("%+v, asked %v, %q", st, servers["a"].asked, w.names(protocol.ResourceList))
	}
}

// What a server listed is off the lists of all kinds while it is away under naming.Hide, its names stay
// its own, and one list that is read again is shown although others are not.
func TestKindsLost(t *testing.T) {
	w := start(t, Config{Naming: naming.Policy{Names: naming.Plain}, Sources: sources("a", "b")}, two())
	a := w.servers["a"]
	a.slow = true
	w.lose("a")
	if got := w.names(protocol.ToolList) + ", " + w.names(protocol.ResourceList); got != "mcp.b.x y, b+file:///x" {
		t.Error(got)
	}
	if i, ok := w.c.Lookup(protocol.ResourceList, "file:///x"); !ok || i.Server != "a" || i.Health != Unavailable {
		t.Errorf("%+v, %v", i, ok)
	}
	w.sleep(2 * time.Second)
	if len(a.held) != kinds {
		t.Fatalf("%d lists are asked for", len(a.held))
	}
	held := a.held
	a.slow, a.held = false, nil
	w.report(manager.Report{Kind: manager.Received, Link: a.link, Message: messageOf(a.answer(held[0]))})
	if got := w.names(protocol.ToolList) + ", " + w.names(protocol.ResourceList); got != "x mcp.b.x y, b+file:///x" {
		t.Error(got)
	}
}

// Seek reads the list of the kind that is asked for, and no other.
func TestKindsSeek(t *testing.T) {
	w := start(t, Config{Lazy: true, Naming: naming.Policy{Names: naming.Plain}, Sources: sources("a", "b")}, two())
	c, m, found, u := w.c.Seek(w.m, w.now, protocol.PromptList, "b", time.Time{})
	if len(found.Waits) != 2 || found.Err != nil {
		t.Errorf("%+v", found)
	}
	w.take(c, m, u)
	for _, f := range w.servers {
		if f.asked != [kinds]int{0, 0, 0, 1} {
			t.Errorf("lists were read: %v", f.asked)
		}
	}
	if _, _, found, _ = w.c.Seek(w.m, w.now, protocol.PromptList, "b", time.Time{}); found.Item.Server != "b" || !w.c.Settled(protocol.PromptList, "b", w.now) || w.c.Settled(protocol.ToolList, "b", w.now) {
		t.Errorf("%+v", found)
	}
	if _, _, found, _ = w.c.Seek(w.m, w.now, protocol.ResourceList, "B+file:///x", time.Time{}); len(found.Waits) != 1 || found.Waits[0] != "b" {
		t.Errorf("%+v", found)
	}
	if _, _, found, _ = w.c.Seek(w.m, w.now, nil, "b", time.Time{}); !errors.Is(found.Err, ErrUnknown) {
		t.Errorf("%+v", found)
	}
}

// A server that is detached leaves nothing behind, and attached again its items are there again.
func TestKindsDetached(t *testing.T) {
	w := start(t, Config{Sources: sources("a", "b")}, two())
	for _, name := range []string{"a", "b"} {
		c, m, u, err := w.c.Detach(w.m, w.now, name)
		if err != nil {
			t.Fatal(err)
		}
		w.take(c, m, u)
	}
	if w.c.Len() != 0 || w.c.names.t.Len() != 0 || w.c.ops.Len() != 0 {
		t.Errorf("%d items, %d names", w.c.Len(), w.c.names.t.Len())
	}
	c, m, u, err := w.c.Attach(w.m, w.now, Source{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	w.take(c, m, u)
	if i, ok := w.c.Lookup(protocol.ResourceList, "b+file:///x"); !ok || i.Name != "file:///x" {
		t.Errorf("%+v, %v", i, ok)
	}
}

// Items that are not valid are told of with the list that they are on, and a local tool is no item of
// another kind.
func TestKindsDropped(t *testing.T) {
	servers := two()
	servers["a"].lists[3] = []string{"ask", `{"title":"no name"}`, "ask"}
	w := start(t, Config{Sources: sources("a"), Local: []protocol.Tool{{Name: "own", InputSchema: `{"type":"object"}`}}}, servers)
	for _, ch := range w.all {
		want := 0
		if ch.Kind == protocol.PromptList && ch.Added != nil {
			want = 2
		}
		if len(ch.Dropped) != want {
			t.Errorf("of the %s are dropped %+v", ch.Kind.Member, ch.Dropped)
		}
		if want == 2 && (!errors.Is(ch.Dropped[0].Err, ErrItem) || !conflicts(ch.Dropped[1].Err)) {
			t.Errorf("%+v", ch.Dropped)
		}
	}
	if _, ok := w.c.Lookup(protocol.PromptList, "own"); ok {
		t.Error("a local tool is a prompt")
	}
	if _, ok := w.c.Lookup(protocol.ToolList, "own"); !ok || w.names(protocol.PromptList) != "ask" {
		t.Errorf("%q", w.names(protocol.PromptList))
	}
}
