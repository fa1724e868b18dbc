package server_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
)

type rapidSource struct{ t *rapid.T }

func (s rapidSource) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "") }

// Whatever the client and the application do, a State does what a naive machine over
// plain slices does, written from the specification: the same messages, events, phase and
// deadlines; the books of every request balance; and no State of the past changes,
// although every argument and every Output is scribbled over. What goes out is one message of
// the negotiated revision at a time.
func TestAgainstNaive(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, false) }) }

// The same for messages that are damaged in any place, without the naive machine.
func TestHostileMessages(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, true) }) }

func play(t *rapid.T, wild bool) {
	src := rapidSource{t}
	run, err := model.NewRun(src, model.RandomSetup(src, lifecycle.Server), wild)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		if err := run.Step(); err != nil {
			t.Fatalf("%v\n%s", err, run.Transcript())
		}
	}
	if err := run.Close(); err != nil {
		t.Fatalf("%v\n%s", err, run.Transcript())
	}
}
