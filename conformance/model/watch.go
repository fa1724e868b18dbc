package model

import (
	"fmt"
	"math/rand"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Taken is a step of a session with its effects.
type Taken struct {
	Before verbs.Machine    // before the step
	After  verbs.Machine    // after it
	Step   *Step            // the step
	Out    lifecycle.Output // its effects
	Err    error            // of the verb
	Set    Setup            // of the session
}

// Rule checks one property over the steps of a session, one after the other. It returns
// an error for the step that violates it.
type Rule func(t *Taken) error

// Watch takes random steps of n sessions of a party, each to its end, and returns the
// first error of each violated Rule, mostly a *Failure, and how many steps led to
// a ready session of each revision. With wild the messages are damaged. It checks only the Rules, not the
// expected effects of steps.
// here.
func Watch(party lifecycle.Party, n int, wild bool) (map[string]error, map[protocol.Revision]int, error) {
	broken, spoken := map[string]error{}, map[protocol.Revision]int{}
	for seed := range n {
		src := rand.New(rand.NewSource(int64(seed)))
		set := RandomSetup(src, party)
		first, err := set.New(Origin)
		if err != nil {
			return nil, nil, err
		}
		gen := NewGenerator(src, set)
		gen.Wild = wild
		rules, rec := Rules(), set.Record()
		var steps []*Step
		var outs []string
		m, ended := first, time.Time{}
		for i := range 64 {
			s := &Step{}
			switch i {
			default:
				*s = gen.Next(m)
			case 60: // whatever is due by then
				ended = gen.now.Add(48 * time.Hour)
				*s = Step{Op: verbs.OpTick, Now: ended}
			case 61:
				*s = Step{Op: verbs.OpTick, Now: ended}
			case 62:
				*s = Step{Op: verbs.OpTick, Now: Origin}
			case 63:
				*s = Step{Op: verbs.OpDisconnected, Now: ended}
			}
			next, out, err := s.Record(rec, m)
			t := Taken{m, next, s, out, err, set}
			for row, rule := range rules {
				if err := rule(&t); err != nil && broken[row] == nil {
					broken[row] = Fail(fmt.Errorf("seed %d: %w", seed, err), rec.Steps(), err.Error(), rec)
				}
			}
			gen.Saw(out)
			steps, outs, m = append(steps, s), append(outs, Render(out)), next
			if m.Phase() == lifecycle.Ready {
				spoken[m.Revision()]++
			}
		}
		if err := alone(first, steps, outs); err != nil && broken["SEC-011"] == nil {
			broken["SEC-011"] = fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return broken, spoken, nil
}

// alone takes the same steps in another session of the same Config: the first one
// must have no effect on it.
func alone(first verbs.Machine, steps []*Step, outs []string) error {
	m, _, err := first.Do(Origin, verbs.Verb{Op: verbs.OpNewSession})
	if err != nil {
		return err
	}
	for i, s := range steps {
		next, out, _ := s.Apply(m)
		if text := Render(out); text != outs[i] {
			return fmt.Errorf("step %d, %s, comes to something else in another session:\n%s\n%s", i, s, outs[i], text)
		}
		m = next
	}
	return nil
}
