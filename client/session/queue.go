package session

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// queue holds the messages to send. Only write removes from it. The lock of the Client
// guards all fields except the channels.
type queue struct {
	sendqueue.Queue
	wake   chan struct{}
	closed bool
	done   chan struct{} // closed when it is closed and empty
}

func newQueue(limit int) *queue {
	return &queue{Queue: sendqueue.Queue{Limit: limit}, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (q *queue) push(o client.Outgoing, rev protocol.Revision) {
	if !q.closed {
		q.Push(o, rev)
		waits.Signal(q.wake)
	}
}

func (q *queue) close() {
	q.closed = true
	waits.Signal(q.wake)
}

// events holds the events that Options.Event has not seen. The lock of the Client guards
// all fields except wake.
type events struct {
	many, most int  // limits of events and of their bytes
	all        bool // drop none
	list       []client.Event
	bytes      int
	came, seen int // total added; how many of them were handled or dropped
	left       int // how many were dropped
	closed     bool
	wake       chan struct{}
}

func newEvents(many, most int, all bool) *events {
	return &events{many: many, most: most, all: all, wake: make(chan struct{}, 1)}
}

// over reports whether a limit is exceeded.
func (e *events) over() bool { return len(e.list) > e.many || e.bytes > e.most }

// add appends an event.
func (e *events) add(ev client.Event) {
	ev = waits.Kept(ev)
	e.list = append(e.list, ev)
	e.bytes += weight(ev)
	e.came++
	if e.over() && !e.all {
		e.thin()
	}
	waits.Signal(e.wake)
}

// thin drops the oldest events until a quarter is free, so that the rest is not moved each time.
// It keeps the newest and the changes of phase, which are few, unless a server whose sessions
// begin and end endlessly makes too many of those.
func (e *events) thin() {
	e.leaveOut(true)
	if newest := weight(e.list[len(e.list)-1]); len(e.list) > e.many || e.bytes-newest > e.most {
		e.leaveOut(false)
	}
}

func (e *events) leaveOut(butPhases bool) {
	kept, many := e.list[:0], len(e.list)
	for i, ev := range e.list {
		enough := many <= e.many*3/4 && e.bytes <= e.most*3/4
		if enough || i == len(e.list)-1 || butPhases && ev.Kind == lifecycle.PhaseChanged {
			kept = append(kept, ev)
			continue
		}
		e.bytes -= weight(ev)
		e.left++
		e.seen++
		many--
	}
	clear(e.list[len(kept):])
	e.list = kept
}

// take removes and returns all events; more is false after the last.
func (e *events) take() (list []client.Event, more bool) {
	list, e.list, e.bytes = e.list, nil, 0
	return list, !e.closed
}

// weight returns approximately how much memory an event holds, in bytes.
func weight(ev client.Event) int {
	id, _ := ev.ID.Str()
	n := 256 + len(id) + len(ev.Body) + len(ev.Method)
	if ev.Err != nil {
		n += len(ev.Err.Message) + len(ev.Err.Data)
	}
	return n
}

// waiter waits for the end of a request.
type waiter struct {
	waits.Waiter[client.Event]
	req client.Req
}
