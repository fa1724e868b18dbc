package calls

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// diary is a world that writes down what happens, and when.
type diary struct {
	*world
	b     strings.Builder
	lists map[string]int
}

func (d *diary) note(format string, args ...any) {
	fmt.Fprintf(&d.b, "%-16v %s\n", d.now.Sub(t0), fmt.Sprintf(format, args...))
}

// news writes down what has happened since the last time.
func (d *diary) news() {
	d.t.Helper()
	for _, name := range d.c.t.Sources() {
		if f := d.servers[name]; f != nil {
			for ; d.lists[name] < f.lists; d.lists[name]++ {
				d.note("  tools/list of %s", name)
			}
		}
	}
	for _, c := range d.out.Changes {
		d.note("  change %s", text(c))
	}
	for _, r := range d.out.Done {
		if r.Outcome.Err != nil {
			d.note("  %s ends: %v", r.Tool, r.Outcome.Err)
		} else {
			d.note("  %s ends: %s", r.Tool, r.Outcome.Value())
		}
	}
	for _, i := range d.out.LocalStart {
		d.note("  run %s", i.Tool)
	}
	d.clear()
}

// until lets time pass to an instant, deadline by deadline.
func (d *diary) until(at time.Duration) {
	d.t.Helper()
	for {
		next, ok := d.c.NextDeadline()
		if !ok || next.After(t0.Add(at)) {
			break
		}
		d.sleep(next.Sub(d.now))
		d.news()
	}
	d.sleep(t0.Add(at).Sub(d.now))
	d.news()
}

func (d *diary) calls(name string) {
	d.t.Helper()
	d.note("call %s", name)
	d.call(name, "")
	d.news()
}

func (d *diary) show() { d.note("names: %s", d.ids()) }

func (d *diary) verb(what string, do func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error)) {
	d.t.Helper()
	d.note("%s", what)
	d.onList(do)
	d.news()
}

// The exact schedules, in virtual time (A6, A7, A8, A9, A10, E6, E11,
// E12, E14, F6). Each file is one.
func TestSchedules(t *testing.T) {
	const ttl = 10 * time.Minute
	loss := func(d *diary) {
		d.connect("a", &fake{tools: []string{"x"}})
		d.connect("b", &fake{tools: []string{"y"}})
		d.news()
		d.servers["a"].deaf, d.servers["b"].deaf = true, true
		d.note("both are lost, with a call on its way")
		d.servers["a"].mute, d.servers["b"].mute = true, true
		d.calls("x")
		d.calls("y")
		d.lose("a")
		d.lose("b")
		d.news()
		d.show()
		for _, name := range []string{"x", "y", "mcp.a.x", "mcp.b.y"} {
			d.calls(name)
		}
		d.until(2 * time.Second)
		*d.servers["a"] = fake{tools: []string{"x"}, lists: 1}
		*d.servers["b"] = fake{tools: []string{"y", "z"}, lists: 1, slow: true}
		d.note("they are back; b has not told its tools yet, so a call waits")
		d.until(3 * time.Second)
		d.calls("y")
		d.release("b")
		d.news()
		d.show()
	}
	for name, scene := range map[string]struct {
		cfg Config
		run func(d *diary)
	}{
		"ttl": {Config{Catalog: catalog.Config{Sources: names("a", "b"), TTL: ttl}}, func(d *diary) {
			d.connect("a", &fake{tools: []string{"x"}})
			d.connect("b", &fake{tools: []string{"y"}, slow: true})
			d.news()
			d.until(3 * time.Second)
			d.note("b answers, and its list counts from when it was asked for")
			d.release("b")
			d.news()
			for _, at := range []time.Duration{ttl - 1, ttl, ttl + 1, 2*ttl - 1, 2 * ttl} {
				d.until(at)
				d.calls("x")
			}
			d.calls("mcp.b.y")
			d.until(3*ttl - 1)
			d.calls("y")
			d.until(3 * ttl)
			d.calls("mcp.b.y")
		}},
		"lazy": {Config{Catalog: catalog.Config{Sources: names("a", "b", "c"), TTL: ttl, Lazy: true}}, func(d *diary) {
			d.connect("a", &fake{tools: []string{"x"}})
			d.connect("b", &fake{tools: []string{"y"}, slow: true})
			d.connect("c", &fake{tools: []string{"z"}})
			d.news()
			d.note("a qualified name needs its own server alone")
			d.calls("mcp.a.x")
			d.note("a name that nobody is known to have needs all")
			d.calls("z")
			d.until(time.Second)
			d.calls("z")
			d.note("a tool that is there waits for no other server")
			d.calls("mcp.c.z")
			d.calls("x")
			d.until(2 * time.Second)
			d.note("b answers")
			d.release("b")
			d.news()
			d.note("an announcement alone reads nothing")
			d.announce("c", "z", "zz")
			d.news()
			d.calls("mcp.c.zz")
			d.until(4 * time.Second)
		}},
		"ordered": {Config{Catalog: catalog.Config{Sources: names("a", "b"), TTL: ttl, Lazy: true, Ordered: true}}, func(d *diary) {
			d.connect("a", &fake{tools: []string{"y"}, slow: true})
			d.connect("b", &fake{tools: []string{"y"}})
			d.calls("mcp.b.y")
			d.note("a comes before b, and may have y as well")
			d.calls("y")
			d.until(time.Second)
			d.note("a answers")
			d.release("a")
			d.news()
		}},
		"renew": {Config{Catalog: catalog.Config{Sources: []catalog.Source{{Name: "a"}, {Name: "b", TTL: 7 * time.Minute}, {Name: "c", TTL: lifecycle.NoTimeout}}, TTL: ttl, Renew: true}}, func(d *diary) {
			for _, name := range []string{"a", "b", "c"} {
				d.connect(name, &fake{tools: []string{name}})
			}
			d.news()
			d.until(22 * time.Minute)
		}},
		"always": {Config{Catalog: catalog.Config{Sources: names("a"), Always: true}}, func(d *diary) {
			d.connect("a", &fake{tools: []string{"x"}})
			d.news()
			d.until(time.Second)
			d.calls("x")
			d.until(2 * time.Second)
			d.servers["a"].slow = true
			d.note("two calls that wait share the listing")
			d.calls("x")
			d.until(3 * time.Second)
			d.note("one that comes later does not: the list was asked for before it came")
			d.calls("x")
			d.until(4 * time.Second)
			d.note("a answers")
			d.release("a")
			d.news()
		}},
		"announced": {Config{Catalog: catalog.Config{Sources: names("a")}}, func(d *diary) {
			d.connect("a", &fake{tools: []string{"x"}})
			d.news()
			d.until(100 * time.Millisecond)
			d.note("a announces a change three times, and waits out the least interval")
			for _, tool := range []string{"x1", "x2", "x3"} {
				d.announce("a", tool)
			}
			d.news()
			d.until(1500 * time.Millisecond)
			d.note("a change that is announced while the list is read has it read again")
			d.servers["a"].slow = true
			d.announce("a", "x4")
			d.until(2100 * time.Millisecond)
			d.announce("a", "x5")
			d.until(3 * time.Second)
			d.servers["a"].tools = []string{"x4"}
			d.release("a")
			d.news()
			d.until(5 * time.Second)
		}},
		"failure": {Config{Catalog: catalog.Config{Sources: names("a"), TTL: ttl, Retry: backoff.Policy{Base: time.Second, Cap: 5 * time.Second}}}, func(d *diary) {
			a := &fake{tools: []string{"x"}}
			d.connect("a", a)
			d.news()
			a.fail = true
			d.until(ttl)
			d.note("the list is stale, cannot be read, and is kept")
			d.calls("x")
			d.until(ttl + 12*time.Second)
			d.calls("x")
			d.note("a call does not hurry the next attempt")
			a.fail = false
			d.until(ttl + 20*time.Second)
		}},
		"failure-lazy": {Config{Catalog: catalog.Config{Sources: names("a"), TTL: ttl, Lazy: true, Stale: catalog.Omit, Retry: backoff.Policy{Base: time.Second, Attempts: 3}}}, func(d *diary) {
			a := &fake{tools: []string{"x"}}
			d.connect("a", a)
			d.calls("x")
			a.fail = true
			d.until(ttl)
			d.note("its tools are left out until the list was read")
			d.calls("x")
			d.show()
			for _, at := range []time.Duration{time.Second - 1, time.Second, 2 * time.Second, 3*time.Second - 1, 3 * time.Second, time.Minute} {
				d.until(ttl + at)
				d.calls("mcp.a.x")
			}
			d.note("three attempts have failed: there is no other but by hand")
			a.fail = false
			d.calls("x")
			d.verb("refresh", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Refresh(m, d.now)
			})
			d.show()
		}},
		"by-hand": {Config{Catalog: catalog.Config{Sources: names("a", "b")}}, func(d *diary) {
			a := &fake{tools: []string{"x"}}
			d.connect("a", a)
			d.connect("b", &fake{tools: []string{"y"}})
			d.news()
			invalidate := func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Invalidate(m, d.now)
			}
			d.verb("invalidate all", invalidate)
			d.until(time.Second)
			a.tools = []string{"x", "x2"}
			d.note("the next call reads what it needs")
			d.calls("mcp.a.x")
			a.slow = true
			d.verb("refresh a", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Refresh(m, d.now, "a")
			})
			d.verb("refresh a, which is under way", func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
				return t.Refresh(m, d.now, "a")
			})
			d.verb("invalidate: what is under way began too early", invalidate)
			d.until(2 * time.Second)
			d.note("a answers both, and the first answer does not count")
			a.tools = []string{"x3"}
			d.release("a")
			d.news()
			d.show()
		}},
		"loss":      {Config{Catalog: catalog.Config{Sources: names("a", "b")}}, loss},
		"loss-kept": {Config{Catalog: catalog.Config{Naming: kept, Sources: names("a", "b")}}, loss},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := callerConfig()
			cfg.Catalog, cfg.Attempts = plainly(scene.cfg.Catalog), attempt.Config{Policy: attempt.Policy{Total: time.Minute}}
			d := &diary{world: newWorld(t, cfg), lists: map[string]int{}}
			scene.run(d)
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(file, []byte(d.b.String()), 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), d.b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
