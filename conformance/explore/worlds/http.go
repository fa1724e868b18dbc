package worlds

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// web is a client with its exchanges, a server with its streams, and a network between them that
// cuts, repeats and delays.
type web struct {
	now    time.Time
	c      client.State
	order  exchange.Order
	of     exchange.Session
	talks  []talk
	conns  uint64
	live   bool // the server has a session
	nth    int  // its number
	s      server.State
	x      streams.Streams
	socks  []sock
	calls  []wcall
	asks   []client.Call
	posted []string // requests that arrived in this session
	heard  []int    // log messages that arrived
	logs   int      // that were sent
	lost   int      // messages that the Streams reported as lost
	wiped  bool     // the server lost the session
	excuse bool     // the head of a GET stream was lost: so is what was written to it
	runs   []wrun   // functions, if there are several processes
	before stored   // before the turn that the store may lose
	n      [budgets]int
}

// talk is an exchange of the client and its connection.
type talk struct {
	t        exchange.Ticket
	o        lifecycle.Outgoing
	x, first exchange.Exchange
	tries    int
	at       uint8 // of the connection
	conn     uint64
	head     exchange.Head
	body     string
	pipe     []sse.Event
	eof, get bool
}

// The state of a connection.
const (
	nowhere  uint8 = iota
	outbound       // the request is under way
	headed         // the head of the answer is
	flowing        // the body is
	pending        // the server has not begun the answer
)

// sock is a connection at the server.
type sock struct {
	conn        uint64
	c           streams.Conn
	after       int
	alive, json bool
	owner       uint8 // the process that has it
}

// wcall is a call of the client.
type wcall struct {
	id        int64
	req       client.Req
	got, sent int // progress
	resumable bool
}

// Budgets limit how often something may happen.
const (
	nCall = iota
	nProgress
	nLog
	nAsk
	nCancel
	nCut
	nRestart
	nWipe
	nDouble
	nTime
	nHang
	nKill
	nRefuse
	nLose
	budgets
)

// The operations, by their letters in webNames. Those of the network come last.
const (
	wopCall uint8 = iota
	wopCancel
	wopAnswer
	wopRespond
	wopProgress
	wopAsk
	wopHangUp
	wopLog
	wopRestart
	wopWipe
	wopTime
	wopArrive
	wopDouble
	wopHead
	wopEvent
	wopCut
	wopDetach
	wopBegin
	wopKill
	wopTake
	wopRefuse
	wopLose
	webOps
)

var webNames = [webOps]string{
	"call", "cancel", "answer", "respond", "progress", "ask", "hang up", "log", "restart", "wipe", "time",
	"arrive", "double", "head", "event", "cut", "detach", "begin",
	"kill", "take over", "refuse", "lose the last turn",
}

func (x *webScope) actions(dst []explore.Action, w *web) []explore.Action {
	add := func(budget int, op uint8, arg int) {
		if budget < 0 || w.n[budget] < x.most[budget] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	if w.c.Phase() == lifecycle.Ready {
		add(nCall, wopCall, 0)
		for i := range w.calls {
			add(nCancel, wopCancel, i)
		}
		if len(w.asks) > 0 {
			add(-1, wopAnswer, 0)
		}
	}
	if w.live && (w.s.Phase() == lifecycle.Ready || w.s.Phase() == lifecycle.Initializing) {
		i := 0
		for c := range w.s.Inbound() {
			if x.processes > 0 && w.run(c.Call.Seq()) == nobody {
				i++
				continue
			}
			add(-1, wopRespond, i)
			if !c.ProgressToken.IsZero() {
				add(nProgress, wopProgress, i)
			}
			if w.s.Phase() == lifecycle.Ready {
				add(nAsk, wopAsk, i)
			}
			add(nHang, wopHangUp, i)
			i++
		}
		if w.s.Phase() == lifecycle.Ready {
			add(nLog, wopLog, 0)
			add(nRestart, wopRestart, 0)
			add(nWipe, wopWipe, 0)
		}
	}
	for i := range w.talks {
		k := &w.talks[i]
		switch {
		case k.at == outbound:
			for p := range max(1, x.processes) {
				add(-1, wopArrive, i|p<<webProcess)
			}
			if k.get {
				add(nDouble, wopDouble, i)
			} else {
				add(nRefuse, wopRefuse, i)
			}
		case k.at == headed:
			add(-1, wopHead, i)
		case k.at == flowing && (len(k.pipe) > 0 || k.eof):
			add(-1, wopEvent, i)
		}
		if k.at != nowhere {
			add(nCut, wopCut, i)
		}
	}
	for i := range w.socks {
		if w.socks[i].owner == nobody {
			continue
		}
		if !w.socks[i].alive {
			add(-1, wopDetach, i)
		}
		if w.socks[i].json {
			add(-1, wopBegin, i)
		}
	}
	x.processActions(w, add)
	if at, ok := w.deadline(); ok && (at.Sub(w.now) < 10*time.Minute || x.lossy) {
		add(nTime, wopTime, 0)
	}
	return dst
}

// deadline returns the next deadline.
func (w *web) deadline() (t time.Time, ok bool) {
	see := func(d time.Time, has bool) {
		if has && (!ok || d.Before(t)) {
			t, ok = d, true
		}
	}
	see(w.c.NextDeadline())
	see(w.order.NextDeadline())
	for i := range w.talks {
		see(w.talks[i].x.At(), w.talks[i].x.Phase() == exchange.Waiting)
	}
	if w.live {
		see(w.s.NextDeadline())
		see(w.x.NextDeadline())
	}
	return t, ok
}

func inboundOf(s server.State, i int) lifecycle.CallInfo {
	for c := range s.Inbound() {
		if i == 0 {
			return c
		}
		i--
	}
	panic("no such call")
}

// do does an action.
func (x *webScope) do(n web, a explore.Action, r *explore.Report) (web, bool) {
	w, i := &n, int(a.Arg)
	w.talks, w.socks, w.calls, w.runs = slices.Clone(w.talks), slices.Clone(w.socks), slices.Clone(w.calls), slices.Clone(w.runs)
	if b, ok := map[uint8]int{wopCall: nCall, wopCancel: nCancel, wopProgress: nProgress, wopAsk: nAsk, wopHangUp: nHang, wopLog: nLog,
		wopRestart: nRestart, wopWipe: nWipe, wopTime: nTime, wopDouble: nDouble, wopCut: nCut,
		wopKill: nKill, wopRefuse: nRefuse, wopLose: nLose}[a.Op]; ok {
		w.n[b]++
	}
	if a.Op >= wopRestart {
		x.network(w, a.Op, i, r)
		return n, true
	}
	var out lifecycle.Output
	var err error
	c, s := w.c, w.s
	switch a.Op {
	case wopCall:
		c, out, err = w.c.Request(w.now, callParams, client.RequestOptions{Progress: true})
		if err == nil {
			id, _ := out.Send[0].Message.ID.Int64()
			w.calls = append(w.calls, wcall{id: id, req: out.Req})
		}
	case wopCancel:
		c, out, err = w.c.Cancel(w.now, w.calls[i].req, "")
	case wopAnswer:
		call := w.asks[0]
		w.asks = slices.Clone(w.asks[1:])
		c, out, err = w.c.Respond(w.now, call, askResult)
	case wopRespond:
		s, out, err = w.s.Respond(w.now, inboundOf(w.s, i).Call, callResult)
	case wopProgress:
		in := inboundOf(w.s, i)
		id, _ := in.ID.Int64()
		k := slices.IndexFunc(w.calls, func(c wcall) bool { return c.id == id })
		if k < 0 {
			return n, false // the client has given it up
		}
		w.calls[k].sent++
		s, out, err = w.s.Progress(w.now, in.Call, protocol.ProgressParams{Progress: float64(w.calls[k].sent)})
	case wopAsk:
		s, out, err = w.s.Request(w.now, askParams, server.RequestOptions{Within: inboundOf(w.s, i).Call})
	case wopLog:
		w.logs++
		s, out, err = w.s.Notify(w.now, protocol.LoggingMessageParams{Level: "error", Data: jsonrpc.Raw(strconv.Itoa(w.logs))}, server.Call{})
	case wopHangUp:
		return n, x.hangUp(w, i, r)
	}
	if err != nil {
		r.Reach("refused " + webNames[a.Op])
		return n, false
	}
	if w.c != c {
		w.c = c
		x.sent(w, out, r)
	} else {
		x.server(w, s, out, r)
	}
	return n, true
}

// network does an act of the network, or lets time pass.
func (x *webScope) network(w *web, op uint8, i int, r *explore.Report) {
	switch op {
	case wopArrive:
		x.arrive(w, i&(1<<webProcess-1), uint8(i>>webProcess), false, r)
	case wopDouble: // a copy whose answer nobody reads
		w.excuse = true
		x.arrive(w, i, 0, true, r)
	case wopHead:
		x.head(w, i, r)
	case wopEvent:
		x.event(w, i, r)
	case wopCut:
		w.excuses(i)
		x.closed(w, i, r)
	case wopDetach:
		c := w.socks[i].c
		w.socks = slices.Delete(w.socks, i, i+1)
		var e streams.Effects
		w.x, w.s, e = w.x.Detach(w.s, w.now, c)
		x.effects(w, e, r)
	case wopBegin:
		x.begin(w, i, r)
	case wopKill:
		x.kill(w, uint8(i), r)
	case wopTake:
		x.takeOver(w, r)
	case wopRefuse: // the process could not store the turn
		w.talks[i].at, w.talks[i].head = headed, exchange.Head{Status: 503}
	case wopLose:
		x.loseTurn(w, r)
	case wopRestart: // with a store
		s, err := server.Restore(x.server0, w.s.Snapshot(), w.now)
		y, err2 := streams.Restore(x.streams, w.x.Snapshot(), s, w.now)
		if err != nil || err2 != nil {
			r.Fail("a server does not come back: %v", errors.Join(err, err2))
			return
		}
		w.socks = nil
		var e streams.Effects
		w.x, w.s, e = y.DetachAll(s, w.now)
		x.effects(w, e, r)
		x.breakAll(w, r)
	case wopWipe: // a restart without
		w.live, w.socks, w.wiped = false, nil, true
		x.breakAll(w, r)
	case wopTime:
		at, _ := w.deadline()
		if at.After(w.now) {
			w.now = at
		}
		var out client.Output
		w.c, out = w.c.Tick(w.now)
		x.sent(w, out, r)
		x.reopen(w, r)
		for k := 0; k < len(w.talks); k++ {
			if w.talks[k].x.Phase() == exchange.Waiting {
				w.talks[k].x = w.talks[k].x.Tick(w.now)
				w.send(k)
			}
		}
		if w.live {
			s, out := w.s.Tick(w.now)
			x.server(w, s, out, r)
			var e streams.Effects
			w.x, w.s, e = w.x.Tick(w.s, w.now)
			x.effects(w, e, r)
		}
		x.pump(w, r)
		if at, ok := w.deadline(); ok && !at.After(w.now) {
			r.Fail("something is due after all was told the time")
		}
	}
}

// breakAll breaks all connections except those whose request is under way.
func (x *webScope) breakAll(w *web, r *explore.Report) {
	var ids []uint64
	for i := range w.talks {
		if k := &w.talks[i]; k.conn != 0 && k.at != outbound {
			w.excuses(i)
			ids = append(ids, k.conn)
		}
	}
	for _, id := range ids {
		if i := slices.IndexFunc(w.talks, func(k talk) bool { return k.conn == id }); i >= 0 {
			x.closed(w, i, r)
		}
	}
}
