package model

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript"
)

// Failure is a violated property of a session.
type Failure struct {
	Err         error    // the violation
	Transcripts []string // the session, one for each end

	shorten func() *Failure // with fewer steps, if available
}

// Error describes the violation. Print prints the transcripts.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the violation.
func (f *Failure) Unwrap() error { return f.Err }

// Print writes the transcripts of a Failure, if err is one, without a prefix before the
// lines, so that they can be copied into a file. Irrelevant steps are omitted.
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

// Fail returns the Failure of a session with the violation err and the records of its
// ends. The remark, if any, is above the n-th step of the
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
