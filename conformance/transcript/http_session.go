package transcript

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// visit is a session of a site: a State and its Streams, and their effects in the step so
// far.
type visit struct {
	id    string
	m     subject
	x     streams.Streams
	app   *application // of a wire file
	seen  memory
	heard time.Time       // when the client was last heard
	m0    verbs.Machine   // as the last step left them: a snapshot counts times from when its
	x0    streams.Streams // value last recorded the time
	mAt   time.Time
	xAt   time.Time
	out   lifecycle.Output // of the step so far: what was sent, and what the streams made of the rest
	ended bool
}

func newVisit(id string, options []string, opt streams.Options, answers bool, now time.Time) (*visit, error) {
	v := &visit{id: id, x: streams.New(opt), seen: newMemory(), heard: now}
	var err error
	if v.m, err = newSubject(lifecycle.Server, options, now); err != nil {
		return nil, err
	}
	if answers {
		v.app = newApplication(&v.m)
		v.app.route = func(out lifecycle.Output) lifecycle.Output { return v.handle(v.app.now, out) }
	}
	return v, nil
}

func (v *visit) state() server.State { return verbs.ServerState(v.m.Machine) }

// post handles a message that arrived by POST.
func (v *visit) post(now time.Time, m jsonrpc.Message) streams.Reply {
	v.heard = now
	out := v.m.receive(now, m)
	x, s, reply, eff := v.x.Post(v.state(), now, m, out)
	v.took(now, x, s, out, eff)
	return reply
}

// handle handles any other Output of the State.
func (v *visit) handle(now time.Time, out lifecycle.Output) lifecycle.Output {
	x, s, eff := v.x.Handle(v.state(), now, out)
	v.keep(x, s, out, eff)
	return eff.Output
}

// handled is handle, and lets the application answer.
func (v *visit) handled(now time.Time, out lifecycle.Output) {
	events := v.handle(now, out)
	if v.app != nil {
		v.app.handle(now, events)
	}
}

// moved handles the effects of a transition of the Streams.
func (v *visit) moved(now time.Time, x streams.Streams, s server.State, eff streams.Effects) {
	v.took(now, x, s, lifecycle.Output{}, eff)
}

// took records the effects of a transition, and lets the application answer.
func (v *visit) took(now time.Time, x streams.Streams, s server.State, out lifecycle.Output, eff streams.Effects) {
	v.keep(x, s, out, eff)
	if v.app != nil {
		v.app.handle(now, eff.Output)
	}
}

func (v *visit) keep(x streams.Streams, s server.State, out lifecycle.Output, eff streams.Effects) {
	v.x, v.m.Machine = x, verbs.Server(s)
	v.out.Merge(lifecycle.Output{Send: out.Send})
	v.out.Merge(eff.Output)
}

// hangUp closes the connection of the last call, and keeps its stream.
func (v *visit) hangUp(now time.Time, text string) (failure, err error) {
	retry, err := time.ParseDuration(text)
	if err != nil {
		return nil, err
	}
	var last lifecycle.Call
	for c := range v.m.Inbound() {
		if c.Call.Seq() > last.Seq() {
			last = c.Call
		}
	}
	x, s, eff, failure := v.x.HangUp(v.state(), now, last, retry)
	v.moved(now, x, s, eff)
	return failure, nil
}

// do does an act of the application. err is that of an unreadable line, failure
// that of the verb.
func (v *visit) do(now time.Time, line string) (failure, err error) {
	if retry, ok := strings.CutPrefix(line, "app hangup "); ok {
		return v.hangUp(now, retry)
	}
	do, err := v.seen.parse(line, v.m.Machine)
	if err != nil {
		return nil, err
	}
	out, failure := v.m.apply(now, do)
	v.handled(now, out)
	return failure, nil
}

// tick lets time pass.
func (v *visit) tick(now time.Time) {
	v.handled(now, v.m.tick(now))
	x, s, eff := v.x.Tick(v.state(), now)
	v.moved(now, x, s, eff)
}

// end ends the session, and its connections with it.
func (v *visit) end(now time.Time) {
	v.ended = true
	out, _ := v.m.do(now, verbs.Verb{Op: verbs.OpDisconnected})
	v.handled(now, out)
}

// next returns the next deadline.
func (v *visit) next() (due time.Time, ok bool) {
	due, ok = v.m.NextDeadline()
	if at, has := v.x.NextDeadline(); has && (!ok || at.Before(due)) {
		due, ok = at, true
	}
	return due, ok
}

// settle ends a step: it checks the values, restores them from a snapshot if asked to, and
// records the open handles.
func (v *visit) settle(opt streams.Options, now time.Time, reload bool) error {
	if err := errors.Join(v.m.Check(), v.x.Check()); err != nil {
		return err
	}
	if v.m.Machine != v.m0 {
		v.mAt = now
	}
	if v.x != v.x0 {
		v.xAt = now
	}
	if reload {
		text := v.x.Snapshot()
		if err := v.m.reload(v.mAt); err != nil {
			return err
		}
		x, err := streams.Restore(opt, text, v.state(), v.xAt)
		if err != nil {
			return err
		}
		v.x = x
		v.seen.bind(v.m)
	}
	v.m0, v.x0 = v.m.Machine, v.x
	v.seen.note(v.m)
	return nil
}
