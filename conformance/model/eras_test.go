package model_test

import (
	"math/rand"
	"testing"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/lifecycle"
)

// TestEras is TestSeeds for machines that support revisions without a session, with or without
// others.
//
// revisions: 2026-07-28
func TestEras(t *testing.T) {
	n := 4 * *seeds
	if testing.Short() {
		n /= 4
	}
	seen := map[string]int{}
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for seed := range n {
			src := rand.New(rand.NewSource(int64(seed)))
			run, err := model.NewRun(src, model.RandomEras(src, party), false)
			if err != nil {
				t.Fatal(err)
			}
			run.Light = seed%4 > 0
			for range 60 {
				if err := run.Step(); err != nil {
					fails(t, err, party, seed)
				}
			}
			if err := run.Close(); err != nil {
				fails(t, err, party, seed)
			}
			for what, n := range run.Seen {
				seen[what] += n
			}
		}
	}
	if testing.Short() {
		return
	}
	for what, floor := range eraFloors {
		if seen[what] < floor {
			t.Errorf("the runs saw %q %d times, want %d", what, seen[what], floor)
		}
	}
}

// eraFloors say how often the runs of TestEras at least reach what only requests without a session have.
var eraFloors = map[string]int{
	"server sent notifications/subscriptions/acknowledged": 200, "server VERS-202": 10, "server REQM-003": 10, "server ERR-205": 3,
	"server sent notifications/tools/list_changed": 10, "server ready": 300, "server " + lifecycle.ErrCapability.Error(): 30,
	"client question refused": 4, "client MRTR-006": 10, "client MRTR-030": 4, "client RSLT-006": 1, "client SUBS-008": 10, "client SUBS-010": 5, "client JRPC-204": 30,
	"client sent initialize": 30, "client " + lifecycle.CauseUnsupportedRevision.String(): 3, "client sent server/discover": 100,
}
