package calls

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

func localTool(name string) protocol.Tool {
	return protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}
}

// refs returns the tools of a list for a person: name, and the tool that it is.
func refs(list []Binding) string {
	var b strings.Builder
	for _, x := range list {
		fmt.Fprintf(&b, "%s=%v", x.Name, x.Ref())
		if x.Shadows != nil {
			fmt.Fprintf(&b, " before %v", x.Shadows)
		}
		if x.ShadowedBy != (catalog.ItemID{}) {
			fmt.Fprintf(&b, " behind %v", x.ShadowedBy)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A local tool goes before those of servers, and a server before those behind it; names are exact;
// qualified names always lead to their tools (A4, A14, A15, D2, D3, F1).
func TestOrder(t *testing.T) {
	w := start(t, catalog.Config{Local: []protocol.Tool{localTool("read"), localTool("now")}, Sources: names("a", "b"), Naming: plain},
		&fake{tools: []string{"read", "write"}}, &fake{tools: []string{"list", "write", "Read"}})
	for name, want := range map[string]catalog.ItemID{
		"read": {Server: "", Key: "read"}, "now": {Server: "", Key: "now"}, "write": {Server: "a", Key: "write"}, "list": {Server: "b", Key: "list"}, "Read": {Server: "b", Key: "Read"},
		"mcp.a.read": {Server: "a", Key: "read"}, "mcp.a.write": {Server: "a", Key: "write"}, "mcp.b.write": {Server: "b", Key: "write"},
	} {
		b, err := w.c.t.Lookup(name)
		if err != nil || b.Ref() != want {
			t.Errorf("%q is %v, %v, want %v", name, b.Ref(), err, want)
		}
	}
	for _, name := range []string{"", "READ", "mcp.a.list", "mcp.c.read", "mcp.a.", "mcp..read", "write "} {
		if _, err := w.c.t.Lookup(name); !errors.Is(err, toolerror.UnknownTool) {
			t.Errorf("%q: %v", name, err)
		}
	}
	want := `read="read" before ["read" of "a"]
now="now"
write="write" of "a" before ["write" of "b"]
list="list" of "b"
Read="Read" of "b"
`
	if diff := cmp.Diff(want, refs(w.c.t.List())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = `read="read" before ["read" of "a"]
now="now"
="read" of "a" behind "read"
write="write" of "a" before ["write" of "b"]
list="list" of "b"
="write" of "b" behind "write" of "a"
Read="Read" of "b"
`
	if diff := cmp.Diff(want, refs(w.c.t.ListAll())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := w.ids(); got != "read now write list Read" || w.c.t.Len() != 7 {
		t.Errorf("names %q, %d tools", got, w.c.t.Len())
	}
}

// The policies for two tools of one name (E9). The first in the order keeps it, whoever came
// first; the other's qualified name leads to it.
func TestCollisions(t *testing.T) {
	for _, c := range []struct {
		policy naming.Conflict
		ids    string
	}{
		{naming.Hidden, "z x y"},
		{naming.Qualified, "mcp.a.x z x y"},
	} {
		a, b := &fake{tools: []string{"x", "z"}, slow: true}, &fake{tools: []string{"x", "y"}}
		w := start(t, catalog.Config{Sources: names("a", "b"), Naming: naming.Policy{Names: naming.Plain, OnConflict: c.policy}}, a, b)
		if got := w.ids(); got != "x y" {
			t.Errorf("%d: at first %q", c.policy, got)
		}
		w.clear()
		w.release("a")
		if got := w.ids(); got != c.ids {
			t.Errorf("%d: names %q, want %q", c.policy, got, c.ids)
		}
		if b, err := w.c.t.Lookup("mcp.b.x"); err != nil || b.Ref() != (catalog.ItemID{Server: "b", Key: "x"}) {
			t.Errorf("%d: %v, %v", c.policy, b.Ref(), err)
		}
		var rejected []catalog.Dropped
		for _, change := range w.out.Changes {
			rejected = append(rejected, change.Dropped...)
		}
		if c.policy != naming.Hidden {
			if rejected != nil {
				t.Errorf("%d: %v", c.policy, rejected)
			}
			continue
		}
		var collision *catalog.ConflictError
		if len(rejected) != 1 || !errors.As(rejected[0].Err, &collision) {
			t.Fatalf("%v", rejected)
		}
		if diff := cmp.Diff(catalog.ConflictError{Name: "x", Existing: catalog.ItemID{Server: "b", Key: "x"}, Incoming: catalog.ItemID{Server: "a", Key: "x"}}, *collision); diff != "" {
			t.Error(diff)
		}
		if got := collision.Error(); got != `catalog: another item has the name "x"` {
			t.Error(got)
		}
		// Another definition changes nothing; when the tool goes, the other has the name.
		a.slow = false
		for _, step := range []struct{ tool, has string }{{`{"name":"x","inputSchema":{"type":"object"},"description":"d"}`, "b"}, {"y", "a"}} {
			w.announce("b", step.tool)
			w.sleep(time.Second)
			if b, err := w.c.t.Lookup("x"); err != nil || b.Ref() != (catalog.ItemID{Server: step.has, Key: "x"}) {
				t.Errorf("%v, %v", b.Ref(), err)
			}
		}
	}
}

// In whatever order servers are ready, a plain name that leads to one leads to that one from then
// on. With Ordered it leads to the first in the order.
func TestPlainNamesNeverMove(t *testing.T) {
	for _, policy := range []naming.Conflict{naming.Qualified, naming.Hidden} {
		for _, ordered := range []bool{false, true} {
			for _, order := range [][]string{{"a", "b", "c"}, {"b", "a", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
				servers := map[string]*fake{}
				var list []*fake
				for _, name := range []string{"a", "b", "c"} {
					servers[name] = &fake{tools: []string{"x", "own-" + name}, slow: true}
					list = append(list, servers[name])
				}
				w := start(t, catalog.Config{Sources: names("a", "b", "c"), Naming: naming.Policy{Names: naming.Plain, OnConflict: policy}, Ordered: ordered}, list...)
				for i, name := range order {
					w.release(name)
					b, err := w.c.t.Lookup("x")
					want := order[0]
					if ordered {
						want = slices.Min(order[:i+1])
					}
					if err != nil || b.Server != want {
						t.Errorf("%v %v: x is %v, %v after %s", policy, order, b.Ref(), err, name)
					}
					if i > 0 && len(b.Shadows) != i {
						t.Errorf("%v %v: it shadows %v", policy, order, b.Shadows)
					}
				}
			}
		}
	}
}

// With qualified names nobody is in another's way, and plain names are those of local tools alone
// (E8, B29).
func TestQualified(t *testing.T) {
	n := naming.Form{Bare: true, Separator: "__"}
	w := start(t, catalog.Config{Naming: naming.Policy{Form: n, Names: naming.Always}, Sources: names("a", "b"), Local: []protocol.Tool{localTool("x")}},
		&fake{tools: []string{"x", "y"}}, &fake{tools: []string{"x"}})
	if got := w.ids(); got != "x a__x a__y b__x" {
		t.Errorf("names %q", got)
	}
	if _, err := w.c.t.Lookup("y"); !errors.Is(err, toolerror.UnknownTool) {
		t.Error(err)
	}
	for name, want := range map[string]catalog.ItemID{"x": {Server: "", Key: "x"}, "b__x": {Server: "b", Key: "x"}} {
		if b, err := w.c.t.Lookup(name); err != nil || b.Ref() != want || b.ShadowedBy != (catalog.ItemID{}) || b.Shadows != nil {
			t.Errorf("%q is %+v, %v", name, b, err)
		}
	}
}

// A server cannot take the qualified names of another one's tools: neither before that is
// connected, nor after it is gone, nor where names are cut.
func TestQualifiedNamesAreSafe(t *testing.T) {
	long := strings.Repeat("l", 200)
	id := naming.Form{}.ID("files", long)
	for _, policy := range []naming.Conflict{naming.Qualified, naming.Hidden} {
		evil := &fake{tools: []string{"mcp.files.read", id, "mcp.other.x", "mcp.files.none"}}
		files := &fake{tools: []string{"read", long}, deaf: true}
		w := start(t, catalog.Config{Sources: names("evil", "files"), Naming: naming.Policy{Names: naming.Plain, OnConflict: policy}}, evil, files)
		if _, err := w.c.t.Lookup("mcp.files.read"); !errors.Is(err, toolerror.Unavailable) {
			t.Errorf("%v", err)
		}
		if b, err := w.c.t.Lookup(id); err == nil {
			t.Errorf("%v", b.Ref())
		}
		files.deaf = false
		w.sleep(2e9)
		for name, want := range map[string]catalog.ItemID{
			"mcp.files.read": {Server: "files", Key: "read"}, id: {Server: "files", Key: long}, "mcp.other.x": {Server: "evil", Key: "mcp.other.x"},
			naming.Form{}.ID("evil", "mcp.files.read"): {Server: "evil", Key: "mcp.files.read"}, naming.Form{}.ID("evil", id): {Server: "evil", Key: id},
		} {
			if b, err := w.c.t.Lookup(name); err != nil || b.Ref() != want {
				t.Errorf("%q is %v, %v, want %v", name, b.Ref(), err, want)
			}
		}
		if _, err := w.c.t.Lookup("mcp.files.none"); !errors.Is(err, toolerror.UnknownTool) {
			t.Error(err)
		}
		for _, b := range w.c.t.List() {
			if got, err := w.c.t.Lookup(b.Name); err != nil || got.Ref() != b.Ref() {
				t.Errorf("%q is %v, %v, want %v", b.Name, got.Ref(), err, b.Ref())
			}
		}
		// What looked like a name of a server that there was not is one when it comes.
		w.clear()
		w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Attach(m, w.now, catalog.Source{Name: "other"})
		})
		if len(w.out.Changes) != 1 || !w.out.Changes[0].Listed {
			t.Errorf("changes %s", w.changes())
		}
		if _, err := w.c.t.Lookup("mcp.other.x"); !errors.Is(err, toolerror.Unavailable) {
			t.Error(err)
		}
		w.clear()
		w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
			return t.Detach(m, w.now, "other")
		})
		if len(w.out.Changes) != 1 || !w.out.Changes[0].Listed {
			t.Errorf("changes %s", w.changes())
		}
		if b, err := w.c.t.Lookup("mcp.other.x"); err != nil || b.Server != "evil" {
			t.Errorf("%v, %v", b.Ref(), err)
		}
	}
}

// Hints count only where the server is trusted, or the tool is local (A25). The definition is there
// as the server wrote it, whatever is in it (A22, A23).
func TestHints(t *testing.T) {
	const raw = `{"inputSchema":{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"type":["string","null"]}]}},"$defs":{"x":{"type":"object"}}},  "name":"t", "annotations":{"readOnlyHint":true}, "x":1e2}`
	local := localTool("l")
	local.Annotations = &protocol.ToolAnnotations{IdempotentHint: protocol.Ptr(true)}
	w := start(t, catalog.Config{Sources: names("trusted", "other"), Local: []protocol.Tool{local}},
		&fake{tools: []string{raw, "plain"}}, &fake{tools: []string{raw}})
	for name, want := range map[string][2]bool{"mcp.trusted.t": {true, true}, "mcp.other.t": {false, false}, "plain": {false, true}, "l": {false, true}} {
		b, err := w.c.t.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		h, ok := b.hints(), b.Trusted
		if h.ReadOnly != want[0] || ok != want[1] || b.Local() != (name == "l") {
			t.Errorf("%q: %+v, %v", name, h, ok)
		}
		if b.Tool.Name == "t" && (b.Raw != raw || !strings.Contains(string(b.Tool.InputSchema), `"anyOf"`)) {
			t.Errorf("%q is %s", name, b.Raw)
		}
	}
}

// What a server is and how it is reached is the program's: it comes back as it was given, is not
// looked at, and nothing is trusted by default. A ready-made registry is such a list (A2, A3).
func TestEndpointIsOpaque(t *testing.T) {
	type command struct{ args []string }
	endpoint := &command{args: []string{"browser", "--headless"}}
	cfg := callerConfig()
	cfg.Catalog.Sources = names("browser")
	w := newWorld(t, cfg)
	_, out, err := w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(w.now, "browser", manager.Options{Endpoint: endpoint, Timeouts: manager.Timeouts{Connect: 60e9}})
	})
	if err != nil || len(out.Actions) != 1 || out.Actions[0].Endpoint != any(endpoint) || !out.Actions[0].By.Equal(w.now.Add(60e9)) {
		t.Errorf("%v, %+v", err, out.Actions)
	}
	w.connect("browser", &fake{tools: []string{"click"}})
	b, err := w.c.t.Lookup("click")
	if err != nil || b.Trusted {
		t.Errorf("%v, trusted %v", err, b.Trusted)
	}
}

// Lookups ask nobody and change nothing, also where lists are stale (A6).
func TestLookupIsPure(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a"), Local: []protocol.Tool{localTool("l")}, TTL: 1e9, Lazy: true}, a)
	w.sleep(5e9)
	for _, name := range []string{"x", "l", "mcp.a.x", "none"} {
		w.c.t.Lookup(name)
	}
	w.c.t.List()
	id := w.call("l", "")
	if a.lists != 0 || len(w.out.LocalStart) != 1 || len(w.out.Actions) != 0 {
		t.Errorf("%d listings, %+v", a.lists, w.out)
	}
	if _, done := w.result(id); done {
		t.Error("a local call has ended by itself")
	}
}

// By default the tools of a server that is configured alone have plain names, and keep them when
// others come; those of all others are qualified, and no list is read for a plain name of theirs.
func TestAutoNames(t *testing.T) {
	a, b := &fake{tools: []string{"x", "mcp.b.y"}}, &fake{tools: []string{"x", "y"}}
	auto := naming.Policy{OnConflict: naming.Hidden, OnLoss: naming.Keep}
	w := start(t, catalog.Config{Naming: auto, Sources: names("a"), Local: []protocol.Tool{localTool("l")}}, a)
	if got := w.ids(); got != "l x mcp.b.y" {
		t.Errorf("alone: %q", got)
	}
	w.connect("b", b)
	w.onList(verbs(w, "b")["attach"])
	if got := w.ids(); got != "l x mcp.a.mcp.b.y mcp.b.x" { // mcp.b.y is withdrawn: it was that of a tool of a
		t.Errorf("with another: %q", got)
	}
	for _, c := range w.out.Changes {
		if c.Dropped != nil {
			t.Errorf("rejected %+v", c.Dropped)
		}
	}
	if x, err := w.c.t.Lookup("x"); err != nil || x.Server != "a" || x.Shadows != nil {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := w.c.t.Lookup("mcp.b.y"); !errors.Is(err, toolerror.UnknownTool) {
		t.Error(err)
	}
	w.onList(verbs(w, "a")["detach"])
	if got := w.ids(); got != "l mcp.b.x mcp.b.y" {
		t.Errorf("the other: %q", got)
	}
	w = start(t, catalog.Config{Naming: auto, Sources: names("a", "b"), Lazy: true}, a, b)
	was := a.lists + b.lists
	if err := w.ends(w.call("x", "")); !errors.Is(err, toolerror.UnknownTool) || a.lists+b.lists != was {
		t.Errorf("%v, %d lists were read", err, a.lists+b.lists-was)
	}
	if err := w.ends(w.call("mcp.b.x", "")); err != nil || a.lists+b.lists != was+1 {
		t.Errorf("%v, %d lists were read", err, a.lists+b.lists-was)
	}
}
