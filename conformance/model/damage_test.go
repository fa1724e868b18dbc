package model_test

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/model"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
)

// sound returns an error if no session can reach the Machine's state, as far as its
// invariants, another snapshot, time and random steps show.
func sound(src model.Source, set model.Setup, m verbs.Machine, now time.Time) error {
	if err := m.Check(); err != nil {
		return err
	}
	again := func(same bool) error {
		text := m.Snapshot()
		if strings.Contains(string(text), "900719925474") {
			return nil // no session gets that far
		}
		next, err := set.Restore(text, now, nil)
		if err != nil {
			return fmt.Errorf("its own snapshot: %w\n%s", err, text)
		}
		if got := next.Snapshot(); same && string(got) != string(text) {
			return fmt.Errorf("its own snapshot\n%s\nbecomes\n%s", text, got)
		}
		return nil
	}
	if err := again(true); err != nil {
		return err
	}
	ticked, at := m, now
	for range 20 {
		ticked, _ = ticked.Tick(at)
		due, ok := ticked.NextDeadline()
		if ok && !due.After(at) {
			return fmt.Errorf("after Tick at %v the next deadline is %v", at, due)
		}
		if err := ticked.Check(); err != nil || !ok {
			return err
		}
		at = due
	}
	gen := model.NewGenerator(src, set)
	for range 12 {
		s := gen.Next(m)
		s.Now = now
		next, out, _ := s.Apply(m)
		if m = next; m.Check() != nil {
			return fmt.Errorf("%s: %w", s.String(), m.Check())
		}
		gen.Saw(out)
	}
	return again(false) // the catalog may have changed
}

// However a snapshot is damaged, it is refused with ErrSnapshot, or it is that of a
// possible session. The same holds with another Config: its changes apply from then on,
// and an undamaged snapshot is only refused for its limits or revisions.
func TestDamagedSnapshots(t *testing.T) {
	n := *seeds / 2
	if testing.Short() {
		n /= 4
	}
	good, bad := 0, 0
	for _, party := range []lifecycle.Party{lifecycle.Server, lifecycle.Client} {
		for seed := range n {
			src := rand.New(rand.NewSource(int64(seed)))
			set := model.RandomSetup(src, party)
			u, err := model.NewUsed(src, set)
			if err != nil {
				t.Fatal(err)
			}
			if seed%2 == 0 {
				u.Busy()
			}
			other := string(u.Snapshot())
			for range 60 {
				u.Step()
				text, now := string(u.Snapshot()), model.Origin.Add(time.Hour)
				next := set
				next.Keepalive = lifecycle.Keepalive{Interval: time.Duration(src.Intn(2)) * time.Second, Misses: src.Intn(2)}
				next.ChangeDelay, next.Timeouts = time.Duration(src.Intn(2)), lifecycle.Timeouts{}
				next.Limits = lifecycle.Limits{Inbound: 1 + src.Intn(4), Outbound: 1 + src.Intn(4), Logs: lifecycle.Rate{PerSecond: 3}}
				switch m, err := next.Restore([]byte(text), now, nil); {
				case err != nil && !(errors.Is(err, lifecycle.ErrSnapshot) && errors.Is(err, lifecycle.ErrLimit)):
					t.Fatalf("%v, seed %d: under another Config: %v\n%s", party, seed, err, text)
				case err == nil:
					if err := sound(src, next, m, now); err != nil {
						t.Fatalf("%v, seed %d: under another Config: %v\n%s", party, seed, err, text)
					}
				}
				for range 10 {
					damaged := model.Damage(src, text, other)
					m, err := set.Restore([]byte(damaged), now, nil)
					if err != nil {
						if bad++; !errors.Is(err, lifecycle.ErrSnapshot) || len(err.Error()) > 200 {
							t.Fatalf("%v, seed %d: %v\n%s", party, seed, err, damaged)
						}
						continue
					}
					good++
					if err := sound(src, set, m, now); err != nil {
						t.Fatalf("%v, seed %d: %v\n%s\nwas\n%s", party, seed, err, damaged, text)
					}
				}
				other = text
			}
		}
	}
	if good < bad/20 || bad < good/20 {
		t.Errorf("%d were restored and %d refused", good, bad)
	}
}
