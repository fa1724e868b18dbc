package many

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"
)

var runs = flag.Int("runs", 0, "runs of each set-up; 0 for a usual number")

// number returns the number of runs.
func number(usual int) int {
	switch {
	case *runs > 0:
		return *runs
	case testing.Short():
		return max(1, usual/4)
	}
	return usual
}

// Managers, Callers and Relays keep their promises among many servers of all kinds (E31), whose
// endpoints are any values of the application (A2): each call ends once, by its time and in the
// step of its answer, with its own result; nothing remains at the end (E30).
func TestRandomRuns(t *testing.T) {
	for setup, usual := range map[string]int{"manager": 8, "calls": 4, "relay": 3} {
		t.Run(setup, func(t *testing.T) {
			t.Parallel()
			var sum Report
			for seed := range uint64(number(usual)) {
				opt := Options{Seed: seed + 1}
				if seed%2 == 1 {
					opt.Restore = 40
				}
				r, err := Run(setup, opt)
				if err != nil {
					t.Fatal(err)
				}
				sum.Add(r)
			}
			t.Logf("%s: %s", setup, sum)
		})
	}
}

// All of that holds in all eras of the servers and of the client: questions are asked within calls, which are repeated late,
// never, or by another party, and subscriptions begin and end.
func TestErasAtRandom(t *testing.T) {
	for setup, opt := range map[string]Options{"manager": {Restore: 40}, "calls": {Restore: 40}, "relay": {}} {
		t.Run(setup, func(t *testing.T) {
			t.Parallel()
			var sum Report
			for seed := range uint64(number(2)) {
				opt.Seed, opt.Length, opt.Eras = seed+2, 10*time.Second, true
				r, err := Run(setup, opt)
				if err != nil {
					t.Fatal(err)
				}
				sum.Add(r)
			}
			t.Logf("%s: %s", setup, sum)
		})
	}
}

// A silent server delays no other by a step, and a restored machine
// continues unchanged: the traces of all other servers are the same.
func TestNobodyWaitsForOthers(t *testing.T) {
	for _, setup := range []string{"manager", "calls", "relay"} {
		t.Run(setup, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(number(1)) {
				r, err := Alike(setup, Options{Seed: 1000 + seed, Servers: 5, Length: 10 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				if seed == 0 {
					t.Logf("%s: %s", setup, r)
				}
			}
		})
	}
}

// After a thousand links that fail in every way nothing remains (E30).
func TestNothingIsLeft(t *testing.T) {
	r, err := Cycles(Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Counts["open"]; n < cycles {
		t.Errorf("%d connections were opened", n)
	}
}

// The same Options give the same run, and a Failure says how to repeat it.
func TestRunsRepeat(t *testing.T) {
	for _, setup := range []string{"manager", "calls", "relay"} {
		opt := Options{Seed: 7, Servers: 5, Length: 5 * time.Second, Trace: true, Restore: 30}
		a, errA := Run(setup, opt)
		b, errB := Run(setup, opt)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if err := Compare(a, b); err != nil || a.Steps != b.Steps {
			t.Errorf("%s: %d and %d steps, %v", setup, a.Steps, b.Steps, err)
		}
	}
	if _, err := Run("nothing", Options{}); err == nil {
		t.Error("there is no such set-up")
	}
	var f *Failure
	_, err := runManager(Options{Seed: 3}, faults["an operation ends twice"].make())
	if !errors.As(err, &f) || !strings.Contains(err.Error(), "-setup manager -seed 3 ") {
		t.Errorf("a failure is %v", err)
	}
}
