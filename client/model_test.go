package client_test

import (
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/lifecycle"
)

// Whatever the server and the application do, a State does what a naive machine over
// plain slices does, written from the specification: the same messages, events, phase and
// deadlines; the books of every request balance; and no State of the past changes,
// although every argument and every Output is scribbled over. What goes out is one message of
// the negotiated revision at a time.
func TestAgainstNaive(t *testing.T) {
	randomly.Check(t, func(src model.Source) error { return play(src, false) })
}

// The same for messages that are damaged in any place, without the naive machine.
func TestHostileMessages(t *testing.T) {
	randomly.Check(t, func(src model.Source) error { return play(src, true) })
}

func play(src model.Source, wild bool) error {
	run, err := model.NewRun(src, model.RandomSetup(src, lifecycle.Client), wild)
	if err != nil {
		return err
	}
	for range 1 + src.Intn(60) {
		if err := run.Step(); err != nil {
			return err
		}
	}
	return run.Close()
}
