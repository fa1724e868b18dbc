package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// tick gives up what is due, in the order of deadline and id.
func (n *Naive) tick(x *Expect) {
	if !n.live() {
		return
	}
	var due []req
	for _, r := range n.reqs {
		if r.deadline != never && r.deadline <= n.now {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b req) int { return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.id, b.id)) })
	handshake, probe, silent := false, false, false
	for _, r := range due {
		if later := n.putOff(r); later > n.now {
			n.reqs[n.req(r.id)].deadline = later
			continue
		}
		if n.req(r.id) < 0 {
			continue // it went with what it was asked within
		}
		n.withdrawn(r, "timed out", x)
		n.failAt(n.req(r.id), Why{Kind: lifecycle.CauseTimedOut}, x)
		handshake, probe = handshake || r.method == "initialize", probe || r.probe
		if r.method == "ping" && n.heard <= r.sent && !r.reported { // progress comes after the ping, be it at the same instant
			n.misses++
			silent = silent || n.set.Keepalive.Misses > 0 && n.misses >= n.set.Keepalive.Misses
		}
	}
	if probe && n.phase == lifecycle.Initializing && n.fallBack(x) {
		probe = false
	}
	if (handshake || probe) && n.phase == lifecycle.Initializing {
		n.failHandshake(Why{Kind: lifecycle.CauseTimedOut}, x)
		return
	}
	if silent && (n.phase == lifecycle.Initializing || n.phase == lifecycle.Ready) {
		n.move(lifecycle.ShuttingDown, Why{Kind: lifecycle.CausePeerSilent, Reason: anyWords}, x)
		n.giveUp(x)
	}
	n.keepAlive(x)
	var owed []call
	for _, c := range n.calls {
		if c.deadline != never && c.deadline <= n.now {
			owed = append(owed, c)
		}
	}
	slices.SortFunc(owed, func(a, b call) int { return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.seq, b.seq)) })
	for _, c := range owed {
		i := slices.IndexFunc(n.calls, func(d call) bool { return d.seq == c.seq })
		n.over(i)
		n.forget(c.end)
	}
	for _, c := range owed {
		if c.of != 0 {
			n.refusedQuestion(c, Why{Kind: lifecycle.CauseUnanswered, RPC: "-32603 \"no answer in time\" "}, x)
			x.Events = append(x.Events, Happening{
				Kind: lifecycle.RequestExpired, Call: c.seq, ID: c.id, Method: c.method, Cause: Why{Kind: lifecycle.CauseTimedOut},
			})
			n.endWithin(c.seq, x)
			continue
		}
		x.Send = append(x.Send, Sent{Kind: jsonrpc.KindError, ID: c.id, Code: jsonrpc.CodeInternalError, Call: c.seq, Final: true})
		x.Events = append(x.Events, Happening{
			Kind: lifecycle.RequestExpired, Call: c.seq, ID: c.id, Method: c.method, Cause: Why{Kind: lifecycle.CauseTimedOut},
		})
		x.Ended = append(x.Ended, c.seq)
		n.endWithin(c.seq, x)
	}
	if n.grace != never && n.grace <= n.now {
		n.giveUp(x)
		return
	}
	n.settle(x)
	if n.hearing() && n.announce <= n.now {
		n.announceAll(x)
	}
}

// giveUp ends what is open when the grace time is over.
func (n *Naive) giveUp(x *Expect) {
	if !n.set.Policy.QuietShutdown {
		for _, r := range n.reqs {
			n.withdrawn(r, "shutting down", x)
		}
	}
	n.dropAll(Why{Kind: lifecycle.CauseShutdown}, x)
	n.close(n.cause, x)
}

// dropAll fails every request of ours, then loses every call, oldest first.
func (n *Naive) dropAll(cause Why, x *Expect) {
	n.failEach(cause, x)
	for len(n.calls) > 0 {
		n.lose(0, cause, x)
	}
	n.grace = never
}

func (n *Naive) lose(i int, cause Why, x *Expect) {
	c := n.calls[i]
	n.over(i)
	n.forget(c.end)
	x.Events = append(x.Events, Happening{Kind: lifecycle.RequestLost, Call: c.seq, ID: c.id, Method: c.method, Cause: cause})
	x.Ended = append(x.Ended, c.seq)
}

// endWithin withdraws what was asked within a call that is over.
func (n *Naive) endWithin(seq uint64, x *Expect) {
	for i := 0; i < len(n.reqs); {
		if r := n.reqs[i]; r.within != seq {
			i++
		} else {
			n.withdrawn(r, "the call is over", x)
			n.failAt(i, Why{Kind: lifecycle.CauseCancelled, Reason: "the call is over"}, x)
		}
	}
}

func (n *Naive) failHandshake(cause Why, x *Expect) {
	n.failEach(cause, x)
	n.move(lifecycle.Failed, cause, x)
	n.close(cause, x)
}

func (n *Naive) inputClosed(x *Expect) {
	if !n.live() {
		return
	}
	n.deaf = true
	n.failEach(Why{Kind: lifecycle.CauseInputClosed}, x)
	n.move(lifecycle.ShuttingDown, Why{Kind: lifecycle.CauseInputClosed}, x)
	n.endListens(x)
	n.settle(x)
}

func (n *Naive) disconnected(s *Step, x *Expect) {
	if !n.live() {
		return
	}
	cause := Why{Kind: lifecycle.CauseLost, Local: !s.NoCause}
	n.dropAll(cause, x)
	n.move(lifecycle.Disconnected, cause, x)
}

func (n *Naive) shutdown(grace time.Duration, x *Expect) {
	if !n.live() || n.closed {
		return
	}
	n.move(lifecycle.ShuttingDown, Why{Kind: lifecycle.CauseShutdown}, x)
	n.endListens(x)
	if grace <= 0 {
		n.giveUp(x)
		return
	}
	n.grace = min(n.grace, n.in(grace))
	n.settle(x)
}

func (n *Naive) abort(s *Step, x *Expect) {
	if !n.live() || n.closed {
		return
	}
	cause := Why{Kind: lifecycle.CauseAborted, Local: !s.NoCause}
	n.dropAll(cause, x)
	n.move(lifecycle.Failed, cause, x)
	n.close(cause, x)
}

// reset begins a new session; ids and handles go on.
func (n *Naive) reset(x *Expect) {
	if n.live() {
		x.Errs = []error{lifecycle.ErrPhase}
		return
	}
	n.phase, n.revision, n.peerCaps, n.cause = lifecycle.Uninitialized, "", nil, Why{}
	n.peer, n.lastBefore = protocol.Implementation{}, n.lastReq
	n.grace, n.closed, n.deaf = never, false, false
	n.changed, n.subs, n.level, n.ends, n.found = nil, nil, 0, nil, ""
	n.askedAt, n.freeAt = -never, -never
	n.ping, n.pinging, n.misses, n.dropped = never, false, 0, 0
	n.requests, n.logsIn, n.logsOut = bucket{}, bucket{}, bucket{}
}

// offered replaces what this side lists.
func (n *Naive) offered(o Offer, x *Expect) {
	old := n.offer
	if n.set.Party == lifecycle.Client {
		if n.set.Offer.Roots == nil {
			x.Errs = append(x.Errs, lifecycle.ErrCapability)
		}
		if slices.Contains(o.Roots, "https://no.file") {
			x.Errs = append(x.Errs, lifecycle.ErrParams)
		}
		if len(x.Errs) > 0 {
			return
		}
		n.offer = o
		if !slices.Equal(old.Roots, o.Roots) && n.phase == lifecycle.Ready && !stateless(n.revision) {
			n.announceOne("roots", x)
		}
		return
	}
	for _, l := range []struct {
		list []string
		cap  string
	}{{o.Tools, "tools"}, {o.Prompts, "prompts"}, {o.Resources, "resources"}, {o.Templates, "resources"}} {
		if l.list != nil && !slices.Contains(n.caps, l.cap) {
			x.Errs = []error{lifecycle.ErrCapability}
			return
		}
	}
	n.offer = o
	if n.phase == lifecycle.Initializing || n.hearing() {
		if len(n.changed) == 0 || n.announce == never {
			n.announce = n.in(max(cmp.Or(n.set.ChangeDelay, 100*time.Millisecond), 0))
		}
		for _, l := range []struct {
			same bool
			name string
		}{
			{slices.Equal(old.Tools, o.Tools), "tools"}, {slices.Equal(old.Prompts, o.Prompts), "prompts"},
			{slices.Equal(old.Resources, o.Resources) && slices.Equal(old.Templates, o.Templates), "resources"},
		} {
			if !l.same && has(n.caps, []string{l.name + ".listChanged"}) && !slices.Contains(n.changed, l.name) {
				n.changed = append(n.changed, l.name)
			}
		}
	}
	if n.hearing() && n.announce <= n.now {
		n.announceAll(x)
	}
}

// announceAll sends the list changes that wait: to the session, and to who listens without one.
func (n *Naive) announceAll(x *Expect) {
	for _, name := range []string{"tools", "resources", "prompts"} {
		if slices.Contains(n.changed, name) {
			if n.phase == lifecycle.Ready {
				n.announceOne(name, x)
			}
			n.tellListeners("notifications/"+name+"/list_changed", map[string]any{}, x)
		}
	}
	if n.phase == lifecycle.Initializing {
		n.announce = never // the session is told once it is ready
		return
	}
	n.changed = nil
}

func (n *Naive) announceOne(list string, x *Expect) {
	if slices.Contains(n.caps, list+".listChanged") {
		x.Send = append(x.Send, Sent{Kind: jsonrpc.KindNotification, Method: "notifications/" + list + "/list_changed"})
	}
}
