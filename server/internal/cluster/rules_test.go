package cluster_test

import (
	"flag"
	"strings"
	"testing"
)

var (
	schedules = flag.Uint64("schedules", 300, "how many schedules the rules are tried on")
	from      = flag.Uint64("from", 0, "the seed of the first of them")
)

var plants = flag.Uint64("plants", 20, "how many schedules a planted fault may take")

// The rules hold on every schedule.
func TestRules(t *testing.T) {
	outcomes := map[string]int{}
	for seed := *from; seed < *from+*schedules; seed++ {
		s := schedule(seed, "")
		if s.fault != "" {
			t.Fatalf("seed %d: %s", seed, s.fault)
		}
		for _, p := range s.posts {
			outcomes[p.outcome]++
		}
	}
	t.Log(outcomes)
	for _, o := range []string{"result", "lost", "unknown", "retry", "cut"} {
		if outcomes[o] == 0 {
			t.Errorf("no post was told %s", o)
		}
	}
}

// Each fault that is planted breaks the invariant that it should, within some schedules.
func TestPlants(t *testing.T) {
	for _, tt := range []struct {
		plant, invariant string
		from             uint64 // the seed to begin with
	}{
		{"effects before Put", "I2", 0},
		{"effects after ErrStep", "I2", 0},
		{"finish without entry", "I6", 0},
		{"record before index", "I4", 0},
		{"newest turn alone", "I7 R3 P2 P3", 240},
		{"lease from reply", "I10", 1185},
		{"no step", "I4 I7", 850},
		{"event ids", "I3", 0},
		{"request ids", "I8", 15},
		{"unbegun answers", "I9", 165},
		{"empty response", "I9", 0},
		{"own clock", "I1", 0},
		{"no confirmation", "I7", 0},
		{"notes of before", "I4", 0},
		{"branch after record", "I4", 1845},
		{"forgotten on another branch", "I4 I7", 570},
		{"recalled by step", "I1 I2 I3 I4 I7 I8", 80},
	} {
		t.Run(tt.plant, func(t *testing.T) {
			for seed := tt.from; seed < tt.from+*plants; seed++ {
				if s := schedule(seed, tt.plant); s.fault != "" {
					name, _, _ := strings.Cut(s.fault, ":")
					if !strings.Contains(tt.invariant, name) {
						t.Errorf("seed %d: %s, want %s", seed, s.fault, tt.invariant)
					}
					t.Logf("seed %d: %s", seed, s.fault)
					return
				}
			}
			t.Error("nothing was found")
		})
	}
}
