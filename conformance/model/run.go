package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Run is a Machine under random steps. It keeps every past State.
type Run struct {
	// Light does not check past States, so that a run takes less time.
	Light bool

	M    verbs.Machine  // the present State
	Seen map[string]int // how often each phase, verb, kind of event and error occurred

	set   Setup
	gen   *Generator
	naive *Naive // nil if it does not see enough
	books *Ledger
	rec   *transcript.Recorder
	past  []kept
	first string // the first State with its Config, rendered
	deaf  bool   // the peer sends no more

	closed bool // by Close
	doubt  func(*Step, *Expect)
}

// kept is a past State with the step that followed it.
type kept struct {
	m     verbs.Machine
	text  string // of the Machine, rendered
	probe string // its further behavior, for some
	step  Step
	lines int              // of the transcript, when it was taken
	calls []lifecycle.Call // opened by the step
	req   lifecycle.Req    // sent by the step
	out   string           // rendered, with the error
}

// NewRun returns a Run of the setup. With wild, messages are damaged in ways that Naive
// does not understand, so it is not used.
func NewRun(src Source, set Setup, wild bool) (*Run, error) {
	m, err := set.New(Origin)
	if err != nil {
		return nil, err
	}
	r := &Run{M: m, Seen: map[string]int{}, set: set, gen: NewGenerator(src, set), books: NewLedger(), rec: set.Record(), first: Render(m)}
	r.gen.Wild = wild
	if !wild {
		r.naive = NewNaive(set, Origin)
	}
	return r, nil
}

// NewTopicRun returns a Light Run with a random setup about a method, in which the
// application ends no session.
func NewTopicRun(src Source, topic string, party lifecycle.Party) (*Run, error) {
	r, err := NewRun(src, aboutTopic(dice{src}, topic, party), false)
	if err == nil {
		r.Light, r.gen.Quiet = true, src.Intn(4) > 0
	}
	return r, err
}

// Doubt changes the Naive's expectation of each step, to check that a difference is found.
func (r *Run) Doubt(change func(s *Step, x *Expect)) { r.doubt = change }

// Step draws a step and takes it.
func (r *Run) Step() error { return r.Do(r.gen.Next(r.M)) }

// Do takes a step and compares its effects with the expected ones. An error is a *Failure.
func (r *Run) Do(s Step) error {
	if err := r.do(s); err != nil {
		return r.failure(err, r.rec.Steps(), "Here the State comes to something else than it should:\n"+err.Error())
	}
	return nil
}

func (r *Run) do(s Step) error {
	before := r.M
	after, out, err := s.Record(r.rec, before)
	k := kept{m: before, step: s, lines: r.rec.Steps(), calls: slices.Collect(out.OpenedCalls()), req: out.Req}
	if !r.Light {
		k.text, k.out = RenderSession(before), Render(out)+fmt.Sprint(err)
		if len(r.past)%8 == 7 {
			k.probe = Probe(before)
		}
	}
	r.past = append(r.past, k)
	r.M = after
	if err := after.Check(); err != nil {
		return err
	}
	if err := r.books.Watch(before, after, s.Now, s.taken(), out, err); err != nil {
		return err
	}
	if r.naive != nil {
		x := r.naive.Step(&s)
		if r.doubt != nil {
			r.doubt(&s, &x)
		}
		if err := errors.Join(x.Compare(out, err), r.naive.CompareView(after)); err != nil {
			return err
		}
	}
	r.count(before, &s, out, err)
	r.gen.Saw(out)
	ScribbleOutput(&out)
	return nil
}

// Close ends the session and checks the run as a whole: every request has
// ended, no past State has changed, and the same steps lead to the same States. An
// error is a *Failure.
func (r *Run) Close() error {
	now := r.gen.now
	for _, s := range []Step{{Op: verbs.OpTick, Now: now}, {Op: verbs.OpDisconnected, Now: now}} {
		if err := r.Do(s); err != nil {
			return err
		}
	}
	r.closed = true
	if at, err := r.whole(); err != nil {
		return r.failure(err, at, err.Error())
	}
	return nil
}

// whole checks the run as a whole, and says to which step of the transcript an error
// belongs.
func (r *Run) whole() (at int, err error) {
	last := r.rec.Steps()
	if n := r.books.Open(); n > 0 {
		return last, fmt.Errorf("%d requests never ended", n)
	}
	if r.Light {
		return 0, nil
	}
	if Render(r.past[0].m) != r.first {
		return last, errors.New("the first State, or what it shares with the others, has changed")
	}
	again, err := r.set.New(Origin)
	if err != nil {
		return last, err
	}
	for i, k := range r.past {
		if RenderSession(k.m) != k.text || k.probe != "" && Probe(k.m) != k.probe {
			return k.lines, fmt.Errorf("the State before step %d has changed", i)
		}
		if RenderSession(again) != k.text {
			return k.lines, fmt.Errorf("the same steps lead to another State before step %d", i)
		}
		var out lifecycle.Output
		again, out, err = k.step.Apply(again)
		if text := Render(out) + fmt.Sprint(err); text != k.out {
			return k.lines, fmt.Errorf("step %d comes to something else a second time:\n%s\n%s", i, k.out, text)
		}
	}
	if Render(again) != Render(r.M) {
		return last, errors.New("the same steps lead to another State in the end")
	}
	return last, nil
}

// Transcript returns the run so far as a transcript, with the actual effects of
// each step.
func (r *Run) Transcript() string {
	return string(r.rec.File("A random session.").Text())
}

// count counts what occurred, to show that runs reach everything.
func (r *Run) count(before verbs.Machine, s *Step, out lifecycle.Output, err error) {
	role := before.Party().String() + " "
	r.Seen[role+before.Phase().String()]++
	if err == nil {
		r.Seen[role+s.Op.String()]++
	}
	for _, e := range []error{
		lifecycle.ErrPhase, lifecycle.ErrCapability, lifecycle.ErrGone, lifecycle.ErrLimit, lifecycle.ErrParams,
		lifecycle.ErrProgress, lifecycle.ErrRevision,
	} {
		if errors.Is(err, e) {
			r.Seen[role+e.Error()]++
		}
	}
	switch {
	case s.Op == verbs.OpReset && err == nil:
		r.deaf = false
	case s.Op == verbs.OpInputClosed && before.Phase().Live():
		r.deaf = true
	case s.Op == verbs.OpRequest && r.deaf && before.Phase() == lifecycle.ShuttingDown && errors.Is(err, lifecycle.ErrPhase) && s.Params != nil && s.Params().Method() == "ping":
		r.Seen[role+"ping of ours after input closed"]++
	}
	if s.Op == verbs.OpRequest && err == nil && len(out.Events) > 0 && out.Events[0].Req == s.Options.Replaces {
		r.Seen[role+"superseded"]++
	}
	for _, o := range out.Send {
		r.Seen[role+"sent "+o.Message.Method]++
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.PhaseChanged && ev.Cause != nil {
			r.Seen[role+ev.From.String()+", "+ev.Cause.Kind.String()]++
		}
		r.Seen[role+ev.Kind.String()]++
		r.Seen[role+ev.Rule]++
		if ev.Cause != nil {
			r.Seen[role+ev.Cause.Kind.String()]++
		}
	}
	if s.Op == verbs.OpReceive && jsonrpc.DecodeString(s.Text).Kind == jsonrpc.KindBatch && !out.Opened.IsZero() {
		r.Seen[role+"batch"]++
	}
}
