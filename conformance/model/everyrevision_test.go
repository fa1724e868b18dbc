package model_test

import (
	"math/rand"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The random sessions that rows are proved by come to speak every revision, of either
// party, so that what holds in all of them holds in each revision.
func TestRandomSessionsSpeakEveryRevision(t *testing.T) {
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		spoken := map[protocol.Revision]int{}
		for seed := range 60 { // those of the short TestRules
			src := rand.New(rand.NewSource(int64(seed)))
			set := model.RandomSetup(src, party)
			m, err := set.New(model.Origin)
			if err != nil {
				t.Fatal(err)
			}
			gen := model.NewGenerator(src, set)
			for range 60 {
				s := gen.Next(m)
				next, out, _ := s.Apply(m)
				gen.Saw(out)
				if m = next; m.Phase() == lifecycle.Ready {
					spoken[m.Revision()]++
				}
			}
		}
		for _, r := range protocol.Revisions() {
			if spoken[r] < 100 {
				t.Errorf("of a %v only %d steps are in a session of %v: %v", party, spoken[r], r, spoken)
			}
		}
	}
}
