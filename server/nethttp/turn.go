package nethttp

import (
	"errors"
	"slices"
	"sync"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// add takes in the effects of a transition of the streams.
func (t *turn) add(eff streams.Effects) {
	if t.touched == nil {
		t.out, t.touched = eff.Output, eff.Touched
	} else {
		t.out.Merge(eff.Output)
		t.touched = append(t.touched, eff.Touched...)
	}
	if eff.Output.Close != nil {
		t.over, t.Active = true, t.now
	}
}

// moved takes in a transition of the streams.
func (t *turn) moved(x streams.Streams, s server.State, eff streams.Effects) {
	t.Streams, t.State = x, s
	t.add(eff)
}

// step makes a transition of the State, and hands what it sends to the streams.
func (t *turn) step(s server.State, out server.Output) { t.moved(t.Streams.Handle(s, t.now, out)) }

// stepped is step, unless the verb changed nothing.
func (t *turn) stepped(s server.State, out server.Output) {
	if t.same = s.Step() == t.State.Step(); !t.same {
		t.step(s, out)
	}
}

// end ends the session.
func (t *turn) end(cause error) {
	t.step(t.State.Disconnected(t.now, cause))
	t.gone, t.Active = true, t.now
}

// fail answers a call, whose handle may be that of an earlier State.
func (t *turn) fail(call server.Call, e jsonrpc.Error) error {
	s, out, err := t.State.Fail(t.now, t.State.Call(call.Seq(), call.Key()), e)
	if err == nil {
		t.failed = append(t.failed, call)
		t.step(s, out)
	}
	return err
}

// unchanged is a turn that asks for nothing: it settles one in doubt.
func unchanged(t *turn) error {
	t.same = true
	return nil
}

// stepNow is the turn in which a Companion takes a step.
func stepNow(t *turn) error {
	t.same, t.woken = true, true
	return nil
}

// wrote notes what a connection has written.
func (t *turn) wrote(c *conn) {
	if n := int(c.written.Load()); n > 0 && !c.passed(t.epoch) {
		t.Streams = t.Streams.Wrote(t.now, c.at, n)
	}
}

// detached is the turn of detach.
func (t *turn) detached(c *conn) error {
	t.wrote(c)
	t.moved(t.Streams.Detach(t.State, t.now, c.at))
	t.Active, t.detach = t.now, c
	return nil
}

// turns are those that were made, to be used again: one is large, and a call takes a few.
var turns = sync.Pool{New: func() any { return new(turn) }}

func (t *turn) free() {
	*t = turn{}
	turns.Put(t)
}

// answerPosts takes the answers of the POSTs that wait here for theirs to come alone, and
// notes what connections have written meanwhile.
func (t *turn) answerPosts(id string) {
	conns := t.live.connections()
	if t.attach != nil && t.side != nil { // it may have its answer already
		conns = append(conns[:len(conns):len(conns)], t.attach)
	}
	for _, c := range conns {
		t.wrote(c)
		if !c.waits || !slices.Contains(t.touched, c.at.Stream) {
			continue
		}
		if body, ok := t.Streams.Answer(c.at); ok {
			if !single(id) { // else it goes with its Record
				t.moved(t.Streams.Answered(t.State, t.now, c.at))
			}
			t.answers = append(t.answers, answered{c, body})
		}
	}
}

// mail sorts what came to requests of ours: what a function here waits for stays an event,
// what one of another process waits for is parked in the record, and what another process
// has parked for one here is taken out. before is the record that the turn began with.
func (t *turn) mail(before Record) {
	for _, ev := range t.out.Events {
		if ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed || t.live.awaits(ev.Req.Seq()) {
			continue
		}
		for info := range before.State.Outbound() {
			if info.Req.Seq() == ev.Req.Seq() && !info.Within.IsZero() {
				t.park(ev, info.Within.Seq())
				break
			}
		}
	}
	if len(t.inbox) == 0 {
		return
	}
	open := map[uint64]bool{}
	for info := range t.State.Inbound() {
		open[info.Call.Seq()] = true
	}
	var rest []parked
	for _, p := range t.inbox {
		switch {
		case t.live.awaits(p.Req):
			t.claimed = append(t.claimed, p.event(t.State))
		case open[p.Call]: // else its function was told to end
			rest = append(rest, p)
		}
	}
	t.inbox = rest
}

// hasMail reports whether a record has what a function here waits for: then a turn that changes nothing else takes it out.
func (l *live) hasMail(r *Record) bool {
	return slices.ContainsFunc(r.inbox, func(p parked) bool { return l.awaits(p.Req) })
}

// hasRequest reports whether functions are to run.
func hasRequest(out server.Output) bool {
	return slices.ContainsFunc(out.Events, func(ev server.Event) bool { return ev.Kind == lifecycle.RequestReceived })
}

// errForeign is ErrNoSession for somebody else.
var errForeign = errors.New("nethttp: the session of another principal, or one that is over")

// The causes of an end.
var (
	errDeleted  = errors.New("nethttp: the client ended the session")
	errIdle     = errors.New("nethttp: the session was idle")
	errLeft     = errors.New("nethttp: the client closed the connection")
	errShutdown = errors.New("nethttp: the server ends")
)
