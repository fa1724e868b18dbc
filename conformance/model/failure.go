package model

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript"
)

// Failure is a property that does not hold for a session.
type Failure struct {
	Err         error    // what does not hold
	Transcripts []string // the session, once for each end of it that was driven

	shorten func() *Failure // of fewer steps, where that is known
}

// Error says what does not hold. The transcripts are left to Print.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns what does not hold.
func (f *Failure) Unwrap() error { return f.Err }

// Print writes the transcripts of a Failure, if err is one, without anything before the
// lines, so that they can be copied into a file. Steps that do not matter are left out.
func Print(w io.Writer, err error) error {
	var f *Failure
	if !errors.As(err, &f) {
		return nil
	}
	if f.shorten != nil {
		f = f.shorten()
	}
	for _, text := range f.Transcripts {
		const cut = "-------- conformance/testdata/AREA/NAME.txt, for go test ./conformance/transcript --------"
		if _, err := fmt.Fprintf(w, "%s\n%s%s\n", cut, text, strings.Repeat("-", len(cut))); err != nil {
			return err
		}
	}
	return nil
}

// failed returns the transcript of a session in which something does not hold.
func failed(rec *transcript.Recorder, err error) string {
	what := strings.Join(strings.Fields(err.Error()), " ")
	return string(rec.File("A random session in which something does not hold: " + what[:min(len(what), 80)]).Text())
}

func (r *Run) failure(err error) error {
	f := &Failure{Err: err, Transcripts: []string{failed(r.rec, err)}}
	f.shorten = func() *Failure { return r.shorten(f) }
	return f
}

// shorten leaves out steps of a Run that failed, as many as it can as long as it fails in
// some way, and returns how it fails then.
func (r *Run) shorten(f *Failure) *Failure {
	var steps []Step
	for _, k := range r.past {
		steps = append(steps, k.step)
	}
	if r.closed {
		steps = steps[:len(steps)-2] // which Close takes
	}
	for size := len(steps); size > 0; size /= 2 {
		for at := len(steps) - size; at >= 0; {
			fewer := slices.Delete(slices.Clone(steps), at, at+size)
			if shorter := r.again(fewer); shorter != nil {
				steps, f = fewer, shorter
			}
			at = min(at-size, len(steps)-size)
		}
	}
	return f
}

// again takes the steps with a new Run of the setup. It returns how they fail, if they do.
func (r *Run) again(steps []Step) (f *Failure) {
	next, err := NewRun(NewBytes(nil), r.set, r.naive == nil)
	if err != nil {
		return nil // which says nothing of the steps
	}
	next.Light, next.doubt = r.Light, r.doubt
	for _, s := range steps {
		if errors.As(next.Do(s), &f) {
			return f
		}
		if s.Now.After(next.gen.now) {
			next.gen.now = s.Now
		}
	}
	if r.closed {
		errors.As(next.Close(), &f)
	}
	return f
}
