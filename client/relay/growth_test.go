package relay_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
)

// What one server does costs about the same however many there are, so that to open n takes n log n.
func TestCostOfManyServers(t *testing.T) {
	changed := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	costs := func(n int) (list []uint64) {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("s%04d", i))
		}
		w := newWorld(t, names)
		w.list("tools/list")
		w.pass(time.Minute)
		p := w.peers[names[n/3]]
		for _, do := range []func(){
			func() { w.r.Report(w.s, w.now, manager.Report{Kind: manager.Received, Link: p.link, Message: changed}) },
			func() {
				w.r.Report(w.s, w.now, manager.Report{Kind: manager.Ended, Link: p.link, Err: errors.New("gone")})
			},
			func() { w.r.Restart(w.s, w.now, p.name) },
		} {
			const runs = 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range runs {
				do()
			}
			runtime.ReadMemStats(&after)
			list = append(list, (after.TotalAlloc-before.TotalAlloc)/runs)
		}
		return list
	}
	few, many := costs(25), costs(250)
	t.Log("bytes of a changed list, the end of a link, and a restart: of 25 servers", few, "and of 250", many)
	for i, what := range []string{"a changed list", "the end of a link", "a restart"} {
		if many[i] > few[i]+few[i]/4 {
			t.Errorf("%s of one of 250 servers takes %d bytes, of one of 25 %d; want a quarter more at most", what, many[i], few[i])
		}
	}
}
