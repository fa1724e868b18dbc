package main

import (
	"math/rand/v2"
	"time"
)

// fate is how an exchange, a request and its answer, is cut.
type fate uint8

const (
	whole      fate = iota // it is not
	unsent                 // nothing of the request reaches the server
	partly                 // a part of the request does
	unanswered             // the request does, and nothing of the answer comes back
	headless               // a part of the head of the answer comes back
	afterHead              // the head, and perhaps a part of the body
	afterEvent             // an event with an id, and perhaps some bytes more
	stalled                // the same, but the connection stays as it is for a while
	late                   // after some time, wherever it is then
	fates
)

var fateNames = [fates]string{"whole", "unsent", "partly", "unanswered", "headless", "after head", "after event", "stalled", "late"}

func (f fate) String() string { return fateNames[f] }

// plan is what is to happen to one exchange.
type plan struct {
	fate   fate
	bytes  int           // how many more after the point that the fate names
	pause  time.Duration // how long until the cut
	reset  bool          // by a reset
	events int           // how many events with an id come through, for those two fates
}

// chaos says how exchanges and connections fare.
type chaos struct {
	cuts      float64 // the share of exchanges that are cut
	resumable bool    // only where the client can resume
	only      fate    // all cuts are of this kind, if it is one
	slow      float64 // the share of connections whose client reads slowly
	delay     float64 // the share of connections on which bytes take a while
}

// sure reports whether nothing is lost by a cut.
func (c chaos) sure() bool { return c.cuts == 0 || c.resumable }

// plan draws what is to happen to an exchange.
func (c chaos) plan(r *rand.Rand) plan {
	if r.Float64() >= c.cuts {
		return plan{}
	}
	p := plan{fate: unsent + fate(r.IntN(int(fates-unsent))), reset: r.IntN(2) == 0, events: 1 + r.IntN(3)}
	if c.resumable {
		p.fate = afterEvent + fate(r.IntN(2))
		// A reset may destroy what the client has not yet read, the id with it.
		p.reset = false
	}
	if c.only != whole {
		p.fate = c.only
	}
	switch p.fate {
	case headless:
		p.bytes = r.IntN(80) // no head is shorter
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

// pace is how fast bytes go over one connection.
type pace struct {
	slow  bool
	delay bool
}

func (c chaos) pace(r *rand.Rand) pace {
	return pace{slow: r.Float64() < c.slow, delay: r.Float64() < c.delay}
}
