package worlds_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/explore/worlds"
	"github.com/sansmcp/mcp/conformance/transcript"
)

var (
	update  = flag.Bool("update", false, "rewrite testdata")
	planted = flag.Bool("plants", false, "put the plants into the product and look for each")
	in      = flag.String("in", "", "with -plants, only look for those of scopes that begin so")
)

// watch reports a step that does not return, with its trace.
var watch = explore.NewWatch(time.Minute, func(scope string, f *explore.Fault) {
	fmt.Fprintf(os.Stderr, "%s: %s, in %d steps:\n-replay '%s'\n", scope, f.What, f.Steps, f.Trace)
	os.Exit(1)
})

// open returns the world of a scope, with the Watch.
func open(s worlds.Scope) (w explore.Any) {
	watch.Do(s.Name, func() { w = s.New("") })
	return w
}

// TestScopes explores the scopes for each change. There must be no fault, and the numbers of
// states and the reached points may only change with an update.
func TestScopes(t *testing.T) {
	var counts, reached strings.Builder
	fields := map[string]bool{}
	unused := map[string]int{}
	forms := 0
	for _, s := range worlds.Scopes() {
		if s.Nightly {
			continue
		}
		w := open(s)
		r := w.Search(explore.Limits{States: 30_000, Watch: watch})
		if !r.Empty {
			t.Errorf("%s: does not come to an end", s.Name)
		}
		fmt.Fprintf(&counts, "%-24s %7d states %8d transitions, depth %d\n", s.Name, r.States, r.Transitions, r.Depth)
		if f := r.First(); f != nil {
			t.Errorf("%s: %s, in %d steps of %d ways:\n-replay '%s'", s.Name, f.What, f.Steps, len(r.Faults), f.Trace)
		}
		var list []string
		for what := range r.Reached { // sorted below
			list = append(list, s.Name+": "+what+"\n")
		}
		slices.Sort(list)
		reached.WriteString(strings.Join(list, ""))
		lines, idle := w.Fields()
		for _, line := range lines {
			fields[line] = true
		}
		for _, at := range idle {
			unused[at]++
		}
		forms++
	}
	for at, n := range unused { // independent of each other
		if n == forms {
			t.Errorf("nothing falls under the rule for %s", at)
		}
	}
	var all []string
	for line := range fields { // sorted below
		all = append(all, line)
	}
	slices.Sort(all)
	golden(t, "scopes.txt", counts.String())
	golden(t, "reached.txt", reached.String())
	golden(t, "fields.txt", strings.Join(all, "\n")+"\n")
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s: explain the difference, and go test ./conformance/explore/worlds -update:\n%s", name, diff)
	}
}

// TestFormAgainstSnapshots compares the form with one made of snapshots.
func TestFormAgainstSnapshots(t *testing.T) {
	for _, s := range worlds.Scopes() {
		if !s.Compare {
			continue
		}
		apart, _ := open(s).Compare(explore.Limits{Watch: watch})
		for _, a := range apart {
			t.Errorf("%s: the form takes for one what snapshots tell apart: %s", s.Name, a)
		}
	}
}

// Nodes of the world pair that the search merges continue in the same way, in the scopes for each change.
func TestFolds(t *testing.T) {
	for _, s := range worlds.Scopes() {
		if s.Nightly || !strings.HasPrefix(s.Name, "pair/") {
			continue
		}
		apart, r := open(s).Folds(explore.Limits{Watch: watch})
		for _, a := range apart {
			t.Errorf("%s: taken for one, and they go on differently:\n%s", s.Name, a)
		}
		if f := r.First(); f != nil {
			t.Errorf("%s: %s, in %d steps:\n-replay '%s'", s.Name, f.What, f.Steps, f.Trace)
		}
	}
}

// TestShow replays a trace and runs the resulting transcripts.
func TestShow(t *testing.T) {
	for _, s := range worlds.Scopes() {
		if s.Name != "pair/asks" {
			continue
		}
		text, _, err := open(s).Show("initialize; deliver; deliver 1; deliver; call; deliver; ask; deliver 1; time; answer; deliver; respond; deliver 1", explore.Limits{Watch: watch})
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ = strings.Cut(text, "-- client --\n")
		client, server, _ := strings.Cut(text, "-- server --\n")
		for _, text := range []string{client, server} {
			f, err := transcript.ParseText("trace", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Run(transcript.Options{Revision: f.Revisions[0]})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range f.Steps {
				if !slices.Equal(got[i], s.Want) {
					t.Errorf("step %d, %s: %q, recorded %q", i+1, s.Input, got[i], s.Want)
				}
			}
		}
	}
}
