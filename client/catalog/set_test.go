package catalog

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var plainly = naming.Policy{Names: naming.Plain}

// set gives the world other servers.
func (w *world) set(list ...Source) {
	w.t.Helper()
	c, m, u, err := w.c.Set(w.m, w.now, list)
	if err != nil {
		w.t.Fatal(err)
	}
	w.take(c, m, u)
	w.take(w.c.Tick(w.m, w.now))
}

// Set detaches, attaches and filters; what stays is not read again, and an error changes nothing.
func TestSet(t *testing.T) {
	for _, moves := range []bool{false, true} {
		w := start(t, Config{Sources: sources("a"), Naming: naming.Policy{}}, two())
		w.moves = moves
		w.connect("b")
		if got := w.names(protocol.ToolList); got != "x" {
			t.Errorf("alone: %q", got)
		}
		deny := Filter{Deny: []Rule{{Kind: protocol.ToolList, Name: "y"}}}
		w.set(Source{Name: "a"}, Source{Name: "b", Filter: deny})
		if got := w.names(protocol.ToolList); got != "x mcp.b.x" {
			t.Errorf("with another: %q", got)
		}
		w.all = nil
		w.set(Source{Name: "b"}, Source{Name: "a", Filter: Filter{Deny: []Rule{{Name: "x"}}}})
		if got := w.names(protocol.ToolList); got != "mcp.b.x mcp.b.y" {
			t.Errorf("other Filters: %q", got)
		}
		if len(w.all) != 2 || w.all[0].Added == nil || w.all[1].Removed == nil {
			t.Errorf("%+v", w.all)
		}
		if asked := w.servers["a"].asked; asked != [kinds]int{1, 1, 1, 1} {
			t.Errorf("the lists are read %v times", asked)
		}
		for i, list := range [][]Source{
			{{Name: "c", Filter: Filter{Deny: []Rule{{Name: "["}}}}}, {{Name: "a", Filter: Filter{Deny: []Rule{{Name: "["}}}}},
			sources("a", ""), sources("c", "c"), sources("a", "a"), {{Name: "c", Filter: deny}, {Name: "c"}},
		} {
			c, _, u, err := w.c.Set(w.m, w.now, list)
			if !errors.Is(err, lifecycle.ErrConfig) || errors.Is(err, ErrServer) != (i > 1) || u.Changes != nil || !slices.Equal(c.Sources(), []string{"a", "b"}) {
				t.Errorf("%v, %+v, %q", err, u, c.Sources())
			}
		}
		w.set(Source{Name: "b"})
		if got := w.names(protocol.ToolList); got != "mcp.b.x mcp.b.y" || w.c.Includes("a") {
			t.Errorf("without a: %q", got)
		}
		c, m, _ := w.c.Close(w.m, w.now)
		if _, _, _, err := c.Set(m, w.now, nil); !errors.Is(err, errClosed) {
			t.Error(err)
		}
	}
}

// Where names are given out by Claim, the first server in order has a name of two that came before it, and
// keeps it; who comes later has what is free.
func TestClaim(t *testing.T) {
	servers := two()
	servers["a"].slow = true
	w := start(t, Config{Sources: sources("a", "b"), Naming: plainly, Deferred: true}, servers)
	if got := w.names(protocol.ToolList); got != "mcp.b.x mcp.b.y" {
		t.Errorf("before: %q", got)
	}
	w.release("a")
	w.c = w.c.Claim(protocol.ToolList)
	if got := w.names(protocol.ToolList); got != "x mcp.b.x y" {
		t.Errorf("%q", got)
	}
	w.set(Source{Name: "b"})
	if w.c = w.c.Claim(protocol.ToolList); w.names(protocol.ToolList) != "x y" {
		t.Errorf("free: %q", w.names(protocol.ToolList))
	}
	if c := w.c.Claim(nil); c.Check() != nil {
		t.Error(c.Check())
	}
}

// A plain name that is the qualified one of a server that comes later leads to nothing, and Owner says so;
// of what nobody lists it says whose it would be.
func TestOwner(t *testing.T) {
	servers := two()
	servers["a"].lists[ofTools] = []string{"x", "mcp.b.y"}
	w := start(t, Config{Sources: sources("a"), Naming: plainly}, servers)
	owner := func(name string, want ItemID, known bool) {
		t.Helper()
		if got, ok := w.c.Owner(protocol.ToolList, name); got != want || ok != known {
			t.Errorf("%s is that of %v, %v", name, got, ok)
		}
	}
	owner("mcp.b.y", ItemID{"a", "mcp.b.y"}, true)
	w.connect("b")
	w.set(sources("a", "b")...)
	owner("mcp.b.y", ItemID{}, true)
	owner("mcp.a.mcp.b.y", ItemID{"a", "mcp.b.y"}, true)
	owner("mcp.b.none", ItemID{"b", "none"}, true)
	owner("none", ItemID{}, false)
	if got := w.names(protocol.ToolList); got != "x mcp.a.mcp.b.y mcp.b.x y" {
		t.Errorf("%q", got)
	}
	w.set(sources("a")...)
	owner("mcp.b.y", ItemID{"a", "mcp.b.y"}, true)
	if got, ok := w.c.Owner(protocol.ResourceList, "B+file:///q"); ok {
		t.Error(got)
	}
}

// May goes by the Filter, for uris in each spelling; Match by the templates that are shown, and those that
// were known first.
func TestMayAndMatch(t *testing.T) {
	servers := two()
	servers["a"].lists[ofTemplates] = []string{"file:///{p}", "a{", "big:{a}{b}{c}{d}{e}{f}{g}{h}{i}"}
	w := start(t, Config{Sources: []Source{
		{Name: "a", Filter: Filter{Deny: []Rule{{Kind: protocol.ToolList, Name: "x"}, {Kind: protocol.ResourceList, Name: "file:///a"}}}}, {Name: "b"},
	}}, servers)
	for uri, want := range map[string][2]bool{
		"file:///x": {true, true}, "file:///a": {false, true}, "file:///%61": {false, true}, "file:///q": {true, true}, "note:///q": {false, true},
	} {
		for i, server := range []string{"a", "b"} {
			if w.c.May(protocol.ResourceList, ItemID{server, uri}) != want[i] {
				t.Errorf("%s of %s may be is not %v", uri, server, want[i])
			}
		}
	}
	for id, want := range map[ItemID]bool{{"a", "x"}: false, {"a", "y"}: false, {"b", "none"}: true, {"c", "x"}: false} {
		if w.c.May(protocol.ToolList, id) != want || w.c.May(nil, id) {
			t.Errorf("%v may be is not %v", id, want)
		}
	}
	match := func(uri, server string) {
		t.Helper()
		c, id, ok := w.c.Match(uri)
		if w.c = c; ok != (server != "") || id.Server != server || c.Check() != nil {
			t.Errorf("%s is made by %v, %v", uri, id, ok)
		}
	}
	match("file:///q", "a")
	match("file:///a", "b")
	match("big:123456789", "")
	w.set(sources("b")...)
	match("file:///q", "b")
	w = start(t, Config{Sources: sources("b"), Naming: naming.Policy{URIs: naming.Always}}, servers)
	match("file:///q", "")
}

// Known tells what was read in this session, or could not be, from what was read before.
func TestKnown(t *testing.T) {
	w := start(t, Config{Sources: sources("a"), Kinds: []*protocol.List{protocol.ToolList}, TTL: lifecycle.NoTimeout}, two())
	if w.moves = true; !w.c.Known(protocol.ToolList, "a") || !w.c.Known(protocol.PromptList, "a") || !w.c.Known(protocol.ToolList, "none") {
		t.Error("not known")
	}
	was, _ := w.c.Status(protocol.ToolList, "a")
	w.servers["a"].slow = true
	w.lose("a")
	if w.sleep(time.Minute); w.c.Known(protocol.ToolList, "a") {
		t.Error("known before it is read")
	}
	w.release("a")
	if is, _ := w.c.Status(protocol.ToolList, "a"); !w.c.Known(protocol.ToolList, "a") || is.Version == 0 || was.Version == 0 {
		t.Errorf("%+v, was %+v", is, was)
	}
}

// What passes through has any name and any form; of what has no key nothing is kept.
func TestPassThrough(t *testing.T) {
	servers := map[string]*fake{"a": {lists: [kinds][]string{{"x", "\u200bx", "x"}}}}
	w := start(t, Config{Sources: sources("a"), PassThrough: true, Limits: Limits{Items: 1, Sources: 1}}, servers)
	n := 0
	for _, i := range w.c.ItemsOf(protocol.ToolList, "a", -1) {
		if n++; i.Key != "x" && i.Key != "\u200bx" {
			t.Errorf("%+v", i)
		}
	}
	if w.c.Len() != 2 || n != 2 {
		t.Error(w.c.Len(), n, w.all)
	}
	for range w.c.ItemsOf(protocol.ToolList, "none", 0) {
		t.Error("an item of nobody")
	}
	r := reader{of: &owner{}}
	if r.read(&w.c, []protocol.Raw{`{"name":7}`, `{"name":"é"}`}); len(r.items) != 1 || !errors.Is(r.dropped[0].Err, ErrItem) {
		t.Errorf("%+v", r)
	}
	w.set(sources("a", "b")...)
}

// A snapshot that was damaged is refused, or comes back as a Catalog that is sound.
func TestDamagedSnapshot(t *testing.T) {
	w := start(t, Config{Sources: sources("a", "b"), Naming: plainly, Deferred: true}, two())
	w.c = w.c.Claim(protocol.ToolList)
	w.servers["a"].slow = true
	w.say("a", "tools")
	w.sleep(time.Second)
	data := string(w.c.Snapshot())
	cfg := Config{Sources: sources("a", "b"), Naming: plainly, Deferred: true}
	refused := 0
	for i := range data {
		for _, c := range []string{"", "0", "9", "x", "[]"} {
			for _, deferred := range []bool{true, false} {
				cfg.Deferred = deferred
				c, err := Restore(cfg, w.m, []byte(data[:i]+c+data[i+1:]), w.now)
				if err == nil {
					err = c.Check()
				} else if errors.Is(err, lifecycle.ErrSnapshot) {
					refused++
					continue
				}
				if err != nil {
					t.Fatalf("%v\n%s", err, data)
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d are refused", refused)
	}
	if _, err := Restore(Config{TTL: -3}, w.m, []byte(data), w.now); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	if _, err := json.Marshal(w.c); err == nil {
		t.Error("a Catalog is JSON")
	}
}

// A server that stays has all of its Source anew, member by member: one that is new fails until it is here.
func TestSetReplaces(t *testing.T) {
	others := map[string]Source{
		"TTL": {TTL: time.Second}, "Always": {Always: true}, "Filter": {Filter: Filter{Deny: []Rule{{Name: "x"}}}},
	}
	for i := range reflect.TypeFor[Source]().NumField() {
		field := reflect.TypeFor[Source]().Field(i).Name
		other, ok := others[field]
		if other.Name = "a"; !ok && field != "Name" {
			t.Fatalf("no other %s", field)
		}
		w := start(t, Config{Sources: sources("a")}, two())
		before := w.c.named("a").Source
		w.set(other)
		after := w.c.named("a").Source
		if same := reflect.DeepEqual(reflect.ValueOf(before).Field(i).Interface(), reflect.ValueOf(after).Field(i).Interface()); same != (field == "Name") {
			t.Errorf("%s is the same: %v, %+v", field, same, after)
		}
		w.set(sources("a")...)
		if now := w.c.named("a").Source; !reflect.DeepEqual(now, before) {
			t.Errorf("%s: back again %+v, want %+v", field, now, before)
		}
	}
	w := start(t, Config{Sources: sources("a")}, two())
	w.set(Source{Name: "a", Always: true})
	if st, _ := w.c.Status(protocol.ToolList, "a"); !st.Stale {
		t.Errorf("%+v", st)
	}
}
