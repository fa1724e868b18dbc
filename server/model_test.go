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
//
// rows: JRPC-001 JRPC-009 JRPC-021 JRPC-026 JRPC-030 ERR-002 PROG-014 PROG-019 TIME-001 TIME-013 SEC-011 HTTP-008 STDIO-008 HTTP-014 HTTP-027 HTTP-028
func TestAgainstNaive(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, false) }) }

// The same for messages that are damaged in any place, without the naive machine.
//
// rows: SEC-012 ERR-002
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
