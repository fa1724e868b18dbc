package fuzz_test

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/transcript"
)

// failer is a test that may fail.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// mute is a failer that only stops.
type mute struct{}

func (mute) Helper()               {}
func (mute) Fatal(...any)          { runtime.Goexit() }
func (mute) Fatalf(string, ...any) { runtime.Goexit() }

// printed, deferred, prints the transcripts of a failed input. It runs the input again to record
// them, so that other inputs are not slowed down.
func printed(t *testing.T, again func(failer) (recs []*transcript.Recorder, run func())) {
	p := recover()
	if t.Failed() || p != nil {
		if err := model.Print(os.Stdout, transcripts(again)); err != nil {
			t.Error(err)
		}
	}
	if p != nil {
		panic(p)
	}
}

// transcripts runs an input and returns its transcripts.
func transcripts(again func(failer) (recs []*transcript.Recorder, run func())) *model.Failure {
	recs, run := again(mute{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the same panic as before
		run()
	}()
	<-done
	return model.Fail(errors.New("an input of a fuzz target fails"), 0, "", recs...)
}

// replays checks that the transcripts run with the same result, and have at least so many
// steps.
func replays(t *testing.T, f *model.Failure, steps int) {
	t.Helper()
	for _, text := range f.Transcripts {
		file, err := transcript.ParseText("input.txt", []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := file.Run(transcript.Options{Revision: file.Revisions[0]})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i, s := range file.Steps {
			if !slices.Equal(got[i], s.Want) {
				t.Fatalf("step %d, %s\ncomes to\n%s\nin\n%s", i+1, s.Input, strings.Join(got[i], "\n"), text)
			}
		}
		if steps -= len(file.Steps); file.Role == 0 {
			t.Fatal("no role")
		}
	}
	if steps > 0 {
		t.Errorf("%d steps are missing in\n%s", steps, f.Transcripts)
	}
}
