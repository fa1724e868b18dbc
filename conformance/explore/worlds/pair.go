package worlds

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// pair is a client and a server with a link each way.
type pair struct {
	end      [2]verbs.Machine // client, server
	books    [2]books
	up, down link // from the client, from the server
	now      time.Time
	at       [2]time.Time // of the last step of each
	lossy    bool         // something was lost, cut or repeated
	doubled  uint8        // messages
	catalog  uint8        // of the server
	rec      [2]*transcript.Recorder
}

// The operations. The argument is a side or the number of a request.
const (
	opOpen uint8 = iota
	opCall
	opCallProgress
	opCallPatient
	opCancel
	opRoots
	opEnd
	opEndGrace
	opDeliver
	opDouble
	opCut
	opLose
	opInputEnds
	opGone
	opTime
	opTick
	opAdvance
	opRespond
	opFail
	opProgress
	opAsk
	opWithdraw
	opCatalog
	opAnswer
	opRefuse
	opAbort
	opAbandon
	opReset
	opNotSent
	pairOps
)

var pairNames = [pairOps]string{
	"initialize", "call", "call with progress", "call extended by progress", "cancel", "roots change", "shut down", "shut down with grace",
	"deliver", "double", "cut", "lose the last", "input ends", "gone", "time", "tick", "time alone", "respond", "fail", "progress",
	"ask", "withdraw", "change the catalog", "answer", "refuse", "abort", "abandon", "reset", "not sent",
}

// unit is the unit of time of all settings.
const unit = time.Second

var (
	origin     = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	callParams = protocol.CallToolParams{Name: "t"}
	callResult = protocol.CallToolResult{Content: []protocol.Content{}}
	askParams  = protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("x")}}}}
	askResult  = protocol.CreateMessageResult{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.TextContent("x")}, Model: "m"}
	refusal    = &jsonrpc.Error{Code: -1, Message: "no"}
)

// actions appends the possible actions.
func (x *pairScope) actions(dst []explore.Action, n *pair) []explore.Action {
	add := func(op uint8, arg int) {
		if x.on[op] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	for i := range 2 {
		l, back := n.link(i), n.link(1-i)
		to := n.books[1-i]
		switch {
		case len(l.list) > 0:
			if back.closed || len(back.list) <= x.room {
				add(opDeliver, i)
			}
			if n.doubled < x.doubles {
				add(opDouble, i)
			}
			if l.closed {
				add(opLose, i)
			}
		case l.closed && n.end[1-i].Phase().Live() && !to.deaf:
			add(opInputEnds, 1-i)
		}
	}
	if (!n.up.closed || !n.down.closed) && (n.books[0].live(n.end[0]) || n.books[1].live(n.end[1])) {
		add(opCut, 0)
	}
	x.passing(n, add)
	for i := range 2 {
		if (n.up.closed || n.down.closed || n.books[0].closed || n.books[1].closed) && n.end[i].Phase().Live() {
			add(opGone, i)
		}
		if !n.books[i].live(n.end[i]) {
			continue
		}
		add(opEnd, i)
		if n.end[i].Phase() != lifecycle.ShuttingDown {
			add(opEndGrace, i)
		}
		add(opAbort, i)
		for k := range n.books[i].calls {
			add(opAbandon, k<<1|i)
		}
		if len(n.link(i).list) < x.room {
			x.sending(n, i, add)
		}
	}
	if !n.end[0].Phase().Live() && !n.end[1].Phase().Live() {
		add(opReset, 0)
	}
	return dst
}

// passing adds the ways in which time passes.
func (x *pairScope) passing(n *pair, add func(op uint8, arg int)) {
	waits, due := false, false
	for i := range 2 {
		if t, ok := n.end[i].NextDeadline(); ok {
			waits = true
			if !t.After(n.now) {
				add(opTick, i)
				due = true
			}
		}
	}
	if waits && (n.up.closed || len(n.up.list) <= x.room) && (n.down.closed || len(n.down.list) <= x.room) {
		add(opTime, 0)
		if !due {
			add(opAdvance, 0)
		}
	}
}

// sending adds what the application at one end may send while there is room on the link.
func (x *pairScope) sending(n *pair, i int, add func(op uint8, arg int)) {
	b, phase := &n.books[i], n.end[i].Phase()
	if i == 0 {
		if phase == lifecycle.Uninitialized {
			add(opOpen, 0)
		}
		if phase == lifecycle.Ready && !b.deaf {
			if len(b.reqs) < x.calls {
				add(opCall, 0)
				add(opCallProgress, 0)
				add(opCallPatient, 0)
			}
			add(opRoots, 0)
		}
		for k, r := range b.reqs {
			if !r.open {
				add(opCancel, k)
			}
			add(opNotSent, k)
		}
		for k := range b.calls {
			add(opAnswer, k)
			add(opRefuse, k)
		}
		return
	}
	if phase == lifecycle.Uninitialized {
		return
	}
	for k, c := range b.calls {
		add(opRespond, k)
		add(opFail, k)
		if c.token {
			add(opProgress, k)
		}
		if phase == lifecycle.Ready && !b.deaf && b.within(c.seq) < x.asks && len(b.reqs) <= x.asks {
			add(opAsk, k)
		}
	}
	for k := range b.reqs {
		add(opWithdraw, k)
	}
	add(opCatalog, 0)
}

// step does an action.
func (x *pairScope) step(n pair, a explore.Action, r *explore.Report) (pair, bool) {
	k := int(a.Arg)
	client, server := &n.books[0], &n.books[1]
	do := func(i int, v verbs.Verb) (pair, bool) { return x.do(n, i, v, r) }
	switch a.Op {
	case opOpen:
		return do(0, verbs.Verb{Op: verbs.OpInitialize})
	case opCall, opCallProgress, opCallPatient:
		return do(0, verbs.Verb{Op: verbs.OpRequest, Params: callParams, Options: lifecycle.RequestOptions{Progress: a.Op != opCall, ResetOnProgress: a.Op == opCallPatient}})
	case opCancel:
		return do(0, verbs.Verb{Op: verbs.OpCancel, Req: n.end[0].Req(client.reqs[k].seq)})
	case opNotSent: // the last message on the link did not get out
		l := &n.up
		if last := len(l.list) - 1; last >= 0 && l.list[last].kind == jsonrpc.KindRequest && l.list[last].own == client.reqs[k].seq {
			l.list = l.list[:last:last]
			return do(0, verbs.Verb{Op: verbs.OpSendFailed, Req: n.end[0].Req(client.reqs[k].seq)})
		}
		return n, false
	case opRoots:
		return do(0, verbs.Verb{Op: verbs.OpNotify, Params: protocol.RootsListChangedParams{}})
	case opEnd, opEndGrace:
		return do(k, verbs.Verb{Op: verbs.OpShutdown, Grace: time.Duration(a.Op-opEnd) * unit})
	case opAnswer, opRespond:
		i, result := 0, protocol.Result(askResult)
		if a.Op == opRespond {
			i, result = 1, callResult
		}
		return do(i, verbs.Verb{Op: verbs.OpRespond, Call: n.books[i].handle(n.end[i], k), Result: result})
	case opRefuse, opFail:
		i := 0
		if a.Op == opFail {
			i = 1
		}
		return do(i, verbs.Verb{Op: verbs.OpFail, Call: n.books[i].handle(n.end[i], k), Err: refusal})
	case opProgress:
		v := verbs.Verb{Op: verbs.OpProgress, Call: server.handle(n.end[1], k), Progress: protocol.ProgressParams{Progress: server.calls[k].said + 1}}
		next, ok := do(1, v)
		if m, out, err := next.end[1].Do(n.now, v); ok && (!errors.Is(err, lifecycle.ErrProgress) || !out.IsZero() || m != next.end[1]) {
			r.Fail("progress that does not grow is not refused")
		}
		return next, ok
	case opAsk:
		return do(1, verbs.Verb{Op: verbs.OpRequest, Params: askParams, Options: lifecycle.RequestOptions{Within: server.handle(n.end[1], k)}})
	case opWithdraw:
		return do(1, verbs.Verb{Op: verbs.OpCancel, Req: n.end[1].Req(server.reqs[k].seq)})
	case opCatalog:
		n.catalog = 1 - n.catalog
		return do(1, verbs.Verb{Op: verbs.OpOffer, Catalog: x.catalogs[n.catalog], Said: transcript.CatalogOptions(x.items[n.catalog])})
	case opAbort:
		return do(k, verbs.Verb{Op: verbs.OpAbort})
	case opAbandon:
		n.lossy = true // the sender waits for its timeout
		return do(k&1, verbs.Verb{Op: verbs.OpAbandon, Call: n.books[k&1].handle(n.end[k&1], k>>1)})
	}
	return x.transport(n, a.Op, k, r)
}

// transport does an act of the links, or lets time pass.
func (x *pairScope) transport(n pair, op uint8, i int, r *explore.Report) (pair, bool) {
	switch op {
	case opDeliver, opDouble:
		l := n.link(i)
		head := l.list[0]
		m := head.msg
		if op == opDeliver {
			l.list = l.list[1:]
		} else { // the head stays
			n.doubled, n.lossy = n.doubled+1, true
		}
		v := verbs.Verb{Op: verbs.OpReceive, Message: m}
		if n.rec[0] != nil {
			v.Said = []string{string(jsonrpc.Append(nil, m))}
		}
		next, ok := x.do(n, 1-i, v, r)
		if n.doubled == 0 && !x.keepalive && n.books[1-i].ignores(&head, nil) && !x.same(&n, &next) {
			r.Fail("%s: a message for nobody does something", sides[1-i])
		}
		return next, ok
	case opCut:
		n.up.closed, n.down.closed, n.lossy = true, true, true
	case opLose:
		l, last := n.link(i), len(n.link(i).list)-1
		l.list, n.lossy = l.list[:last:last], true
	case opInputEnds:
		n.books[i].deaf = true
		return x.do(n, i, verbs.Verb{Op: verbs.OpInputClosed}, r)
	case opGone:
		n.up.closed, n.down.closed, n.lossy = true, true, true
		n.link(1 - i).list = nil
		return x.do(n, i, verbs.Verb{Op: verbs.OpDisconnected}, r)
	case opTick:
		return x.do(n, i, verbs.Verb{Op: verbs.OpTick}, r)
	case opTime, opAdvance:
		var at time.Time
		for _, m := range n.end {
			if t, ok := m.NextDeadline(); ok && (at.IsZero() || t.Before(at)) {
				at = t
			}
		}
		if at.After(n.now) {
			n.now = at
		}
		if op == opTime {
			n, _ = x.do(n, 0, verbs.Verb{Op: verbs.OpTick}, r)
			return x.do(n, 1, verbs.Verb{Op: verbs.OpTick}, r)
		}
	case opReset:
		for i := range 2 {
			m, _, err := n.rec[i].Do(n.end[i], n.now, verbs.Verb{Op: verbs.OpReset})
			if err != nil { // check reports it
				return n, false
			}
			n.end[i], n.at[i], n.books[i] = m, n.now, books{last: n.books[i].last}
		}
		n.up, n.down, n.lossy, n.doubled = link{}, link{}, false, 0
	}
	return n, true
}

// do does a verb at one end, checks its effects against the books, and queues the messages on
// the link.
func (x *pairScope) do(n pair, i int, v verbs.Verb, r *explore.Report) (pair, bool) {
	before := n.end[i]
	next, out, err := n.rec[i].Do(before, n.now, v)
	if err != nil { // refused covers verbs that fail
		return n, false
	}
	if t, ok := next.NextDeadline(); ok && v.Op == verbs.OpTick && !t.After(n.now) {
		r.Fail("%s: something is due after Tick", sides[i])
	}
	n.end[i], n.at[i] = next, n.now
	n.books[i] = n.books[i].watch(sides[i], x.patience, n.now, before, next, &v, &out, r)
	for k := range out.Events {
		if ev := &out.Events[k]; ev.Kind == lifecycle.Violation && !n.lossy {
			r.Fail("%s: blames the peer, which did nothing wrong: %s", sides[i], ev.Rule)
		}
	}
	l := n.link(i)
	if len(out.Send) > 0 && !l.closed {
		list := make([]wire, len(l.list), len(l.list)+len(out.Send))
		copy(list, l.list)
		for k := range out.Send {
			list = append(list, newWire(&out.Send[k].Message))
		}
		l.list = list
	}
	if out.Close != nil { // the driver closes after writing, and no longer reads
		l.closed = true
		back := n.link(1 - i)
		back.closed, back.list, n.lossy = true, nil, true
	}
	return n, true
}
