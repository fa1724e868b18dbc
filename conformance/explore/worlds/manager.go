package worlds

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/protocol"
)

// managed is a Manager with its transports, an arbitrary server behind each,
// and an application.
type managed struct {
	m     manager.Manager
	now   time.Time
	links []mlink
	ops   []mop
	last  [2]uint64    // the newest operation and the newest link
	dead  manager.Link // one that is over
}

// mlink is a transport, and the open requests of the server behind it and to it.
type mlink struct {
	epoch uint64
	name  string
	state uint8
	reqs  []mreq
	asks  []mask
	asked uint64 // the last id of the server
	plain bool   // it has said that it needs no handshake
}

const (
	linkOpening uint8 = iota
	linkOpen
	linkClosing // was opening, or open
)

type mreq struct {
	id     uint64
	method string
	page   bool   // it has a cursor
	acked  bool   // of a subscription: it is acknowledged
	round  uint64 // of a repeated call: the round whose answers it has
	person uint8  // how often it waited for a person, or continued
}

type mask struct{ id uint64 }

// mop is an operation of the application that has not ended.
type mop struct {
	seq  uint64
	kind uint8 // the action
	from time.Time
}

func (l *mlink) link() manager.Link { return manager.Link{Server: l.name, Epoch: l.epoch} }

// The operations. Those from mopConnect to mopUnsubscribe have a name as argument, those from
// mopOpened on a link, and with it a request of the client or of the server.
const (
	mopTime uint8 = iota
	mopConnect
	mopReplace
	mopReconnect
	mopDemand
	mopDisconnect
	mopRequest
	mopList
	mopPing
	mopSubscribe
	mopUnsubscribe
	mopLevel
	mopAnswer
	mopWithin
	mopDisconnectAll
	mopHealth
	mopCancel
	mopOpened
	mopOpenFailed
	mopLost
	mopClosed
	mopShake
	mopRefuse
	mopOldVersion
	mopReply
	mopMore
	mopError
	mopSendFailed
	mopResponseLost
	mopAsk
	mopUnask
	mopFound
	mopAck
	mopInput
	mopNeedless
	mopPause
	mopResume
	managerOps
)

var managerNames = [managerOps]string{
	"time", "connect", "replace", "reconnect", "open on demand", "disconnect", "request", "list", "ping", "subscribe", "unsubscribe", "set level",
	"answer", "request within", "disconnect all", "check health", "cancel",
	"opened", "open failed", "lost", "closed", "shake hands", "refuse the handshake", "another version", "reply", "reply with more", "reply with an error",
	"send failed", "response lost", "ask", "withdraw the question", "say what it is", "acknowledge", "ask for input",
	"refuse what needs no handshake", "wait for a person", "go on",
}

const mopMost = 3 // bits of the number of a link

func (w *managed) link(epoch uint64) *mlink {
	for i := range w.links {
		if w.links[i].epoch == epoch {
			return &w.links[i]
		}
	}
	return nil
}

// actions appends the possible actions.
func (x *managerScope) actions(dst []explore.Action, w *managed) []explore.Action {
	add := func(op uint8, arg int) {
		if x.on[op] {
			dst = append(dst, explore.Action{Op: op, Arg: uint8(arg)})
		}
	}
	room := len(w.ops) < x.most
	for i, name := range x.names {
		st, known := w.m.Status(name)
		if room {
			if links := len(w.links) < x.links; links && (!known || st.Condition == manager.Failed && !x.demand) {
				add(mopConnect, i)
			} else if links {
				add(mopReplace, i)
			}
			if known && len(w.links) < x.links {
				add(mopReconnect, i)
				if st.Condition == manager.Idle || st.Condition == manager.Failed && !st.RetryAt.After(w.now) {
					add(mopDemand, i)
				}
			}
			add(mopDisconnect, i)
		}
		if room && st.Condition == manager.Ready {
			for op := mopRequest; op <= mopLevel; op++ {
				add(op, i)
			}
		}
		c, _ := w.m.Client(name)
		k := 0
		for range c.Inbound() {
			add(mopAnswer, i|k<<1)
			if room {
				add(mopWithin, i|k<<1)
			}
			k++
		}
	}
	if room {
		add(mopDisconnectAll, 0)
		add(mopHealth, 0)
	}
	for i, o := range w.ops {
		if o.kind == mopRequest || o.kind == mopList || o.kind == mopPing || o.kind == mopHealth {
			add(mopCancel, i)
		}
	}
	for i := range w.links {
		w.links[i].actions(i, add)
	}
	if _, ok := w.m.NextDeadline(); ok {
		add(mopTime, 0)
	}
	return dst
}

// actions adds the acts of the transport and the server.
func (l *mlink) actions(i int, add func(op uint8, arg int)) {
	switch l.state {
	case linkOpening:
		add(mopOpened, i)
		add(mopOpenFailed, i)
	case linkClosing:
		add(mopClosed, i)
	case linkOpen:
		add(mopLost, i)
		for k, r := range l.reqs {
			arg := i | k<<mopMost
			if r.person < 2 { // or people come and go endlessly
				add(mopPause, arg)
				add(mopResume, arg)
			}
			if r.method == "initialize" {
				add(mopShake, arg)
				add(mopRefuse, arg)
				add(mopOldVersion, arg)
				add(mopNeedless, arg)
				continue
			}
			if r.method == protocol.MethodDiscover {
				add(mopFound, arg)
				add(mopRefuse, arg)
				continue
			}
			if r.method == protocol.MethodListen && !r.acked {
				add(mopAck, arg)
			}
			add(mopReply, arg)
			add(mopError, arg)
			if r.method == "tools/list" && !r.page {
				add(mopMore, arg)
			}
			if r.method == "tools/call" && r.round < maxRounds {
				add(mopInput, arg)
			}
			add(mopSendFailed, arg)
			add(mopResponseLost, arg)
		}
		for k := range l.asks {
			add(mopUnask, i|k<<mopMost)
		}
		if len(l.asks) == 0 {
			add(mopAsk, i)
		}
	}
}

const hello = `{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s","version":"1"}}`

// step does an action.
func (x *managerScope) step(w managed, a explore.Action, r *explore.Report) (managed, bool) {
	w.links, w.ops = slices.Clone(w.links), slices.Clone(w.ops)
	if a.Op >= mopOpened {
		return x.reported(w, a, r)
	}
	var e manager.Effects
	var err error
	before, now := w.m, w.now
	name := x.names[int(a.Arg)&1%len(x.names)]
	kind := a.Op
	switch a.Op {
	case mopTime:
		at, _ := w.m.NextDeadline()
		if at.After(w.now) {
			w.now = at
		}
		kind = 0
		w.m, e = w.m.Tick(w.now)
	case mopConnect, mopReplace:
		opt := x.opt
		if opt.Replace = a.Op == mopReplace; opt.Replace {
			if m, e, err := w.m.Connect(now, name, x.opt); m != before || !e.IsZero() || !errors.Is(err, manager.ErrNameInUse) && !x.demand {
				r.Fail("a name in use is connected")
			}
		}
		kind = mopConnect
		w.m, e, err = w.m.Connect(now, name, opt)
	case mopReconnect:
		kind = mopConnect
		w.m, e, err = w.m.Reconnect(now, name)
	case mopDemand:
		kind = mopConnect
		w.m, e, err = w.m.Open(now, name)
	case mopDisconnect:
		w.m, e = w.m.Disconnect(now, name)
	case mopDisconnectAll:
		kind = mopDisconnect
		w.m, e = w.m.DisconnectAll(now)
	case mopRequest:
		w.m, e, err = w.m.CallTool(now, name, "t", "{}", manager.RequestOptions{})
	case mopWithin:
		kind = mopRequest
		w.m, e, err = w.m.CallTool(now, name, "t", "{}", manager.RequestOptions{Within: w.call(name, int(a.Arg>>1))})
	case mopList:
		w.m, e, err = w.m.List(now, name, "tools/list", manager.Budget{})
	case mopPing:
		w.m, e, err = w.m.Request(now, name, protocol.PingParams{}, manager.RequestOptions{})
	case mopSubscribe:
		kind = mopRequest
		w.m, e, err = w.m.Request(now, name, protocol.SubscribeParams{URI: "u:1"}, manager.RequestOptions{})
	case mopUnsubscribe:
		kind = mopRequest
		w.m, e, err = w.m.Request(now, name, protocol.UnsubscribeParams{URI: "u:1"}, manager.RequestOptions{})
	case mopLevel:
		kind = mopRequest
		w.m, e, err = w.m.Request(now, name, protocol.SetLevelParams{Level: "info"}, manager.RequestOptions{})
	case mopHealth:
		w.m, e = w.m.HealthCheck(now)
	case mopAnswer:
		kind = 0
		w.m, e, err = w.m.Respond(now, w.call(name, int(a.Arg>>1)), askResult)
	case mopCancel:
		kind = 0
		op := manager.OpOf(w.ops[a.Arg].seq)
		w.m, e, err = w.m.Cancel(now, op, "enough")
		if err == nil && !slices.ContainsFunc(e.Events, func(ev manager.Event) bool { return ev.Kind == manager.OpDone && ev.Op == op }) {
			r.Fail("a cancelled operation does not end at once")
		}
	}
	return x.taken(w, e, err, a.Op, kind, r)
}

func (w *managed) call(name string, k int) manager.Call {
	c, _ := w.m.Client(name)
	l, _ := w.m.Link(name)
	for info := range c.Inbound() {
		if k == 0 {
			return manager.Call{Link: l, Call: info.Call}
		}
		k--
	}
	panic("no such call")
}
