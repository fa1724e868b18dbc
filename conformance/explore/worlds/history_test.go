package worlds_test

import (
	"flag"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/explore/worlds"
)

var (
	histories = flag.Duration("histories", 0, "how long to draw operations for one history; 0 for a usual number of them")
	seed      = flag.Uint64("seed", 1, "the seed of -histories")
)

// A list of operations has one history over every carrier: single messages or batches, a loop or functions, a
// pipe or HTTP, connections that last or break, States that are kept or restored, with a session and without.
func TestOneHistory(t *testing.T) {
	for _, s := range worlds.Scopes() {
		if s.Name != "history/all" {
			continue
		}
		lim := explore.Limits{Time: *histories, Watch: watch}
		if lim.Time == 0 {
			lim.States, lim.Time = 400, time.Hour
		}
		r := open(s).Walk(*seed, 60, lim)
		if f := r.First(); f != nil {
			t.Errorf("seed %d: %s, in %d steps:\ngo run ./conformance/explore/cmd/explore -world %s -replay '%s'", *seed, f.What, f.Steps, s.Name, f.Trace)
		}
		for _, what := range []string{"c asked ", "c progress ", "c log ", "s told to ", "c cancelled", "c error -", "c done", "c 5 tools", "n notifications/tools/list_changed "} {
			if r.Reached[what] == 0 {
				t.Errorf("%d steps never came by %q", r.States, what)
			}
		}
	}
}
