package model

import (
	"errors"
	"fmt"
	"io"
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

// Fail returns the Failure of a session in which err says what does not hold, with what was
// written down of its ends. The remark, if there is one, stands above the n-th step of the
// first.
func Fail(err error, n int, remark string, recs ...*transcript.Recorder) *Failure {
	if remark != "" {
		recs[0].Remark(n, remark)
	}
	what := strings.Join(strings.Fields(err.Error()), " ")
	f := &Failure{Err: err}
	for _, rec := range recs {
		text := rec.File("A random session in which something does not hold: " + what[:min(len(what), 80)]).Text()
		f.Transcripts = append(f.Transcripts, string(text))
	}
	return f
}

func (r *Run) failure(err error, n int, remark string) error {
	f := Fail(err, n, remark, r.rec)
	f.shorten = func() *Failure { return r.shorten(f) }
	return f
}
