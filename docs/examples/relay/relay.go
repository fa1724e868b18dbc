package main

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relay joins one downstream server State with upstream client States, one for each
// server. Ids and progress tokens belong to the State of each side, so nothing has to be
// rewritten; bodies pass as they are. It does no I/O: its methods return what to send.
//
// No server costs the others anything. What is known of the tools is answered, and the
// tools of a server that is late join by list_changed; a call waits for its own server
// alone.
type relay struct {
	s      server.State
	up     []upstream
	full   func(i int) bool                   // whether server i does not read what it is sent
	calls  pairs[at[client.Req], server.Call] // requests of the client, passed on
	asks   pairs[at[client.Call], server.Req] // requests of the servers, passed back
	held   held                               // requests that wait for the tools
	news   news                               // what the client is to be told of the tools
	opened time.Time                          // when the sessions with the servers began
	first  time.Time                          // when the tools of one were known
	key    [16]byte
	out    step
}

type upstream struct {
	s     client.State
	lists client.Mirror // its tools
	read  bool          // they were read once
	gone  bool
}

// at is a handle with the number of the server that it belongs to.
type at[H comparable] struct {
	i int
	h H
}

// step is what a method of a relay asks for.
type step struct {
	send []packet
	stop []int // servers that are to be ended
	end  bool  // and so is all
}

// packet is a message with the party it goes to: down, or the number of a server.
type packet struct {
	to int
	m  jsonrpc.Message
}

const down = -1

// patience is how long the handshake of a server may take. Nobody waits for it.
const patience = 10 * time.Minute

var info = protocol.Implementation{Name: "relay", Version: "1.0.0"}

// policy is that of all sessions: what one side says, the other shall hear, whatever the
// schema says of it.
func policy() lifecycle.Policy { return lifecycle.Policy{PassThrough: true} }

// newRelay returns a relay to so many servers. key is Config.HashKey of all sessions, and
// full is asked before a request is passed on to a server.
func newRelay(now time.Time, servers int, key [16]byte, full func(i int) bool) (*relay, error) {
	s, err := server.New(server.Config{
		Info: info, Serve: []string{tools, "tools/call"}, ListChanged: protocol.CapToolsListChanged,
		Policy: policy(), HashKey: key,
	}, now)
	return &relay{s: s, up: make([]upstream, servers), full: full, key: key}, err
}

// receive takes a message of a party in.
func (r *relay) receive(now time.Time, from int, m jsonrpc.Message) step {
	r.out = step{}
	if from == down {
		r.down(now)(r.s.Receive(now, m))
	} else {
		r.upward(now, from)(r.up[from].s.Receive(now, m))
	}
	return r.out
}

// lost takes in that a server is gone: what it owed the client is answered for it.
func (r *relay) lost(now time.Time, i int) step {
	r.out, r.up[i].gone = step{}, true
	r.upward(now, i)(r.up[i].s.Disconnected(now, nil))
	r.serve(now)
	return r.out
}

// inputClosed takes in that the client says no more: calls may finish within the time.
func (r *relay) inputClosed(now time.Time, drain time.Duration) step {
	r.out = step{}
	r.down(now)(r.s.InputClosed(now))
	r.down(now)(r.s.Shutdown(now, drain))
	return r.out
}

// tick lets time pass for all parties.
func (r *relay) tick(now time.Time) step {
	r.out = step{}
	r.down(now)(r.s.Tick(now))
	for i := range r.up {
		r.upward(now, i)(r.up[i].s.Tick(now))
	}
	r.serve(now)
	r.tell(now)
	return r.out
}

// nextDeadline returns when tick is next due.
func (r *relay) nextDeadline() (first time.Time, some bool) {
	earlier := func(t time.Time, ok bool) {
		if ok && (!some || t.Before(first)) {
			first, some = t, true
		}
	}
	earlier(r.s.NextDeadline())
	for i := range r.up {
		earlier(r.up[i].s.NextDeadline())
		earlier(r.up[i].lists.NextDeadline())
	}
	earlier(r.nextHeld())
	earlier(r.news.due, r.news.some)
	return first, some
}

// ok leaves the error of a verb out. A relay can: what a verb refuses is gone by then,
// and a refused verb has changed nothing.
func ok[S, O any](s S, out O, _ error) (S, O) { return s, out }
