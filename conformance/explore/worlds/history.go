package worlds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// histories is one list of operations, run by several pairs of a client and a server at once: over pipes and over
// HTTP, by single messages and in batches, restored at each step and never. All must have one history.
type histories struct {
	lanes [len(laneKinds)]lane
	agenda
}

// agenda is the common part of all lanes.
type agenda struct {
	calls   []hcall          // whose end the client has not seen
	pending []explore.Action // since the last exchange
	last    int              // the number of the newest call
	drawn   int              // operations
	catalog uint8            // of the servers
}

// hcall is a call of the client.
type hcall struct {
	n         int
	kind      uint8 // hopEcho to hopHold
	seen      bool  // the server has it
	over      bool  // cancelled by the client or ended by the server since the last exchange
	cancelled bool
	said      int // progress
	asked     int // questions
}

// The operations. Those from hopCancel to hopFail have the number of a call as argument.
const (
	hopEcho  uint8 = iota // is answered at once
	hopSteps              // sends progress and logs before the answer
	hopAsk                // asks before the answer
	hopHold               // is answered by hopFinish or hopFail
	hopList
	hopCancel
	hopProgress
	hopQuestion
	hopFinish
	hopFail
	hopCatalog
	hopLog
	hopExchange // until nothing is under way
	historyOps
)

var historyNames = [historyOps]string{
	"call echo", "call steps", "call ask", "call hold", "list", "cancel", "progress", "question", "finish", "fail", "change the catalog", "log", "exchange",
}

// historyTools are the tools of the operations up to hopHold.
var historyTools = [hopHold + 1]string{"echo", "steps", "ask", "hold"}

// historyScope limits the world.
type historyScope struct {
	ops     int // in all
	calls   int // at a time
	kinds   [len(laneKinds)]laneSetup
	items   [2]server.Items
	lists   [2]*server.Catalog
	inline  server.Handlers // of functions that answer at once
	jobs    server.Handlers // of those that ask
	cur     *lane           // the current lane
	kind    *laneSetup
	waiting map[uint64]func(answer jsonrpc.Raw) // functions of the current lane, by their questions
	form    *explore.Form
}

var historyScopes = []struct {
	name    string
	scope   historyScope
	nightly bool
}{
	{"three", historyScope{ops: 3, calls: 2}, false},
	{"all", historyScope{ops: 1 << 30, calls: 4}, true},
}

func (x *historyScope) actions(dst []explore.Action, n *histories) []explore.Action {
	add := func(op uint8, arg int) { dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)}) }
	if n.drawn < x.ops && len(n.pending) < 4 {
		if len(n.calls) < x.calls {
			for op := hopEcho; op <= hopList; op++ {
				add(op, 0)
			}
		}
		for op := hopCancel; op <= hopFail; op++ {
			for i, c := range n.calls {
				if !c.over && (op == hopCancel || c.seen && c.kind == hopHold && (op != hopQuestion || !n.asks(c.n))) {
					add(op, i)
				}
			}
		}
		add(hopCatalog, 0)
		add(hopLog, 0)
	}
	if len(n.pending) > 0 {
		add(hopExchange, 0)
	}
	return dst
}

// asks reports whether a question was asked within a call since the last exchange: without a session the call is
// then no longer open.
func (a *agenda) asks(n int) bool {
	return slices.ContainsFunc(a.pending, func(p explore.Action) bool { return p.Op == hopQuestion && a.calls[p.Arg].n == n })
}

// step does an action in each lane.
func (x *historyScope) step(n histories, a explore.Action, r *explore.Report) (histories, bool) {
	n.calls, n.pending = slices.Clone(n.calls), slices.Clone(n.pending)
	var c *hcall
	switch {
	case a.Op <= hopHold:
		n.last++
		n.calls = append(n.calls, hcall{n: n.last, kind: a.Op})
		c = &n.calls[len(n.calls)-1]
	case a.Op >= hopCancel && a.Op <= hopFail:
		c = &n.calls[a.Arg]
		if a.Op != hopCancel && n.asks(c.n) {
			return n, false
		}
	case a.Op == hopCatalog:
		n.catalog = 1 - n.catalog
	case a.Op == hopList, a.Op == hopLog:
		n.last++
	}
	for i := range n.lanes {
		x.turn(&n, i)
		if a.Op == hopExchange {
			x.exchange()
		} else if err := x.do(a.Op, c, &n.agenda); err != nil {
			r.Fail("%s: %s: %v", x.kind.name, historyNames[a.Op], err)
		}
	}
	if a.Op == hopExchange {
		x.compare(&n, r)
		return n, true
	}
	n.pending, n.drawn = append(n.pending, a), n.drawn+1
	switch a.Op {
	case hopCancel:
		c.over, c.cancelled = true, true
	case hopFinish, hopFail:
		c.over = true
	case hopProgress:
		c.said++
	case hopQuestion:
		c.asked++
	}
	return n, true
}

// turn makes a lane the current one.
func (x *historyScope) turn(n *histories, i int) {
	x.cur, x.kind = &n.lanes[i], &x.kinds[i]
	x.cur.clone()
	x.waiting = map[uint64]func(jsonrpc.Raw){}
	x.kind.server.Catalog = x.lists[n.catalog]
	x.kind.web.server0.Catalog = x.lists[n.catalog]
}

// compare compares the histories of all lanes since the last exchange with that of the first.
func (x *historyScope) compare(n *histories, r *explore.Report) {
	for i := range n.lanes {
		x.turn(n, i)
		l, stateless := x.cur, x.kind.revision.Stateless()
		first, history := n.history(0, stateless), n.history(i, stateless)
		if stateless { // a call cancelled while the client is asked is not repeated, without a message
			l.held = slices.DeleteFunc(l.held, func(h holding) bool { return n.cancelled(h.n) })
		}
		for k := range max(len(first), len(history)) {
			if want, got := line(first, k), line(history, k); want != got {
				r.Fail("%s has %q where %s has %q", x.kinds[i].name, got, x.kinds[0].name, want)
				break
			}
		}
		if c, s := l.c.Status(), l.s.Status(); len(l.mine) != c.Outbound || len(l.held) != len(n.lanes[0].held) || s.Outbound > 0 || c.Inbound > 0 {
			r.Fail("%s: at rest the client waits for %d of %d calls and is asked %d, the server holds %d and asks %d", x.kind.name, len(l.mine), c.Outbound, c.Inbound, len(l.held), s.Outbound)
		}
	}
	for _, l := range n.lanes[0].said {
		what, of, _ := strings.Cut(l, ": ")
		r.Reach(what[:1] + " " + strings.TrimRight(of, "0123456789."))
	}
	n.calls = slices.DeleteFunc(n.calls, func(c hcall) bool { return c.over || c.kind != hopHold })
	for i := range n.calls {
		n.calls[i].seen = true
	}
	for i := range n.lanes {
		l := &n.lanes[i]
		l.said, l.heard, l.posted = nil, nil, nil
	}
	n.pending = nil
}

func line(list []string, k int) string {
	if k < len(list) {
		return list[k]
	}
	return ""
}

// cancelled reports whether the client has cancelled a call since the last exchange.
func (a *agenda) cancelled(n int) bool {
	return slices.ContainsFunc(a.calls, func(c hcall) bool { return c.cancelled && c.n == n })
}

// history returns the log of a lane, by threads: the log of one call is ordered, those of different ones
// are not. A cancelled call may have been done or not: only its end counts. Without a
// session there are no notifications outside of calls.
func (n *histories) history(i int, stateless bool) []string {
	thread := func(said string) string { at, _, _ := strings.Cut(said, ":"); return at }
	list := slices.DeleteFunc(slices.Clone(n.lanes[i].said), func(said string) bool {
		at := thread(said)
		_, number, _ := strings.Cut(at, " ")
		of, _ := strconv.Atoi(number)
		return stateless && at == "notified" || n.cancelled(of) && said != at+": cancelled"
	})
	slices.SortStableFunc(list, func(a, b string) int { return strings.Compare(thread(a), thread(b)) })
	return list
}

// check checks a new node.
func (x *historyScope) check(n *histories, r *explore.Report) {
	for i := range n.lanes {
		for _, err := range []error{n.lanes[i].c.Check(), n.lanes[i].s.Check()} {
			if err != nil {
				r.Fail("%s: %v", x.kinds[i].name, err)
			}
		}
	}
}

// question is the k-th question within a call.
func question(n, k int) protocol.CreateMessageParams {
	p := askParams
	p.Messages = []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent(fmt.Sprintf("%d.%d", n, k))}}}
	return p
}
