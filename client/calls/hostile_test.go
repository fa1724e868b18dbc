package calls

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Whatever a server lists, what is kept of it is bounded, tool by tool (A22, E24, E25).
func TestLimits(t *testing.T) {
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprint("t", i))
	}
	big := func(name string, n int) string {
		return `{"name":"` + name + `","description":"` + strings.Repeat("d", n) + `","inputSchema":{"type":"object"}}`
	}
	for name, c := range map[string]struct {
		limits         catalog.Limits
		tools          []string
		kept, rejected int
		more           int
		err            error
	}{
		"tools":    {catalog.Limits{Items: 200, Dropped: 10}, many, 200, 10, 90, lifecycle.ErrLimit},
		"bytes":    {catalog.Limits{Bytes: 3000}, []string{big("a", 1000), big("b", 1000), big("c", 1000), big("d", 100)}, 3, 1, 0, lifecycle.ErrLimit},
		"one":      {catalog.Limits{ItemBytes: 1000}, []string{big("a", 1000), "b"}, 1, 1, 0, lifecycle.ErrLimit},
		"name":     {catalog.Limits{Name: 10}, []string{"1234567890", "12345678901"}, 1, 1, 0, catalog.ErrItem},
		"rejected": {catalog.Limits{Dropped: 2}, []string{`{}`, `{}`, `{}`, "a", "a", "a"}, 1, 2, 3, catalog.ErrItem},
	} {
		cfg := callerConfig()
		cfg.Catalog = catalog.Config{Sources: names("a"), Limits: c.limits}
		w := newWorld(t, cfg)
		w.connect("a", &fake{tools: c.tools, page: 100})
		last := w.out.Changes[len(w.out.Changes)-1]
		if w.c.t.Len() != c.kept || len(last.Dropped) != c.rejected || last.More != c.more || !errors.Is(last.Dropped[0].Err, c.err) {
			t.Errorf("%s: %d tools, %s", name, w.c.t.Len(), text(last))
		}
		for _, r := range last.Dropped {
			if r.Server != "a" || len(r.Key) > 64 {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// A list without end, and one whose cursors repeat, fail, and what was read before stays (A22, B8).
func TestPagesWithoutEnd(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	cfg := callerConfig()
	cfg.Catalog = catalog.Config{Sources: names("a"), Limits: catalog.Limits{Pages: 3}}
	w := newWorld(t, cfg)
	w.connect("a", a)
	refresh := func() catalog.Change {
		w.clear()
		w.onList(verbs(w, "a")["refresh"])
		return w.out.Changes[0]
	}
	a.loop = true
	if c := refresh(); c.Err == nil || w.ids() != "x" {
		t.Errorf("%+v, %q", c, w.ids())
	}
	a.loop, a.page, a.tools = false, 1, []string{"1", "2", "3", "4"}
	if c := refresh(); c.Err == nil || w.ids() != "x" {
		t.Errorf("%+v, %q", c, w.ids())
	}
	a.page, a.slow = 2, true
	w.onList(verbs(w, "a")["refresh"])
	w.clear()
	w.sleep(10 * time.Hour) // of so many requests
	if len(w.out.Changes) == 0 || w.out.Changes[0].Err == nil || w.ids() != "x" {
		t.Errorf("%s, %q", w.changes(), w.ids())
	}
	a.held = nil
	a.slow = false
	if c := refresh(); c.Err != nil || w.ids() != "1 2 3 4" {
		t.Errorf("%+v, %q", c, w.ids())
	}
}

// A server that announces changes without end is read once in each least interval, and calls of its
// tools do not starve.
func TestAnnouncementsWithoutEnd(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a")}, a)
	from := a.lists
	for range 100 {
		w.announce("a", "x")
		w.sleep(100 * time.Millisecond)
	}
	if n := a.lists - from; n < 9 || n > 11 {
		t.Errorf("%d listings in 10 s", n)
	}
	a.slow = true
	w.sleep(2 * time.Second)
	w.announce("a", "x")
	id := w.call("x", "")
	w.announce("a", "x")
	w.release("a")
	if err := w.ends(id); err != nil {
		t.Error(err)
	}
	// Those of a connection that is over are nothing.
	old := a.link
	w.lose("a")
	w.sleep(time.Minute)
	from = a.lists
	w.take(w.c.Report(w.now, manager.Report{Kind: manager.Received, Link: old, Message: jsonrpcOf(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)}))
	w.sleep(time.Minute)
	if a.lists != from {
		t.Error("a message of an old connection has a list read")
	}
}

// Names that look like those of another server are many, and that costs nothing but their number.
func TestManyLookAlikes(t *testing.T) {
	bytes := func(n int) float64 {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprint("mcp.b.t", i))
		}
		w := newWorld(t, callerConfig())
		w.quiet = true
		w.connect("a", &fake{tools: tools})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.onList(verbs(w, "a")["attach"])
		w.onList(verbs(w, "b")["attach"])
		w.onList(verbs(w, "b")["detach"])
		if err := w.c.Check(); err != nil {
			t.Fatal(err)
		}
		w.onList(verbs(w, "a")["detach"])
		runtime.ReadMemStats(&after)
		if err := w.c.Check(); err != nil {
			t.Error(err)
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	}
	few, many := bytes(500), bytes(8000)
	if many > 2*few {
		t.Errorf("a tool costs %.0f bytes among 500 and %.0f among 8000", few, many)
	}
}

// Cycles of attaching, connecting, failing and detaching leave nothing, and no message stays alive
// for a name (E30).
func TestNothingIsLeft(t *testing.T) {
	cfg := callerConfig()
	cfg.Manager.Timeouts.Request = time.Minute
	w := newWorld(t, cfg)
	w.quiet = true
	w.connect("a", &fake{tools: []string{"x", "y"}})
	base := w.c
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	cycle := func(i int) {
		a := w.servers["a"]
		a.fail, a.mute, a.slow = i%3 == 1, false, i%5 == 2
		w.onList(verbs(w, "a")["attach"])
		w.call("x", "")
		a.mute = i%2 == 0
		w.do(w.c.Call(w.now, Request{Name: "mcp.a.y", Policy: &attempt.Policy{Attempt: time.Second}}))
		w.onList(verbs(w, "a")["refresh"])
		w.onList(verbs(w, "a")["invalidate"])
		if i%7 == 3 {
			w.lose("a")
			a.mute = false
		}
		w.onList(verbs(w, "a")["detach"])
		w.call("nobody", "")
		w.sleep(3 * time.Minute)
		a.held, a.calls, a.cancels = nil, nil, nil
		w.clear()
	}
	for i := range 100 {
		cycle(i)
	}
	if err := w.c.Check(); err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range 1000 {
		cycle(i)
	}
	after := heap()
	if err := w.c.Check(); err != nil {
		t.Fatal(err)
	}
	c := w.c
	if n := c.calls.Len() + c.ops.Len() + c.waits.Len() + len(c.t.Sources()) + c.t.used.Len() + c.t.Len(); n != 0 {
		t.Errorf("%d things are left", n)
	}
	if after > before+100<<10 {
		t.Errorf("%d bytes more after 1000 cycles", after-before)
	}
	runtime.KeepAlive(base)
	runtime.KeepAlive(w)
}

// What is kept of a list does not keep the message that it came in.
func TestSmallKeep(t *testing.T) {
	junk := strings.Repeat("j", 1<<20)
	w := newWorld(t, callerConfig())
	w.quiet = true
	a := &fake{tools: []string{"x", "y\u00e9"}}
	w.connect("a", a)
	kept := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := kept()
	var all []Caller
	for range 20 {
		a.tools[0] = `{"name":"x","inputSchema":{"type":"object"}}`
		a.junk = junk
		w.onList(verbs(w, "a")["attach"])
		all = append(all, w.c)
		w.onList(verbs(w, "a")["detach"])
		w.clear()
	}
	if d := int64(kept()) - int64(before); d > 2<<20 {
		t.Errorf("20 catalogs keep %d bytes", d)
	}
	runtime.KeepAlive(all)
}

// A server that is silent from the start delays nobody: calls of others end in the same step.
func TestSilentServer(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		w := start(t, catalog.Config{Sources: names("silent", "mute", "a"), Lazy: lazy},
			&fake{mute: true}, &fake{slow: true}, &fake{tools: []string{"x"}})
		id := w.call("mcp.a.x", "")
		if err := w.ends(id); err != nil {
			t.Errorf("lazy %v: %v", lazy, err)
		}
		id = w.call("x", "")
		if err := w.ends(id); err != nil {
			t.Errorf("lazy %v: %v", lazy, err)
		}
		id = w.do(w.c.Call(w.now, Request{Name: "mcp.silent.x", Policy: &attempt.Policy{Total: time.Second}})).Call
		w.sleep(time.Second)
		if err := w.ends(id); !errors.Is(err, toolerror.Timeout) {
			t.Errorf("lazy %v: %v", lazy, err)
		}
	}
}

// Values stay as they were, whatever becomes of those that follow (E30).
func TestOldValuesStay(t *testing.T) {
	a := &fake{tools: []string{"x", "y"}}
	w := start(t, catalog.Config{Sources: names("a", "b"), Naming: naming.Policy{Names: naming.Plain}}, a, &fake{tools: []string{"x"}})
	old, oldM := w.c.t, w.c.m
	was := refs(old.ListAll())
	w.announce("a", "z", "x")
	w.sleep(time.Minute)
	w.onList(verbs(w, "b")["detach"])
	w.take(w.c.Close(w.now))
	if err := old.Check(); err != nil || refs(old.ListAll()) != was {
		t.Errorf("%v\n%s\n%s", err, was, refs(old.ListAll()))
	}
	if next, _, _, err := old.Detach(oldM, w.now, "a"); err != nil || next.Len() != 1 || old.Len() != 3 {
		t.Errorf("%v, %d, %d", err, next.Len(), old.Len())
	}
}

// A zero time, and one that goes back, count as the latest seen, in all that takes a time (G).
func TestTime(t *testing.T) {
	a := &fake{tools: []string{"x"}}
	w := start(t, catalog.Config{Sources: names("a"), TTL: time.Minute}, a)
	w.sleep(time.Minute - 1)
	from := a.lists
	w.now = time.Time{}
	if err := w.ends(w.call("x", "")); err != nil || a.lists != from {
		t.Errorf("%v, %d listings", err, a.lists-from)
	}
	w.now = t0.Add(-time.Hour)
	if err := w.ends(w.call("x", "")); err != nil || a.lists != from {
		t.Errorf("%v, %d listings", err, a.lists-from)
	}
	w.now = t0.AddDate(400, 0, 0)
	w.take(w.c.Tick(w.now))
	if err := w.ends(w.call("x", "")); err != nil || a.lists != from+1 {
		t.Errorf("%v, %d listings", err, a.lists-from)
	}
	if _, ok := w.c.t.NextDeadline(); ok {
		t.Error("something waits")
	}
	_, _, found, _ := w.c.t.Seek(w.c.m, time.Time{}, protocol.ToolList, "x", t0.AddDate(500, 0, 0))
	if found.Err != nil || found.Waits != nil || found.Item.Key != "x" {
		t.Errorf("%+v", found)
	}
	var m manager.Manager
	if next, _, f := (catalog.Catalog{}).Tick(m, t0); next.Len() != 0 || f.Actions != nil {
		t.Error("the zero catalog does something")
	}
}

// What is kept of a server is within what Limits says of it, however small and many the tools are,
// and however they are spelled.
func TestBrim(t *testing.T) {
	const tools, bytes = 2000, 1 << 20
	for name, def := range map[string]func(i int) string{
		"small": func(i int) string { return fmt.Sprintf(`{"name":"%d","inputSchema":{"type":"object"}}`, i) },
		"escapes": func(i int) string {
			return fmt.Sprintf(`{"name":"\u0061%d","description":"%s","inputSchema":{"type":"object"}}`, i, strings.Repeat(`\u0062`, 60))
		},
		"look-alikes": func(i int) string {
			return fmt.Sprintf(`{"name":"mcp.a.%s%d","inputSchema":{"type":"object"},"annotations":{"title":"x"}}`, strings.Repeat("n", 200), i)
		},
		"wrong": func(i int) string { return fmt.Sprintf(`{"name":"%s%d"}`, strings.Repeat("n", 400), i) },
	} {
		cfg := callerConfig()
		cfg.Catalog = catalog.Config{Sources: names("a"), Limits: catalog.Limits{Items: tools, Bytes: bytes}}
		w := newWorld(t, cfg)
		w.quiet = true
		a := &fake{junk: strings.Repeat("j", 1<<20)}
		for i := range tools * 3 / 2 {
			a.tools = append(a.tools, def(i))
		}
		heap := func() int64 {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := heap()
		w.connect("a", a)
		w.clear()
		kept, most := heap()-before, int64(2*bytes+tools<<10+64<<10)
		if t.Logf("%s: %d tools keep %d bytes of %d, %d a tool", name, w.c.t.Len(), kept, most, kept/int64(max(w.c.t.Len(), 1))); kept > most {
			t.Errorf("%s: %d bytes are kept, at most %d", name, kept, most)
		}
		runtime.KeepAlive(w)
	}
}
