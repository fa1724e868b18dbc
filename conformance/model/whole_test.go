package model

import (
	"errors"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// marked returns the step with a comment in the transcript of a Failure, after every step
// had the recorded effects.
func marked(t *testing.T, err error, comment string) (at int, steps []transcript.Step) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) || len(f.Transcripts) != 1 {
		t.Fatalf("%v is no Failure with a transcript", err)
	}
	var out strings.Builder
	if err := Print(&out, err); err != nil || !strings.Contains(out.String(), "\n"+f.Transcripts[0]) {
		t.Errorf("%v\n%s\nis printed as\n%s", err, f.Transcripts[0], out.String())
	}
	file, err := transcript.ParseText("random.txt", []byte(f.Transcripts[0]))
	if err != nil {
		t.Fatal(err)
	}
	got, err := file.Run(transcript.Options{Revision: file.Revisions[0]})
	if err != nil {
		t.Fatal(err)
	}
	at = -1
	for i, s := range file.Steps {
		if !slices.Equal(got[i], s.Want) {
			t.Errorf("step %d, %s\n%q\nwant\n%q", i, s.Input, got[i], s.Want)
		}
		if slices.ContainsFunc(s.Comment, func(line string) bool { return strings.HasPrefix(line, comment) }) {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("no comment %q in\n%s", comment, f.Transcripts[0])
	}
	return at, file.Steps
}

// If the same steps have another effect the second time, the transcript has a comment at
// the step that differs.
func TestFailureOfDeterminism(t *testing.T) {
	src := rand.New(rand.NewSource(5))
	run, err := NewRun(src, RandomSetup(src, lifecycle.Server), false)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 {
		if err := run.Step(); err != nil {
			t.Fatal(err)
		}
	}
	run.past[12].out += "and something more"
	at, steps := marked(t, run.Close(), "# step 12 comes to something else a second time:")
	taken := 0
	for _, s := range steps[:at] {
		if !strings.HasPrefix(s.Input, "clock ") {
			taken++
		}
	}
	if taken != 12 {
		t.Errorf("the comment is at step %d", taken)
	}
}

// If a session differs from an unused one, or a restored one from one that continued,
// the transcript has the first session, what began the next, and a comment where they differ.
func TestFailureOfUsedStates(t *testing.T) {
	for i, begins := range []string{"app newsession", "app reset", "app restore"} {
		src := rand.New(rand.NewSource(1))
		u, err := NewUsed(src, RandomSetup(src, lifecycle.Server))
		if err != nil {
			t.Fatal(err)
		}
		u.Busy()
		ways := 0
		u.doubt = func(want verbs.Machine) verbs.Machine {
			if ways++; ways <= i {
				return want
			}
			late, _, _ := want.Do(Origin.Add(time.Hour), verbs.Verb{Op: verbs.OpDisconnected})
			return late
		}
		at, steps := marked(t, u.Next(src, 10), "# Here the session differs")
		if at != len(steps)-1 || steps[at].Input != begins {
			t.Errorf("%s: the comment is at step %d of %d, %s", begins, at, len(steps), steps[at].Input)
		}
	}
}
