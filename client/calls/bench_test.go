package calls

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
)

// many is a world of n servers with 20 tools each.
func many(t fataler, n int) *world {
	cfg := callerConfig()
	cfg.Catalog.Naming = plain
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("s", i))
	}
	cfg.Catalog.Sources = names(list...)
	w := newWorld(t, cfg)
	w.quiet = true
	for i, name := range list {
		f := &fake{}
		for j := range 20 {
			f.tools = append(f.tools, fmt.Sprintf("tool_%d_%d", i, j))
		}
		w.connect(name, f)
	}
	w.clear()
	return w
}

func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{1, 30, 1000} {
		w := many(b, n)
		plain, id := fmt.Sprintf("tool_%d_7", n-1), fmt.Sprintf("mcp.s%d.tool_%d_7", n-1, n-1)
		for _, name := range []string{plain, id} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := w.c.t.Lookup(name); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkCall(b *testing.B) {
	for _, n := range []int{1, 30, 1000} {
		w := many(b, n)
		name := fmt.Sprintf("tool_%d_7", n-1)
		w.c, _, _ = w.c.Call(w.now, Request{Name: name}) // its schema is read once
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, out, err := w.c.Call(w.now, Request{Name: name}); err != nil || len(out.Actions) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRefresh(b *testing.B) {
	for _, n := range []int{1, 30, 1000} {
		w := many(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				w.servers["s0"].tools[0] = fmt.Sprint("other", i)
				w.onList(func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
					return t.Refresh(m, w.now, "s0")
				})
				w.clear()
			}
		})
	}
}

// What a call costs, whatever the number of servers: the catalog, the Executor, the Manager and
// the session together. Of 200 servers more are a few nodes.
func TestCallCost(t *testing.T) {
	for _, n := range []int{1, 30, 200} {
		w := many(t, n)
		r := Request{Name: fmt.Sprintf("tool_%d_7", n-1)}
		w.c, _, _ = w.c.Call(w.now, r)
		allocs := testing.AllocsPerRun(100, func() { w.c.Call(w.now, r) })
		t.Logf("%v allocations with %d servers", allocs, n)
		if allocs > 34 {
			t.Errorf("a call of %d servers takes %v allocations", n, allocs)
		}
	}
}
