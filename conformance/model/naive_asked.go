package model

import (
	"cmp"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// asks reports whether the call asks the user of this side.
func (c call) asks() bool {
	return c.of == 0 && (c.method == "sampling/createMessage" || c.method == "elicitation/create")
}

// over takes the call at index i out.
func (n *Naive) over(i int) {
	c := n.calls[i]
	n.calls = slices.Delete(n.calls, i, i+1)
	if c.asks() && !slices.ContainsFunc(n.calls, call.asks) {
		n.freeAt = min(n.now, n.patience())
	}
}

// patience returns until when the question that was asked last counts.
func (n *Naive) patience() int64 {
	human := cmp.Or(n.set.Timeouts.Human, 10*time.Minute)
	if human == lifecycle.NoTimeout || n.askedAt > 0 && int64(human) > never-n.askedAt {
		return never
	}
	return n.askedAt + int64(human)
}

// putOff returns when a request that is due ends instead: its timeout after the peer last had a
// question, which is now as long as it has one.
func (n *Naive) putOff(r req) int64 {
	switch r.method {
	case "server/discover", "subscriptions/listen", "initialize", "ping", "sampling/createMessage", "elicitation/create":
		return r.deadline
	}
	from := n.freeAt
	if slices.ContainsFunc(n.calls, call.asks) {
		from = min(n.now, n.patience())
	}
	if r.timeout < 0 || from > 0 && int64(r.timeout) > never-from {
		return r.hard
	}
	return min(from+int64(r.timeout), r.hard)
}

// pause gives a request of ours the time of a person, or its own time anew.
func (n *Naive) pause(s *Step) {
	i := n.req(s.Req.Seq())
	if i < 0 || n.reqs[i].asking() || n.now >= n.reqs[i].deadline {
		return
	}
	r := &n.reqs[i]
	switch {
	case s.Paused:
		r.deadline = min(max(r.deadline, n.in(cmp.Or(n.set.Timeouts.Human, 10*time.Minute))), r.hard)
	case r.method == "subscriptions/listen" && !r.acked && r.deadline != r.hard:
		r.deadline = min(n.in(r.timeout), n.in(cmp.Or(n.set.Timeouts.Request, time.Minute)), r.hard)
	default:
		r.deadline = min(n.in(r.timeout), r.hard)
	}
}
