package calls

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A list that is read again is compared with the last: what is added, removed, changed and left
// out is told once, and takes effect (A22, E5, E6, E9).
func TestDiff(t *testing.T) {
	a := &fake{page: 2, tools: []string{
		"keep", `{"name":"same","inputSchema":{"type":"object","a":1.0,"b":"x"},"_meta":{"n":1}}`,
		`{"name":"changed","inputSchema":{"type":"object"}}`, "gone", `{"name":"no schema"}`, `{"inputSchema":{"type":"object"}}`, `{"name":5,"inputSchema":{"type":"object"}}`, "bad\x7f", "keep",
	}}
	w := newWorld(t, callerConfig())
	w.connect("a", a)
	w.clear()
	w.onList(verbs(w, "a")["attach"])
	want := `"a" unavailable->healthy
"a" added keep same changed gone rejected a "no schema" 0 (catalog: invalid item
protocol: Tool.inputSchema is missing) rejected a "" 1 (catalog: invalid item
protocol: Tool.name is missing) rejected a "" 0 (catalog: invalid item
protocol: Tool.name has the wrong type) rejected a "bad\x7f" 4 (catalog: invalid item: unusable name) rejected a "keep" 5 (catalog: another item has the name "mcp.a.keep") listed
`
	if diff := cmp.Diff(want, w.changes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, want := range []error{catalog.ErrItem, catalog.ErrItem, catalog.ErrItem, catalog.ErrItem} {
		if err := w.out.Changes[1].Dropped[i].Err; !errors.Is(err, want) {
			t.Errorf("%d: %v", i, err)
		}
	}
	w.clear()
	w.sleep(time.Minute)
	a.tools = []string{"new", `{"_meta":{"n":2},"inputSchema":{"b":"\u0078","type":"object","a":1},"name":"same"}`, "keep", `{"name":"changed","inputSchema":{"type":"object","title":"x"}}`}
	w.onList(verbs(w, "a")["refresh"])
	if diff := cmp.Diff("\"a\" added new removed gone changed changed listed\n", w.changes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b, err := w.c.t.Lookup("changed"); err != nil || !strings.Contains(string(b.Tool.InputSchema), "title") {
		t.Errorf("%+v", b)
	}
	if b, _ := w.c.t.Lookup("same"); !strings.Contains(string(b.Raw), `"n":2`) {
		t.Errorf("%+v", b)
	}
	// The same list again is no news.
	w.clear()
	w.onList(verbs(w, "a")["refresh"])
	if len(w.out.Changes) != 0 || a.lists != 3 {
		t.Errorf("%s, %d listings", w.changes(), a.lists)
	}
	// Detached, its tools are gone, and attached again they are back.
	w.onList(verbs(w, "a")["detach"])
	if _, err := w.c.t.Lookup("keep"); !errors.Is(err, toolerror.UnknownTool) || w.c.t.Len() != 0 {
		t.Errorf("%v, %d tools", err, w.c.t.Len())
	}
	if got := w.changes(); got != "\"a\" removed new same keep changed healthy->unavailable listed\n" {
		t.Error(got)
	}
	w.onList(verbs(w, "a")["attach"])
	if got := w.ids(); got != "new same keep changed" {
		t.Error(got)
	}
	for name, want := range map[string]error{"attach": catalog.ErrServer, "": nil} {
		if want == nil {
			continue
		}
		if _, _, _, err := verbs(w, "a")[name](w.c.t.Catalog, w.c.m); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"detach", "refresh", "invalidate"} {
		if _, _, _, err := verbs(w, "b")[name](w.c.t.Catalog, w.c.m); !errors.Is(err, catalog.ErrServer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Health follows the connection (E12, E13).
func TestHealth(t *testing.T) {
	cfg := callerConfig()
	cfg.Catalog = catalog.Config{Sources: names("a")}
	cfg.Manager.Health = manager.Health{Interval: time.Minute, Misses: 3}
	w := newWorld(t, cfg)
	a := &fake{tools: []string{"x"}}
	w.connect("a", a)
	health := func() catalog.Health {
		b, err := w.c.t.Lookup("x")
		if err != nil {
			t.Fatal(err)
		}
		return b.Health
	}
	if h := health(); h != catalog.Healthy || h.String() != "healthy" {
		t.Error(h)
	}
	a.mute = true
	w.clear()
	w.sleep(time.Minute + 10*time.Second)
	if h := health(); h != catalog.Degraded || h.String() != "degraded" || w.changes() != "\"a\" healthy->degraded\n" {
		t.Errorf("%v, %s", h, w.changes())
	}
	w.release("a")
	w.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	if h := health(); h != catalog.Healthy {
		t.Error(h)
	}
	a.deaf = true
	w.clear()
	w.lose("a")
	if h := health(); h != catalog.Unavailable || h.String() != "unavailable" || w.ids() != "" || w.changes() != "\"a\" healthy->unavailable listed\n" {
		t.Errorf("%v, %q, %s", h, w.ids(), w.changes())
	}
	if list := w.c.t.ListAll(); len(list) != 1 || list[0].Health != catalog.Unavailable {
		t.Errorf("%+v", list)
	}
	// It is back, and cannot tell its tools: what was known counts.
	a.deaf, a.fail = false, true
	w.clear()
	w.sleep(time.Minute)
	if h := health(); h != catalog.Healthy || w.ids() != "x" {
		t.Errorf("%v, %q, %s", h, w.ids(), w.changes())
	}
	if b, _ := w.c.t.Lookup("x"); !b.Stale {
		t.Error("it is not stale")
	}
}

// A health check is that of the Manager: a real ping, whatever the catalog knows (A13).
func TestHealthCheck(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a", "b")}, &fake{tools: []string{"x"}}, &fake{tools: []string{"y"}})
	w.servers["b"].mute = true
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		m, out := m.HealthCheck(w.now)
		return m, out, nil
	}))
	w.sleep(10 * time.Second)
	for _, ev := range w.out.Events {
		if ev.Kind == manager.OpDone && ev.Op == w.out.Op {
			if len(ev.Checkups) != 2 || ev.Checkups[0].Err != nil || ev.Checkups[1].Err == nil {
				t.Errorf("%+v", ev.Checkups)
			}
			return
		}
	}
	t.Error("no report")
}

// A server without tools has none, and that is no failure; what is lost with all servers is off the list
// in the same step (A11).
func TestNoTools(t *testing.T) {
	a := &fake{none: true}
	w := start(t, catalog.Config{Sources: names("a", "b")}, a, &fake{tools: []string{"x"}})
	if _, err := w.c.t.Lookup("mcp.a.x"); !errors.Is(err, toolerror.UnknownTool) || a.lists != 0 {
		t.Errorf("%v, %d listings", err, a.lists)
	}
	w.clear()
	w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		m, out := m.DisconnectAll(w.now)
		return m, out, nil
	}))
	if w.ids() != "" || !strings.Contains(w.changes(), `"b" healthy->unavailable listed`) {
		t.Errorf("%q, %s", w.ids(), w.changes())
	}
	w.connect("b", &fake{tools: []string{"z"}})
	if w.ids() != "z" {
		t.Errorf("%q", w.ids())
	}
}

// A connection that takes the place of another one under the same name brings its own tools, and
// nothing of the old one comes through (F5).
func TestReplace(t *testing.T) {
	for _, loss := range []naming.Loss{naming.Hide, naming.Keep} {
		old := &fake{tools: []string{"x"}}
		w := start(t, catalog.Config{Naming: naming.Policy{Names: naming.Plain, OnConflict: naming.Hidden, OnLoss: loss}, Sources: names("a")}, old)
		stale := old.link
		w.servers["a"] = &fake{tools: []string{"y"}, slow: true}
		w.do(w.c.Manage(w.now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
			return m.Connect(w.now, "a", manager.Options{Replace: true})
		}))
		w.take(w.c.Report(w.now, manager.Report{Kind: manager.Received, Link: stale, Message: jsonrpcOf(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)}))
		w.release("a")
		if w.ids() != "y" {
			t.Errorf("%d: %q", loss, w.ids())
		}
	}
}

// Local tools can be replaced, and go before others from then on (A4).
func TestSetLocal(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a"), Local: []protocol.Tool{localTool("l"), localTool("m")}}, &fake{tools: []string{"x"}})
	changed := localTool("m")
	changed.Description = "other"
	w.do(w.c.SetLocal(w.now, []protocol.Tool{localTool("x"), changed}))
	if got := w.changes(); got != "\"\" added x removed l changed m rejected a \"x\" -1 (catalog: another item has the name \"x\") listed\n" {
		t.Error(got)
	}
	if b, _ := w.c.t.Lookup("x"); !b.Local() {
		t.Error(b.Ref())
	}
	for _, tools := range [][]protocol.Tool{{localTool("a"), localTool("a")}, {localTool("mcp.a.x")}, {{}}} {
		before := w.c
		if c, _, err := w.c.SetLocal(w.now, tools); err == nil || c.t.Len() != before.t.Len() {
			t.Errorf("%v: %v", tools, err)
		}
	}
	w.clear()
	w.do(w.c.SetLocal(w.now, []protocol.Tool{localTool("x"), changed}))
	if len(w.out.Changes) != 0 {
		t.Error(w.changes())
	}
}

// The tools of all servers are exported under the names that calls take (A16, A17, D13). There is no
// variant that panics (A18); the shape of Azure is one of those, and SDKs of others are not our
// matter (A19).
func TestExport(t *testing.T) {
	w := start(t, catalog.Config{Sources: names("a", "b"), Naming: naming.Policy{Names: naming.Plain}, Local: []protocol.Tool{localTool("l")}},
		&fake{tools: []string{"x", `{"name":"deep","description":"d","inputSchema":{"type":"object","properties":{"p":{"$ref":"#/$defs/q"}},"$defs":{"q":{"type":"string"}}}}`}},
		&fake{tools: []string{"x"}})
	for _, p := range []provider.Provider{provider.OpenAIChat, provider.OpenAIResponses, provider.Azure, provider.Anthropic, provider.Gemini} {
		x, err := provider.Export(p, w.c.t.Definitions(), provider.Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"l", "x", "deep", "mcp.b.x"} {
			as, ok := x.Names.Provider(name)
			if back, ok2 := x.Names.Tool(as); !ok || !ok2 || back != name || strings.Contains(as, ".") && p != provider.Gemini {
				t.Errorf("%v: %q is %q, which is %q", p, name, as, back)
			}
		}
	}
	x, err := provider.Export(provider.Anthropic, w.c.t.Definitions(), provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	as, _ := x.Names.Provider("mcp.b.x")
	call, err := x.Call(protocol.Raw(fmt.Sprintf(`{"type":"tool_use","id":"1","name":%q,"input":{}}`, as)))
	if err != nil {
		t.Fatal(err)
	}
	id := w.call(call.Params.Name, string(call.Params.Arguments))
	if err := w.ends(id); err != nil || len(w.servers["b"].calls) != 1 {
		t.Error(err)
	}
	if !strings.Contains(string(x.Tools), `"$ref":"#/$defs/q"`) {
		t.Errorf("%s", x.Tools)
	}
}
