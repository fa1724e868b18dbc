// Package randomly holds properties of random sessions against rapid, for tests. Of a session
// for which one does not hold, it prints the transcript and not what was drawn.
package randomly

import (
	"io"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
)

// Source is a [model.Source] that rapid makes smaller.
type Source struct {
	T *rapid.T // what it draws from
}

// Intn returns a number from 0 to n-1.
func (s Source) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.T, "") }

// outcome is what a property came to. Rapid prints it in place of all that was drawn for it.
type outcome struct{ err error }

// GoString says whether the property holds.
func (o outcome) GoString() string {
	if o.err == nil {
		return "it holds"
	}
	return "it does not hold"
}

// Check holds a property against rapid. Of what fails it prints the transcripts to standard
// output, where nothing stands before their lines, once rapid has made it small.
func Check(t *testing.T, property func(src model.Source) error) {
	t.Helper()
	CheckTo(t, os.Stdout, property)
}

// CheckTo is Check for any test, and any place to print to.
func CheckTo(t rapid.TB, w io.Writer, property func(src model.Source) error) {
	t.Helper()
	var last error // rapid runs the smallest last
	defer func() { // rapid leaves the test by runtime.Goexit
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
