package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// Used is a session under random steps, of which any State can be the beginning of a next
// one: another session of the Config, a new one on the same State, or the same one on
// another machine.
type Used struct {
	set  Setup
	gen  *Generator
	m    verbs.Machine
	rec  *transcript.Recorder
	seen time.Time // the latest time that m took in
	last *Offer    // the last one that was taken
	next []*transcript.Recorder

	doubt func(want verbs.Machine) verbs.Machine // changes it, to check that a difference is found
}

// NewUsed returns a Used of the setup whose session has not begun.
func NewUsed(src Source, set Setup) (*Used, error) {
	m, err := set.New(Origin)
	return &Used{set: set, gen: NewGenerator(src, set), m: m, rec: set.Record(), seen: Origin}, err
}

// Step takes a random step.
func (u *Used) Step() { u.take(u.gen.Next(u.m)) }

// Busy opens the session and uses every feature that leaves something in a State, which
// random steps seldom do all at once.
func (u *Used) Busy() {
	receive := func(text string) {
		u.take(Step{Op: verbs.OpReceive, Now: Origin, Text: `{"jsonrpc":"2.0",` + text + `}`})
	}
	log, revision := `{"level":"error","data":1}`, u.set.Revisions[0].String()
	if u.set.Party == lifecycle.Client {
		u.take(Step{Op: verbs.OpInitialize, Now: Origin})
		receive(`"id":1,"result":{"protocolVersion":"` + revision + `","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}`)
		u.take(Step{Op: verbs.OpRequest, Now: Origin, Params: rawParams("resources/subscribe", `{"uri":"file:///a"}`)})
		receive(`"id":2,"result":{}`)
		for range 3 {
			receive(`"method":"notifications/message","params":` + log)
		}
	} else {
		receive(`"id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}`)
		receive(`"method":"notifications/initialized"`)
		receive(`"id":2,"method":"logging/setLevel","params":{"level":"warning"}`)
		receive(`"id":3,"method":"resources/subscribe","params":{"uri":"file:///a"}`)
		for range 3 {
			u.take(Step{Op: verbs.OpNotify, Now: Origin, Params: rawParams("notifications/message", log)})
		}
	}
	u.take(Step{Op: verbs.OpOffer, Now: Origin, Offer: u.set.Offer})
}

// Snapshot returns the snapshot of the present State.
func (u *Used) Snapshot() []byte { return u.m.Snapshot() }

func (u *Used) take(s Step) {
	before := u.m
	m, out, err := s.Record(u.rec, before)
	u.gen.Saw(out)
	u.m = m
	if m != before && s.Now.After(u.seen) { // a refused step does not record the time
		u.seen = s.Now
	}
	if err == nil && s.Op == verbs.OpOffer {
		u.last = &s.Offer
	}
}

// twins are a Machine made from a used State and one that it must behave like.
type twins struct {
	got, want verbs.Machine
	rec       *transcript.Recorder // of got, from the beginning
}

// Next begins the next session in every possible way, takes n random steps in each, and
// compares with an unused one, or with one that continued. An error is a *Failure,
// with the transcript of the session and of the next one.
func (u *Used) Next(src Source, n int) error {
	u.next = nil
	for _, way := range []struct {
		name  string
		begin func(*twins) error
	}{{"NewSession", u.another}, {"Reset", u.reset}, {"Restore", u.restored}} {
		t := &twins{rec: u.rec.Clone()}
		u.next = append(u.next, t.rec)
		err := way.begin(t)
		if u.doubt != nil && err == nil {
			t.want = u.doubt(t.want)
		}
		if err == nil {
			err = t.drive(src, u.set, u.seen, n)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", way.name, err)
			return Fail(err, t.rec.Steps(), "Here the session differs from one that nobody used, or that went on:\n"+err.Error(), t.rec)
		}
	}
	return nil
}

// Transcripts returns the session with each of those that Next began last.
func (u *Used) Transcripts() (list []string) {
	for _, rec := range u.next {
		list = append(list, string(rec.File("A random session, and the one after it.").Text()))
	}
	return list
}

// another is like a session of a new State: it has nothing of this one.
func (u *Used) another(t *twins) (err error) {
	if t.got, _, err = t.rec.Do(u.m, u.seen, verbs.Verb{Op: verbs.OpNewSession}); err != nil {
		return err
	}
	t.want, err = u.set.New(u.seen)
	return err
}

// reset is like a session of a new State with the numbers and lists of this side,
// which stay.
func (u *Used) reset(t *twins) (err error) {
	gone, _, _ := t.rec.Do(u.m, u.seen, verbs.Verb{Op: verbs.OpDisconnected})
	if t.got, _, err = t.rec.Do(gone, u.seen, verbs.Verb{Op: verbs.OpReset}); err != nil {
		return err
	}
	fresh, err := u.set.New(u.seen)
	if u.last != nil && err == nil {
		offer := Step{Op: verbs.OpOffer, Now: u.seen, Offer: *u.last}
		fresh, _, err = offer.Apply(fresh)
	}
	if err != nil {
		return err
	}
	var before, next map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(t.got.Snapshot(), &before), json.Unmarshal(fresh.Snapshot(), &next)); err != nil {
		return err
	}
	for _, number := range []string{"step", "calls", "last", "first"} {
		if next[number] = before[number]; next[number] == nil {
			delete(next, number)
		}
	}
	data, err := json.Marshal(next)
	if err == nil {
		t.want, err = u.set.Restore(data, u.seen, u.last)
	}
	return err
}

// restored is like the session itself.
func (u *Used) restored(t *twins) (err error) {
	t.want = u.m
	if t.got, err = u.set.Restore(u.m.Snapshot(), u.seen, u.last); err != nil {
		return err
	}
	t.rec.Restored(u.seen, t.got)
	return nil
}

// drive takes the same steps with both.
func (t *twins) drive(src Source, set Setup, now time.Time, n int) error {
	g := NewGenerator(src, set)
	g.now, g.Quiet = now, true
	if err := t.compare(now); err != nil {
		return err
	}
	for range n {
		s := g.Next(t.want)
		mine := s
		mine.Call = swap(s.Call, t.want.Inbound(), t.got.Inbound(), func(i lifecycle.CallInfo) lifecycle.Call { return i.Call })
		mine.Options.Within = swap(s.Options.Within, t.want.Inbound(), t.got.Inbound(), func(i lifecycle.CallInfo) lifecycle.Call { return i.Call })
		mine.Req = swap(s.Req, t.want.Outbound(), t.got.Outbound(), func(i lifecycle.ReqInfo) lifecycle.Req { return i.Req })
		mine.Options.Replaces = swap(s.Options.Replaces, t.want.Outbound(), t.got.Outbound(), func(i lifecycle.ReqInfo) lifecycle.Req { return i.Req })
		want, out, err := s.Apply(t.want)
		got, o, e := mine.Record(t.rec, t.got)
		if a, b := RenderAlike(out)+fmt.Sprint(err), RenderAlike(o)+fmt.Sprint(e); a != b {
			return fmt.Errorf("%s: came to\n%s\nwant\n%s", s.String(), b, a)
		}
		t.got, t.want = got, want
		if err := t.compare(g.now); err != nil {
			return fmt.Errorf("%s: %w", s.String(), err)
		}
		g.Saw(out)
	}
	return nil
}

// compare compares everything visible of both, except since when something is
// overdue.
func (t *twins) compare(now time.Time) error {
	view := func(m verbs.Machine) string {
		due, ok := m.NextDeadline()
		if ok && due.Before(now) {
			due = now
		}
		status := m.Status()
		cause := fmt.Sprint(status.Cause) // a snapshot keeps only the text of an error
		status.Cause = nil
		return fmt.Sprintf("%s\n%v %v %s %s", m.Snapshot(), due, ok, RenderAlike(status), cause)
	}
	if got, want := view(t.got), view(t.want); got != want {
		return fmt.Errorf("is\n%s\nwant\n%s", got, want)
	}
	return t.got.Check()
}

// swap returns the handle of one State for the item of another State with h. An unknown
// one stays unchanged.
func swap[H comparable, I any](h H, from, to iter.Seq[I], handle func(I) H) H {
	i := slices.IndexFunc(slices.Collect(from), func(info I) bool { return handle(info) == h })
	if other := slices.Collect(to); i >= 0 && i < len(other) {
		return handle(other[i])
	}
	return h
}
