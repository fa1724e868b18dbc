package relay_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
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

// With n subscriptions, one at each of n servers or all of them where nobody has what they name, what one server or one
// subscription more does looks at a few of them: n take n log n.
func TestCostOfManySubscriptions(t *testing.T) {
	const n = 60
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("s%04d", i))
	}
	for _, stateless := range []bool{false, true} {
		w := newWorld(t, names, resources, func(w *world) { w.down.Revisions = protocol.AllRevisions() })
		w.list("resources/list")
		for i, name := range names {
			if uri := "own://" + name; !stateless {
				w.ask("resources/subscribe", `{"uri":"`+uri+`"}`)
			} else {
				w.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":"l%d","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[%q,"nobody:%d"]},`+
					`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, i, uri, i))
			}
		}
		w.pass(time.Minute)
		p := w.peers[names[n/3]]
		few := map[string]int{"the end of a link": relay.Checked(w.r, w.s, w.now, manager.Report{Kind: manager.Ended, Link: p.link, Err: errors.New("gone")})}
		tools := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		few["a changed list of tools"] = relay.Checked(w.r, w.s, w.now, manager.Report{Kind: manager.Received, Link: p.link, Message: tools})
		s, out := w.s.Receive(w.now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"more","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["nobody:x"]},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		few["a subscription"] = relay.CheckedBy(w.r, s, w.now, out)
		for what, looks := range few {
			limit := 4
			if stateless && what == "the end of a link" {
				limit += n // at each for which somebody has to be found
			}
			if looks > limit {
				t.Errorf("stateless %v: %s looks at %d of %d subscriptions", stateless, what, looks, n)
			}
		}
		if few["the end of a link"] == 0 || few["a subscription"] == 0 {
			t.Errorf("nothing is looked at: %v", few)
		}
	}
}
