package transcript

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Recorder writes the steps of a session and their actual effects
// as a transcript that runs with the same result.
type Recorder struct {
	role     protocol.Party
	options  []string
	revision protocol.Revision
	origin   time.Time // the start
	now      time.Time // of the script
	seen     memory
	steps    []Step
}

// NewRecorder returns the Recorder of a session that begins at the given time with a new
// State of the options (see ServerOptions and ClientOptions). The script runs in the
// revision, which the options name.
func NewRecorder(role protocol.Party, options []string, revision protocol.Revision, origin time.Time) *Recorder {
	return &Recorder{role: role, options: options, revision: revision, origin: origin, now: origin, seen: newMemory()}
}

// Do does a verb and records it. A nil Recorder records nothing.
func (r *Recorder) Do(m verbs.Machine, now time.Time, v verbs.Verb) (verbs.Machine, lifecycle.Output, error) {
	if r == nil {
		return m.Do(now, v)
	}
	line := r.seen.line(m, &v)
	next, out, err := m.Do(now, v)
	r.note(now, line, m, next, out, err)
	return next, out, err
}

// Restored records that the session continued with a restored snapshot,
// at the given time, with its Config and Catalog.
func (r *Recorder) Restored(now time.Time, restored verbs.Machine) {
	r.note(now, "app restore", restored, restored, lifecycle.Output{}, nil)
}

// RestoredWith is Restored with the Config of the head, including its Catalog, plus more
// options.
func (r *Recorder) RestoredWith(now time.Time, restored verbs.Machine, more ...string) {
	line := "app restore head"
	for _, option := range more {
		line += " " + wordOf(option)
	}
	r.note(now, line, restored, restored, lifecycle.Output{}, nil)
}

// Remark puts a comment above the n-th step, 1 being the first.
func (r *Recorder) Remark(n int, text string) {
	if n > 0 && n <= len(r.steps) {
		s := &r.steps[n-1]
		s.Comment = append(slices.Clip(s.Comment), comment(text)...)
	}
}

// Steps returns how many steps have been recorded.
func (r *Recorder) Steps() int { return len(r.steps) }

// Clone returns an independent Recorder with the steps of r.
func (r *Recorder) Clone() *Recorder {
	next := *r
	next.steps = slices.Clip(r.steps)
	if n := len(next.steps); n > 0 { // whose comment may grow
		next.steps = slices.Clone(next.steps)
	}
	next.seen = newMemory()
	for id, c := range r.seen.calls {
		next.seen.calls[id] = c
	}
	for id, q := range r.seen.reqs {
		next.seen.reqs[id] = q
	}
	return &next
}

// File returns the transcript. The title, in any number of lines, is its head.
func (r *Recorder) File(title string) *File {
	f := &File{Role: r.role, Config: r.options, Peer: "{}", Revisions: []protocol.Revision{r.revision}}
	for _, line := range comment(title) {
		key, _, ok := strings.Cut(strings.TrimLeft(line, "# "), ":")
		if ok && (!strings.Contains(key, " ") || strings.HasPrefix(key, "not at")) {
			line = "# " + strings.Replace(line[2:], ":", " -", 1) // not a line of the head with a meaning
		}
		f.Head = append(f.Head, line)
	}
	f.Head = append(f.Head, "# role: "+r.role.String())
	f.Head = append(f.Head, configLines(r.options)...)
	f.Head = append(f.Head, "# revisions: "+r.revision.String())
	f.Steps = slices.Clone(r.steps)
	for i := range f.Steps {
		s := &f.Steps[i]
		s.Want = f.general(slices.Clone(s.Want), r.revision.String())
		if i == 0 {
			s.Comment = append([]string{""}, s.Comment...)
		}
	}
	return f
}

// comment returns text as lines that begin with #.
func comment(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if len(line) > 400 {
			line = line[:400] + "…"
		}
		line = strings.Map(func(c rune) rune {
			if odd(c) {
				return ' '
			}
			return c
		}, line)
		lines = append(lines, strings.TrimRight("# "+line, " "))
	}
	return lines
}

// note records a step. A tick is recorded as passing time, if time passed.
func (r *Recorder) note(now time.Time, line string, before, after verbs.Machine, out lifecycle.Output, err error) {
	if line == tick && !now.Before(r.now) && !r.now.IsZero() {
		line, r.now = "@ +"+now.Sub(r.now).String(), now
	}
	if !now.Equal(r.now) {
		clock := now.Sub(r.origin).String()
		switch back := r.origin.Add(now.Sub(r.origin)); {
		case now.IsZero():
			clock = zero
		case !back.Equal(now): // later than a Duration can be
			clock = "+" + now.Sub(r.now).String()
		}
		r.steps, r.now = append(r.steps, Step{Input: "clock " + clock}), now
	}
	if line == tick {
		line = "@ +0s"
	}
	r.steps = append(r.steps, Step{Input: strings.TrimRight(line, " "), Want: describe(out, err, before.Phase(), after.Phase())})
	r.seen.bind(after)
	r.seen.note(after)
}

// tick is the line of a tick without its time.
const tick = "@ "
