package calls

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
)

// A local tool whose call ends in the step that asks for it is not run: a driver acts upon LocalStop
// before LocalStart, and would run it for nobody (E20).
func TestInvokedAndRevoked(t *testing.T) {
	for _, order := range [][]string{{"mcp.a.x", "l"}, {"l", "mcp.a.x"}, {"l", "l", "mcp.a.x", "l"}} {
		a := &fake{tools: []string{"x"}}
		w := start(t, catalog.Config{Naming: kept, Sources: names("a"), Local: []protocol.Tool{localTool("l")}}, a)
		a.deaf = true
		w.lose("a")
		w.clear()
		var list []Request
		for _, name := range order {
			list = append(list, Request{Name: name})
		}
		w.do(w.c.Batch(w.now, list, attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true, Immediate: true}))
		if len(w.out.LocalStart)+len(w.out.LocalStop) > 0 || len(w.out.Done) != len(order) || len(w.out.Batches) != 1 {
			t.Errorf("%v: %+v", order, w.out)
		}
		id := w.call("l", "")
		w.do(w.c.Cancel(w.now, id, ""))
		if len(w.out.LocalStart) != 1 || len(w.out.LocalStop) != 1 {
			t.Errorf("%v: %+v, %+v", order, w.out.LocalStart, w.out.LocalStop)
		}
	}
}

// Calls that wait for many servers cost what there are of both, and not the square of the servers.
func TestManyWaitForMany(t *testing.T) {
	cost := func(servers int) uint64 {
		cfg := callerConfig()
		for i := range servers {
			cfg.Catalog.Sources = append(cfg.Catalog.Sources, catalog.Source{Name: fmt.Sprint("s", i)})
		}
		w := newWorld(t, cfg)
		w.quiet = true
		for _, s := range cfg.Catalog.Sources {
			w.connect(s.Name, &fake{slow: true})
		}
		for i := range 50 {
			w.call(fmt.Sprint("nobody", i), "")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, s := range cfg.Catalog.Sources {
			w.release(s.Name)
		}
		runtime.ReadMemStats(&after)
		if len(w.out.Done) != 50 {
			t.Fatalf("%d of 50 calls have ended", len(w.out.Done))
		}
		return after.Mallocs - before.Mallocs
	}
	if n, m := cost(20), cost(80); m > 7*n {
		t.Errorf("20 servers cost %d allocations, 80 cost %d", n, m)
	}
}

// A call that waits for several servers goes to the first that brings its tool, at once.
func TestFirstOfMany(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		list := map[string]*fake{}
		w := start(t, catalog.Config{Sources: names("a", "b", "c", "d"), Ordered: ordered})
		for _, name := range []string{"a", "b", "c", "d"} {
			list[name] = &fake{slow: true}
			w.connect(name, list[name])
		}
		list["c"].tools = []string{"x"}
		id := w.call("x", "")
		w.release("d")
		if _, over := w.result(id); over {
			t.Fatal("it ended before its tool was known")
		}
		w.release("c")
		if _, over := w.result(id); over == ordered {
			t.Errorf("ordered %v: %v", ordered, over)
		}
		w.release("a")
		w.release("b")
		if err := w.ends(id); err != nil || len(list["c"].calls) != 1 {
			t.Error(err, list["c"].calls)
		}
	}
}

// Calls that wait for a server that does not answer take no place from local tools, nor from other
// servers, whatever few attempts may run in one lane.
func TestUnboundLane(t *testing.T) {
	cfg := callerConfig()
	cfg.Catalog = catalog.Config{Naming: plain, Sources: names("a", "b"), Local: []protocol.Tool{localTool("l")}}
	cfg.Attempts.Lane.Running = 1
	w := newWorld(t, cfg)
	w.connect("b", &fake{tools: []string{"y"}})
	w.connect("a", &fake{tools: []string{"x"}, slow: true})
	waiting := []attempt.CallID{w.call("x", ""), w.call("x", ""), w.call("mcp.a.x", ""), w.call("mcp..x", "")}
	w.call("l", "")
	if len(w.out.LocalStart) != 1 {
		t.Error("the local tool waits")
	}
	if err := w.ends(w.call("y", "")); err != nil {
		t.Error(err)
	}
	w.release("a")
	for i, id := range waiting {
		if err := w.ends(id); (err == nil) != (i < 3) {
			t.Errorf("%d: %v", i, err)
		}
	}
}
