package main

import (
	"math/rand/v2"
	"time"
)

// fate is how an exchange, a request and its answer, is cut.
type fate uint8

const (
	whole      fate = iota // it is not cut
	unsent                 // the server gets nothing of the request
	partly                 // it gets a part of the request
	unanswered             // it gets the request, and the client nothing of the answer
	headless               // the client gets a part of the head of the answer
	afterHead              // the head, and perhaps a part of the body
	afterEvent             // an event with an id, and perhaps some bytes more
	stalled                // the same, after a pause
	late                   // after some time, at any point
	fates
)

var fateNames = [fates]string{"whole", "unsent", "partly", "unanswered", "headless", "after head", "after event", "stalled", "late"}

func (f fate) String() string { return fateNames[f] }

// plan determines one exchange.
type plan struct {
	fate   fate
	bytes  int           // how many more after the point of the fate
	pause  time.Duration // how long until the cut
	reset  bool          // by a reset
	events int           // how many events with an id pass, for those two fates
}

// chaos determines exchanges and connections.
type chaos struct {
	cuts      float64 // the share of exchanges that are cut
	resumable bool    // only where the client can resume
	only      fate    // all cuts are of this kind, unless zero
	slow      float64 // the share of connections whose client reads slowly
	delay     float64 // the share of connections on which bytes take a while
}

// sure reports whether cuts lose nothing.
func (c chaos) sure() bool { return c.cuts == 0 || c.resumable }

// plan draws the plan of an exchange.
func (c chaos) plan(r *rand.Rand) plan {
	if r.Float64() >= c.cuts {
		return plan{}
	}
	p := plan{fate: unsent + fate(r.IntN(int(fates-unsent))), reset: r.IntN(2) == 0, events: 1 + r.IntN(3)}
	if c.resumable {
		p.fate = afterEvent + fate(r.IntN(2))
		// A reset may destroy unread data, including the id.
		p.reset = false
	}
	if c.only != whole {
		p.fate = c.only
	}
	switch p.fate {
	case headless:
		p.bytes = r.IntN(80) // every head is longer
	case afterHead:
		p.bytes = r.IntN(200)
	case afterEvent, stalled:
		p.bytes, p.pause = r.IntN(100)*r.IntN(2), time.Duration(r.IntN(50))*time.Millisecond
		if p.fate == stalled {
			p.pause *= 10
		}
	case late:
		p.pause = time.Duration(r.IntN(300)) * time.Millisecond
	}
	return p
}

// pace is the speed of one connection.
type pace struct {
	slow  bool
	delay bool
}

func (c chaos) pace(r *rand.Rand) pace {
	return pace{slow: r.Float64() < c.slow, delay: r.Float64() < c.delay}
}
