package worlds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relayed is a Relay with an arbitrary client and arbitrary servers.
type relayed struct {
	r      relay.Relay
	s      server.State
	net    managed // the transports; it has no Manager of its own
	next   uint64  // the next id of the client
	reqs   []rreq  // of the client
	asks   []uint64
	held   []held // by a client without a session
	set    uint8  // the set of servers
	closed bool   // Close was called
	from   time.Time
	had    uint8 // the servers, a and b, for which lists of this session no longer wait
}

// rreq is an open request of the client.
type rreq struct {
	id    uint64
	what  uint8 // ropCallA, ropCallB, ropList
	since time.Time
	free  bool // the server of its tool was unavailable for some time: another may answer
}

// The operations of the client and of the Relay's user. Those of the links follow.
const (
	ropTime uint8 = iota
	ropCallA
	ropCallB
	ropList
	ropCancel
	ropAnswer
	ropGone
	ropAgain
	ropServers
	ropRestart
	ropClose
	ropMake
	ropEmpty
	ropTwice
	ropRest
	ropLinks
	relayOps = ropLinks + managerOps - mopOpened
)

var relayNames = append([]string{
	"time", "call a", "call b", "list", "cancel", "answer", "gone", "again", "set the servers", "restart", "close", "make again", "make again without answers", "make again twice", "rest",
}, managerNames[mopOpened:]...)

const (
	clientHello = `"id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}`
	clientReady = `"method":"notifications/initialized"`
)

func (x *relayScope) actions(dst []explore.Action, w *relayed) []explore.Action {
	add := func(op uint8, arg int) {
		if x.on[op] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	switch live := w.s.Phase() == lifecycle.Ready || x.stateless && w.s.Phase().Live(); {
	case live:
		if len(w.reqs)+w.parked() < x.most && !w.closed {
			add(ropCallA, 0)
			add(ropCallB, 0)
			add(ropList, 0)
		}
		for i := range w.reqs {
			add(ropCancel, i)
		}
		for i := range w.held {
			switch {
			case len(w.reqs) >= x.most || w.closed:
			case w.held[i].used:
				add(ropTwice, i)
			default:
				add(ropMake, i)
				add(ropEmpty, i)
			}
		}
		if len(w.asks) > 0 {
			add(ropAnswer, 0)
		}
		add(ropGone, 0)
	case !w.closed && len(w.net.links) < 2:
		add(ropAgain, 0)
	}
	if !w.closed && len(w.net.links) < 3 { // the limit of 1<<mopMost
		for i := range x.sets {
			if i != int(w.set) {
				add(ropServers, i)
			}
		}
		add(ropRestart, 0)
		if len(w.reqs) == 0 {
			add(ropRest, 0)
		}
		add(ropClose, 0)
	}
	for i := range w.net.links {
		l := &w.net.links[i]
		l.actions(i, func(op uint8, arg int) {
			if op != mopReply || !l.ends(op, arg) { // subscriptions stay open
				add(ropLinks+op-mopOpened, arg)
			}
		})
	}
	if _, ok := x.deadline(w); ok {
		add(ropTime, 0)
	}
	return dst
}

func (x *relayScope) deadline(w *relayed) (time.Time, bool) {
	at, ok := w.r.NextDeadline()
	if t, has := w.s.NextDeadline(); has && (!ok || t.Before(at)) {
		return t, true
	}
	return at, ok
}

// step does an action.
func (x *relayScope) step(w relayed, a explore.Action, r *explore.Report) (relayed, bool) {
	w.net.links, w.reqs, w.asks, w.held = slices.Clone(w.net.links), slices.Clone(w.reqs), slices.Clone(w.asks), slices.Clone(w.held)
	now := w.net.now
	var e relay.Effects
	switch a.Op {
	case ropTime:
		at, _ := x.deadline(&w)
		if at.After(now) {
			w.net.now, now = at, at
		}
		s, out := w.s.Tick(now)
		w = x.handed(w, s, out, r)
		w.r, w.s, e = w.r.Tick(w.s, now)
		w = x.taken(w, e, r)
		if at, ok := x.deadline(&w); ok && !at.After(now) {
			r.Fail("something is due after Tick")
		}
		return w, true
	case ropCallA, ropCallB, ropList:
		w.next++
		w.reqs = append(w.reqs, rreq{id: w.next, what: a.Op, since: now})
		if x.stateless {
			return x.says(w, r, `"id":%d,"method":"tools/call","params":{"name":%q,%s}`, w.next, relayTools[a.Op-ropCallA], envelope), true
		}
		if a.Op == ropList {
			return x.says(w, r, `"id":%d,"method":"tools/list"`, w.next), true
		}
		return x.says(w, r, `"id":%d,"method":"tools/call","params":{"name":%q}`, w.next, relayTools[a.Op-ropCallA]), true
	case ropCancel: // nothing comes of it from here on
		id := w.reqs[a.Arg].id
		w.reqs = slices.Delete(w.reqs, int(a.Arg), int(a.Arg)+1)
		return x.says(w, r, `"method":"notifications/cancelled","params":{"requestId":%d}`, id), true
	case ropAnswer:
		id := w.asks[0]
		w.asks = w.asks[1:]
		return x.says(w, r, `"id":%d,"result":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`, id), true
	case ropMake, ropEmpty, ropTwice:
		return x.again(w, a, r), true
	case ropGone:
		w.reqs, w.asks = nil, nil
		s, out := w.s.Disconnected(now, nil)
		return x.handed(w, s, out, r), true
	case ropAgain:
		s, err := w.s.Reset(now)
		if err != nil {
			return w, false
		}
		w.s, w.from, w.had = s, now, 0
		w = x.says(w, r, clientHello, protocol.Revisions()[0].String())
		return x.says(w, r, clientReady), true
	case ropServers, ropRestart:
		var err error
		if a.Op == ropServers {
			w.set = a.Arg
			w.r, w.s, e, err = w.r.SetServers(w.s, now, x.sets[a.Arg])
		} else {
			w.r, w.s, e, err = w.r.Restart(w.s, now, x.sets[w.set][0].Name)
		}
		if err != nil {
			r.Fail("%s: %v", relayNames[a.Op], err)
		}
		return x.taken(w, e, r), true
	case ropRest:
		was := w.r.Resting()
		if w.r, w.s, e = w.r.Rest(w.s, now); was == w.r.Resting() {
			return w, false // it has not begun, or a question is open
		}
		return x.taken(w, e, r), true
	case ropClose:
		w.closed = true
		w.r, w.s, e = w.r.Close(w.s, now)
		return x.taken(w, e, r), true
	}
	rep := w.net.report(explore.Action{Op: a.Op - ropLinks + mopOpened, Arg: a.Arg}, func(epoch uint64, q mreq) string {
		if body := w.net.serves(epoch, q); x.modern && body != "{}" {
			return complete(q.method, body)
		}
		return w.net.serves(epoch, q)
	})
	w.r, w.s, e = w.r.Report(w.s, now, rep)
	return x.taken(w, e, r), true
}

// relayTools are the tools of the servers a and b. Each answer names its server.
var (
	relayOwners = [2]string{"a", "b"}
	relayTools  = [2]string{"tool-a", "tool-b"}
)

// has reports whether the Relay has the server.
func (w *relayed) has(name string) bool {
	return slices.ContainsFunc(w.r.Statuses(), func(st manager.Status) bool { return st.Link.Server == name })
}

// starting reports whether a list may wait for the server.
func starting(st manager.Status) bool {
	return st.Condition == manager.Connecting || st.Condition == manager.Handshaking || st.Condition == manager.Idle
}

// bit returns the bit of the server in relayed.had.
func bit(st manager.Status) uint8 { return 1 << slices.Index(relayOwners[:], st.Link.Server) }

// serves returns a server's answer.
func (w *managed) serves(epoch uint64, q mreq) string {
	name := w.link(epoch).name
	switch q.method {
	case "tools/call":
		return fmt.Sprintf(`{"content":[{"type":"text","text":"by %s"}]}`, name)
	case "tools/list":
		return fmt.Sprintf(`{"tools":[{"name":"tool-%s","inputSchema":{"type":"object"}}]}`, name)
	}
	return `{}`
}

// says sends a message of the client.
func (x *relayScope) says(w relayed, r *explore.Report, format string, args ...any) relayed {
	s, out := w.s.Receive(w.net.now, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0",`+format+`}`, args...)))
	return x.handed(w, s, out, r)
}

// handed passes an Output of the session with the client to the Relay.
func (x *relayScope) handed(w relayed, s server.State, out server.Output, r *explore.Report) relayed {
	var e relay.Effects
	w.r, w.s, e = w.r.Handle(s, w.net.now, out)
	return x.taken(w, e, r)
}

// taken records the effects of a step.
func (x *relayScope) taken(w relayed, e relay.Effects, r *explore.Report) relayed {
	for i := range e.Actions {
		w.net.act(&e.Actions[i], r)
	}
	for i := range w.reqs {
		q := &w.reqs[i]
		q.free = q.free || q.what != ropList && !w.has(relayOwners[q.what-ropCallA])
	}
	for i := range e.Servers {
		r.Reach("server " + e.Servers[i].Kind.String() + " " + e.Servers[i].To.String())
	}
	for i := range e.Output.Events {
		if ev := &e.Output.Events[i]; ev.Kind == lifecycle.Violation {
			r.Fail("the Relay blames the client: %s", ev.Rule)
		}
	}
	for i := range e.Send {
		m := &e.Send[i].Message
		id, _ := m.ID.Int64()
		switch {
		case m.Kind == jsonrpc.KindRequest:
			w.asks = append(w.asks, uint64(id))
		case m.Method == "notifications/cancelled":
			q := newWire(m)
			w.asks = slices.DeleteFunc(w.asks, func(id uint64) bool { return id == q.own })
		case m.Kind == jsonrpc.KindNotification:
			r.Reach("client gets " + m.Method)
		case id != 1:
			k := slices.IndexFunc(w.reqs, func(q rreq) bool { return q.id == uint64(id) })
			if k < 0 {
				r.Fail("an answer to what the client does not wait for")
				continue
			}
			q := w.reqs[k]
			w.reqs = slices.Delete(w.reqs, k, k+1)
			x.judge(&w, q, m, r)
		}
	}
	for _, st := range w.r.Statuses() { // Lists.Hold counts once in a session
		if !starting(st) {
			w.had |= bit(st)
		}
	}
	return w
}

// judge checks the answer to a request of the client.
func (x *relayScope) judge(w *relayed, q rreq, m *jsonrpc.Message, r *explore.Report) {
	body := string(m.Body)
	asks, is := askedFor(q.what, m)
	switch {
	case is:
		r.Reach(relayNames[q.what] + " asks")
		if n := w.asking(); len(asks.questions) > n && !x.modern { // whose servers have ended the call
			r.Fail("a call asks %d questions, and servers wait for %d", len(asks.questions), n)
		}
		asks.since = w.net.now
		w.held = append(w.held, asks)
	case m.Err != nil:
		r.Reach(relayNames[q.what] + " fails: " + fmt.Sprint(m.Err.Code))
	case q.what != ropList:
		r.Reach(relayNames[q.what] + " is answered")
		if !q.free && !strings.Contains(body, "by "+relayOwners[q.what-ropCallA]) { // a single server gets requests for unlisted tools
			r.Fail("a call is answered by another server: %s", body)
		}
	default:
		list, _ := rawjson.Get(body, "tools")
		r.Reach(fmt.Sprintf("a list of %d tools", strings.Count(list, `"name"`)))
		for _, st := range w.r.Statuses() {
			if starting(st) && w.had&bit(st) == 0 && w.net.now.Sub(w.from) < x.cfg.Lists.Hold && !strings.Contains(list, "tool-"+st.Link.Server) {
				r.Fail("a list is answered before the servers had their time")
			}
		}
	}
}
