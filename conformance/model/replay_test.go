package model_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/model/randomly"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// replay reads a transcript as the runner reads files and runs it, normally and restored
// after each step. Each step must have the recorded effects, and the State the snapshot
// at the end of the session, unless that is "".
func replay(text, snapshot string) error {
	f, err := transcript.ParseText("random.txt", []byte(text))
	if err != nil {
		return err
	}
	if string(f.Text()) != text {
		return fmt.Errorf("is written back as\n%s", f.Text())
	}
	for _, reload := range []bool{false, true} {
		var last []byte
		opt := transcript.Options{Revision: f.Revisions[0], Reload: reload, Watch: func(v verbs.View, _ jsonrpc.Message, _ lifecycle.Output) error {
			last = v.Snapshot()
			return nil
		}}
		got, err := f.Run(opt)
		if err != nil {
			return fmt.Errorf("restored %v: %w", reload, err)
		}
		for i, s := range f.Steps {
			if !slices.Equal(got[i], s.Want) {
				return fmt.Errorf("restored %v: step %d, %s\n%s", reload, i+1, s.Input, cmp.Diff(s.Want, got[i]))
			}
		}
		if snapshot != "" && !reload && string(last) != snapshot {
			return fmt.Errorf("ends as\n%s\nwant\n%s", last, snapshot)
		}
	}
	return nil
}

// Whatever setup, messages, verbs and misuse are drawn, the transcript of the run is complete:
// package transcript reads, runs and restores it, and every step has the same effects as
// in the run.
func TestTranscriptsSayAll(t *testing.T) {
	seen, seeds := map[string]int{}, 120
	if testing.Short() {
		seeds = 30
	}
	property := func(party lifecycle.Party, wild bool, topic string) func(model.Source) error {
		return func(src model.Source) error {
			run, err := model.NewRun(src, model.RandomSetup(src, party), wild)
			if topic != "" {
				run, err = model.NewTopicRun(src, topic, party)
			}
			if err != nil {
				return err
			}
			run.Light = true // properties of the whole run are not the question here
			for range 1 + src.Intn(60) {
				if err := run.Step(); err != nil {
					return err
				}
			}
			if err := replay(run.Transcript(), string(run.M.Snapshot())); err != nil {
				return fmt.Errorf("%w\n%s", err, run.Transcript())
			}
			for what, n := range run.Seen {
				seen[what] += n
			}
			return nil
		}
	}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for _, wild := range []bool{false, true} {
			randomly.Check(t, property(party, wild, ""))
			for seed := range seeds { // which rapid, preferring small numbers, seldom draws
				if err := property(party, wild, "")(rand.New(rand.NewSource(int64(seed)))); err != nil {
					t.Fatal(party, wild, seed, err)
				}
			}
		}
		for _, topic := range model.Topics() {
			for seed := range seeds / 12 {
				if err := property(party, false, topic)(rand.New(rand.NewSource(int64(seed)))); err != nil {
					t.Fatal(party, topic, seed, err)
				}
			}
		}
	}
	if testing.Short() {
		return
	}
	for op := range verbs.OpNewSession { // otherwise the runs say nothing about them
		if name := "client " + op.String(); seen[name] == 0 {
			t.Errorf("no run of %s", name)
		}
	}
}

// Likewise for both ends of a session, and for a session with the next one.
func TestTranscriptsOfPairsAndUsedStates(t *testing.T) {
	all := func(list []string) error {
		for _, text := range list {
			if err := replay(text, ""); err != nil {
				return fmt.Errorf("%w\n%s", err, text)
			}
		}
		return nil
	}
	n := 30
	if testing.Short() {
		n = 6
	}
	for seed := range n {
		src := rand.New(rand.NewSource(int64(seed)))
		p, err := model.NewPair(src)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := p.Session(); err != nil {
				fails(t, err, seed)
			}
		}
		if err := all(p.Transcripts()); err != nil {
			t.Fatal(seed, err)
		}
		u, err := model.NewUsed(src, model.RandomSetup(src, []lifecycle.Party{lifecycle.Server, lifecycle.Client}[seed%2]))
		if err != nil {
			t.Fatal(err)
		}
		if seed%3 == 0 {
			u.Busy()
		}
		for range 10 {
			u.Step()
			if err := u.Next(src, 10); err != nil {
				fails(t, err, seed)
			}
			if err := all(u.Transcripts()); err != nil || len(u.Transcripts()) != 3 {
				t.Fatal(seed, err)
			}
		}
	}
}
