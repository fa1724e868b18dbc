package model

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// shorten removes steps of a failed Run, as many as possible while it still fails in
// some way, and the time between them, and returns that failure.
func (r *Run) shorten(f *Failure) *Failure {
	steps := slices.Clone(r.past)
	if r.closed {
		steps = steps[:len(steps)-2] // taken by Close
	}
	try := func(other []kept) bool {
		shorter := r.again(other)
		if shorter != nil {
			steps, f = other, shorter
		}
		return shorter != nil
	}
	for size := len(steps); size > 0; {
		fewer := false
		for at := len(steps) - size; at >= 0; at = min(at-size, len(steps)-size) {
			fewer = try(slices.Delete(slices.Clone(steps), at, at+size)) || fewer
		}
		if size = min(size, len(steps)); size > 1 || !fewer {
			size /= 2
		}
	}
	now := Origin
	for i := range steps {
		if !steps[i].step.Now.Equal(now) {
			sooner := slices.Clone(steps)
			sooner[i].step.Now = now
			try(sooner)
		}
		now = steps[i].step.Now
	}
	return f
}

// again takes steps of r with a new Run of the setup. It returns their failure, if any.
func (r *Run) again(steps []kept) (f *Failure) {
	next, err := NewRun(NewBytes(nil), r.set, r.naive == nil)
	if err != nil {
		return nil // the steps say nothing then
	}
	next.Light, next.doubt = r.Light, r.doubt
	now := numbers{map[lifecycle.Call]lifecycle.Call{}, map[lifecycle.Req]lifecycle.Req{}}
	for i := range steps {
		if errors.As(next.Do(now.renumbered(steps[i].step)), &f) {
			return f
		}
		now.note(&steps[i], &next.past[i])
		if s := steps[i].step; s.Now.After(next.gen.now) {
			next.gen.now = s.Now
		}
	}
	if r.closed {
		errors.As(next.Close(), &f)
	}
	return f
}

// numbers map the handles of one Run to those of another with fewer
// steps before them.
type numbers struct {
	calls map[lifecycle.Call]lifecycle.Call
	reqs  map[lifecycle.Req]lifecycle.Req
}

// note records the handles of a step in both Runs.
func (n *numbers) note(old, now *kept) {
	for i, call := range old.calls {
		if i < len(now.calls) {
			n.calls[call] = now.calls[i]
		}
	}
	if !now.req.IsZero() {
		n.reqs[old.req] = now.req
	}
}

// renumbered returns the step with the handles of the other Run, and with its ids in the
// peer's answers.
func (n *numbers) renumbered(s Step) Step {
	call := func(c *lifecycle.Call) {
		if now, ok := n.calls[*c]; ok {
			*c = now
		}
	}
	req := func(r *lifecycle.Req) {
		if now, ok := n.reqs[*r]; ok {
			*r = now
		}
	}
	call(&s.Call)
	call(&s.Options.Within)
	req(&s.Req)
	req(&s.Options.Replaces)
	if s.Op != verbs.OpReceive {
		return s
	}
	for _, name := range []string{`"id":`, `"progressToken":`} {
		m := jsonrpc.DecodeString(s.Text)
		if answers := m.Kind == jsonrpc.KindResult || m.Kind == jsonrpc.KindError; !answers && m.Method != "notifications/progress" {
			break
		}
		before, rest, found := strings.Cut(s.Text, name)
		end := strings.IndexAny(rest, ",}")
		if !found || end < 0 {
			continue
		}
		for old, now := range n.reqs { // one at most
			if rest[:end] == number(old.Seq()) {
				s.Text = before + name + number(now.Seq()) + rest[end:]
				break
			}
		}
	}
	return s
}
