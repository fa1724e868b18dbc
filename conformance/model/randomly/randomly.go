// Package randomly tests properties of random sessions with rapid. For a violation it prints
// the transcript of the session instead of the drawn values.
package randomly

import (
	"io"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
)

// Source is a [model.Source] that rapid shrinks.
type Source struct {
	T *rapid.T // what it draws from
}

// Intn returns a number from 0 to n-1.
func (s Source) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.T, "") }

// outcome is the result of a property. Rapid prints it instead of all drawn values.
type outcome struct{ err error }

// GoString says whether the property holds.
func (o outcome) GoString() string {
	if o.err == nil {
		return "it holds"
	}
	return "it does not hold"
}

// Check tests a property with rapid. It prints the transcripts of a failure, shrunk by
// rapid, to standard output, without a prefix before their lines.
func Check(t *testing.T, property func(src model.Source) error) {
	t.Helper()
	CheckTo(t, os.Stdout, property)
}

// CheckTo is Check for any test and output.
func CheckTo(t rapid.TB, w io.Writer, property func(src model.Source) error) {
	t.Helper()
	var last error // rapid runs the smallest last
	defer func() { // rapid ends the test by runtime.Goexit
		if err := model.Print(w, last); err != nil {
			t.Error(err)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		got := rapid.Custom(func(t *rapid.T) outcome { return outcome{property(Source{t})} }).Draw(t, "the property")
		if got.err != nil {
			last = got.err
			t.Fatal(got.err)
		}
	})
}
