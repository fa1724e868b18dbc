package main

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// How much is held, and how long.
const (
	heldMany  = 256
	heldBytes = 32 << 20
	heldTime  = 30 * time.Second // a call that none of the servers known so far has

	// A list waits for servers that are starting until one is known and the others had
	// as long again, but this at least; without any, firstTime at most.
	settleTime = 30 * time.Millisecond
	firstTime  = 2 * time.Second
)

// held are requests of the client that wait until it is known which server has which tool,
// oldest first.
type held struct {
	list  []waiting
	bytes int
}

type waiting struct {
	server.Event
	tool  string // the one that is called; "" for a list
	until time.Time
}

// add takes a request in; false if there is no place for it.
func (h *held) add(now time.Time, ev server.Event) bool {
	if n := len(h.list); n >= heldMany || n > 0 && h.bytes+len(ev.Body) > heldBytes {
		return false
	}
	w := waiting{Event: ev, until: now.Add(heldTime)}
	if ev.Method != tools {
		p, _ := protocol.Decode[protocol.CallToolParams](ev.Body) // the State has checked it
		w.tool = p.Name
	}
	h.list = append(h.list, w)
	h.bytes += len(ev.Body)
	return true
}

// remove removes the request of a call, if it is there.
func (h *held) remove(call server.Call) {
	if i := slices.IndexFunc(h.list, func(w waiting) bool { return w.Call == call }); i >= 0 {
		h.bytes -= len(h.list[i].Body)
		h.list = slices.Delete(h.list, i, i+1) // which clears its place
	}
}

// serve answers what is held, or passes it on, as far as that can be decided.
func (r *relay) serve(now time.Time) {
	for i := 0; i < len(r.held.list); {
		ev := r.held.list[i]
		list := ev.Method == tools
		to, found := r.owner(ev.tool)
		switch {
		case !list && found:
			r.held.remove(ev.Call)
			r.pass(now, to, ev.Event)
		case list && r.settled(now):
			r.held.remove(ev.Call)
			r.news.told = r.list()
			r.down(now)(ok(r.s.Respond(now, ev.Call, jsonrpc.Raw(r.news.told))))
		case !list && r.known():
			r.held.remove(ev.Call)
			r.down(now)(ok(r.s.Fail(now, ev.Call, protocol.InvalidParams("unknown tool"))))
		case !list && !now.Before(ev.until):
			r.held.remove(ev.Call)
			r.down(now)(ok(r.s.Fail(now, ev.Call, protocol.InternalError("the server of this tool has not started"))))
		default:
			i++
			continue
		}
		i = 0 // what came of it may have changed the list
	}
}

// nextHeld returns when serve may be able to decide something though nothing happens.
func (r *relay) nextHeld() (first time.Time, some bool) {
	for _, ev := range r.held.list {
		t := ev.until
		if ev.Method == tools {
			t = r.settles()
		}
		if !some || t.Before(first) {
			first, some = t, true
		}
	}
	return first, some
}

// known reports whether it is settled of all servers which tools they have.
func (r *relay) known() bool {
	return !slices.ContainsFunc(r.up, func(u upstream) bool { return !u.known() })
}

// settled reports whether the tools that are known are to be answered.
func (r *relay) settled(now time.Time) bool { return r.known() || !now.Before(r.settles()) }

// settles returns when a list waits for nobody any more.
func (r *relay) settles() time.Time {
	if r.first.IsZero() {
		return r.opened.Add(firstTime)
	}
	return r.first.Add(max(r.first.Sub(r.opened), settleTime))
}

// known reports whether it is settled which tools the server has: they were read, or
// could not be, or the server is gone.
func (u *upstream) known() bool {
	switch u.s.Phase() {
	case lifecycle.Ready:
		return u.read || u.lists.Err(tools) != nil
	case lifecycle.Uninitialized, lifecycle.Initializing:
		return u.gone
	}
	return true
}
