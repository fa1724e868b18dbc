package worlds_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/explore/worlds"
)

var nightly = flag.Bool("nightly", false, "explore the large scopes that come to an end, which takes minutes")

// TestNightly explores the large scopes that can be completed, with -nightly. testdata/nightly.txt names them, with their
// numbers.
func TestNightly(t *testing.T) {
	if !*nightly {
		t.Skip("only with -nightly")
	}
	pinned, err := os.ReadFile("testdata/nightly.txt")
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]worlds.Scope{}
	for _, s := range worlds.Scopes() {
		scopes[s.Name] = s
	}
	var counts strings.Builder
	for line := range strings.Lines(string(pinned)) {
		s, ok := scopes[strings.Fields(line)[0]]
		if !ok {
			t.Fatalf("there is no scope %s", line)
		}
		r := open(s).Search(explore.Limits{Watch: watch})
		t.Log(s.Name, r.Took.Round(time.Second))
		fmt.Fprintf(&counts, "%-24s %7d states %8d transitions, depth %d\n", s.Name, r.States, r.Transitions, r.Depth)
		if f := r.First(); f != nil {
			t.Errorf("%s: %s, in %d steps of %d ways:\n-replay '%s'", s.Name, f.What, f.Steps, len(r.Faults), f.Trace)
		}
	}
	golden(t, "nightly.txt", counts.String())
}
