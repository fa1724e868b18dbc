package officialschema_test

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/officialschema"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// TestOfficialSchema checks every line that a State emits against the official schema: in all
// transcripts, and in random sessions of one State with a hostile peer, of two States
// with simulated applications, and of two with applications that use
// everything. At the end each definition that a State can emit must have occurred. Without a session it checks the
// transcripts.
// transcripts that are.
//
// rows: STDIO-008 STDIO-009
// revisions: all 2026-07-28
func TestOfficialSchema(t *testing.T) {
	books, err := officialschema.Books()
	if err != nil {
		t.Fatal(err)
	}
	sessions := 20_000
	if testing.Short() {
		sessions = 2000
	}
	files := scripts(t)
	sum, played := officialschema.NewTally(books), 0
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		// add runs sessions of a kind concurrently.
		add := func(name string, n int, session func(tally *officialschema.Tally, i int) error) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				tally := officialschema.NewTally(books)
				for i := range n {
					if err := session(tally, i); err != nil {
						t.Fatalf("session %d: %v", i, errors.Join(err, model.Print(os.Stdout, err)))
					}
				}
				mu.Lock()
				defer mu.Unlock()
				sum.Add(tally)
				played += n
			})
		}
		add("transcripts", len(files), func(tally *officialschema.Tally, i int) error { return script(tally, files[i]) })
		add("servers", sessions*3/10, func(tally *officialschema.Tally, i int) error { return alone(tally, lifecycle.Server, i) })
		add("clients", sessions*3/10, func(tally *officialschema.Tally, i int) error { return alone(tally, lifecycle.Client, i) })
		add("pairs", sessions/10, pair)
		add("applications", sessions*3/10, func(tally *officialschema.Tally, i int) error {
			x, err := newSession(tally, int64(i))
			if err != nil {
				return err
			}
			return x.run()
		})
	})
	if t.Failed() || played < sessions+len(files) {
		return // the latter if -run left some out
	}
	for _, what := range sum.Missing() {
		t.Errorf("no line had %s", what)
	}
	if testing.Verbose() {
		fmt.Printf("%d transcripts, %d sessions, %d lines, %d of them errors with the id null by policy\n%s", len(files), sessions, sum.Lines(), sum.NullIDs, sum)
	}
}

// scripts returns the transcripts.
func scripts(t *testing.T) (files []*transcript.File) {
	paths, err := filepath.Glob("../testdata/*/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, path := range paths {
		f, err := transcript.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// script runs a transcript in all its revisions.
func script(tally *officialschema.Tally, f *transcript.File) error {
	for _, rev := range f.Revisions {
		w := tally.Watch(f.Role)
		w.AnswersUnreadable = slices.Contains(f.Config, "answerUnreadable")
		if rev.Stateless() {
			w.Stateless = rev
		}
		watch := func(v verbs.View, in jsonrpc.Message, out lifecycle.Output) error { return w.Step(v, in, out) }
		if _, err := f.Run(transcript.Options{Revision: rev, Watch: watch}); err != nil {
			return fmt.Errorf("%v: %w", rev, err)
		}
	}
	return nil
}

// alone drives one State with a random application and peer; in every second
// session bytes of the peer's messages are changed.
func alone(tally *officialschema.Tally, party lifecycle.Party, seed int) error {
	src := rand.New(rand.NewSource(int64(seed)))
	set := model.RandomSetup(src, party)
	set.Policy.KeepNulls = false // it sends nulls that no schema allows
	m, err := set.New(model.Origin)
	if err != nil {
		return err
	}
	g := model.NewGenerator(src, set)
	g.Wild = seed%2 == 1
	w := tally.Watch(party)
	w.AnswersUnreadable = set.Policy.AnswerUnreadable
	for range 60 {
		s := g.Next(m)
		var out lifecycle.Output
		m, out, _ = s.Apply(m)
		if err := w.Step(m, received(&s), out); err != nil {
			return fmt.Errorf("%v %s: %w", party, &s, err)
		}
		g.Saw(out)
	}
	return nil
}

func received(s *model.Step) jsonrpc.Message {
	if s.Op != verbs.OpReceive {
		return jsonrpc.Message{}
	}
	return jsonrpc.DecodeString(s.Text)
}

// pair joins two States.
func pair(tally *officialschema.Tally, seed int) error {
	p, err := model.NewPair(rand.New(rand.NewSource(int64(seed))))
	if err != nil {
		return err
	}
	watch := map[lifecycle.Party]*officialschema.Watcher{
		lifecycle.Client: tally.Watch(lifecycle.Client), lifecycle.Server: tally.Watch(lifecycle.Server),
	}
	p.Watch = func(m verbs.Machine, s *model.Step, out lifecycle.Output) error {
		return watch[m.Party()].Step(m, received(s), out)
	}
	return p.Session()
}
