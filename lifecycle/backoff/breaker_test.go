package backoff_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

var start = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func breaker(t interface{ Fatal(...any) }, opt backoff.BreakerOptions) backoff.Breaker {
	b, err := backoff.NewBreaker(opt)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBreakerSchedule is row E16: what the breaker does, to the nanosecond. It is the same if the
// breaker moves to another process before each step.
func TestBreakerSchedule(t *testing.T) {
	opt := backoff.BreakerOptions{Threshold: 3, Cooldown: 10 * time.Second, Probes: 2}
	for _, moved := range []bool{false, true} {
		var w strings.Builder
		b := breaker(t, opt)
		last := start
		for _, line := range strings.Split(strings.TrimSpace(`
0s failed
1s failed
1s succeeded
2s failed
2s failed
2s allow
2s failed
2s allow
3s failed
11.999999999s allow
12s allow
12s allow
12s allow
12s allow
13s failed
13s allow
22.999999999s allow
23s allow
23s allow
23s allow
32.999999999s allow
33s allow
34s succeeded
34s allow
35s failed
35s failed
35s failed
36s succeeded
36s allow
45s allow
46s failed
55.999999999s allow
56s allow
56s succeeded
40s failed
`), "\n") {
			at, what, _ := strings.Cut(line, " ")
			d, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			now := start.Add(d)
			if moved {
				if b, err = backoff.RestoreBreaker(opt, string(b.AppendJSON(nil, last)), last); err != nil {
					t.Fatal(err)
				}
			}
			note := ""
			switch what {
			case "allow":
				var ok bool
				b, ok = b.Allow(now)
				note = map[bool]string{true: ": yes", false: ": no"}[ok]
			case "failed":
				b = b.Failed(now)
			case "succeeded":
				b = b.Succeeded(now)
			}
			if now.After(last) {
				last = now
			}
			fmt.Fprintf(&w, "%14s  %-16s %v", "+"+d.String(), what+note, b.State(now))
			if until, ok := b.Until(); ok {
				fmt.Fprintf(&w, " until +%v", until.Sub(start))
			}
			w.WriteByte('\n')
		}
		golden(t, "breaker.txt", w.String())
	}
}

// naiveBreaker is a breaker as its documentation has it, with a list of the probes.
type naiveBreaker struct {
	opt      backoff.BreakerOptions
	now      time.Time
	failures int
	tripped  bool
	shut     time.Time // when it was last shut
	probes   int
	held     time.Time // until when no more pass; zero if some do
}

func (b *naiveBreaker) at(now time.Time) {
	if now.After(b.now) {
		b.now = now
	}
}

func (b *naiveBreaker) state() backoff.BreakerState {
	switch {
	case !b.tripped:
		return backoff.Closed
	case b.probes == 0 && b.now.Before(b.shut.Add(b.opt.Cooldown)):
		return backoff.Open
	}
	return backoff.HalfOpen
}

// TestBreakerModel drives a breaker and the naive one at random.
func TestBreakerModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := backoff.BreakerOptions{
			Threshold: rapid.IntRange(0, 3).Draw(t, "threshold"), Cooldown: time.Duration(rapid.IntRange(1, 5).Draw(t, "cooldown")) * time.Second,
			Probes: rapid.IntRange(1, 3).Draw(t, "probes"),
		}
		b, m, now := breaker(t, opt), &naiveBreaker{opt: opt, now: start}, start
		b, _ = b.Allow(start)
		passed := map[time.Time]int{} // by when it was shut
		t.Repeat(map[string]func(*rapid.T){
			"sleep": func(t *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(-1, 6).Draw(t, "s")) * time.Second / 2) },
			"allow": func(t *rapid.T) {
				m.at(now)
				want := true
				if m.tripped {
					switch {
					case m.state() == backoff.Open:
						want = false
					case m.held.IsZero():
					case m.now.Before(m.held):
						want = false
					default: // the probes have said nothing for a whole Cooldown
						m.probes, m.held = 0, time.Time{}
					}
					if want {
						if m.probes++; m.probes == opt.Probes {
							m.held = m.now.Add(opt.Cooldown)
						}
						passed[m.shut]++
					}
				}
				var got bool
				if b, got = b.Allow(now); got != want {
					t.Fatalf("Allow is %v, want %v: %+v", got, want, m)
				}
			},
			"succeeded": func(*rapid.T) {
				m.at(now)
				if m.state() != backoff.Open {
					m.failures, m.tripped, m.probes, m.held = 0, false, 0, time.Time{}
				}
				b = b.Succeeded(now)
			},
			"failed": func(*rapid.T) {
				m.at(now)
				if s := m.state(); s == backoff.Closed && opt.Threshold > 0 {
					m.failures++
				}
				if s := m.state(); s == backoff.HalfOpen || s == backoff.Closed && opt.Threshold > 0 && m.failures >= opt.Threshold {
					m.failures, m.tripped, m.shut, m.probes, m.held = 0, true, m.now, 0, time.Time{}
				}
				b = b.Failed(now)
			},
			"": func(t *rapid.T) {
				if got := b.State(m.now); got != m.state() {
					t.Fatalf("the state is %v, want %v", got, m.state())
				}
				until, ok := b.Until()
				want := m.held
				if m.state() == backoff.Open {
					want = m.shut.Add(opt.Cooldown)
				}
				// Once its time has come a breaker may still name it.
				if ok && until.After(m.now) && !until.Equal(want) || !ok && want.After(m.now) {
					t.Fatalf("Until is %v %v, want %v", until, ok, want)
				}
				text := string(b.AppendJSON(nil, m.now))
				r, err := backoff.RestoreBreaker(opt, text, m.now)
				if err != nil || string(r.AppendJSON(nil, m.now)) != text {
					t.Fatalf("restored from %s: %v, %s", text, err, r.AppendJSON(nil, m.now))
				}
				b = r
			},
		})
	})
}

func TestBreakerOptions(t *testing.T) {
	for _, opt := range []backoff.BreakerOptions{{Threshold: -1}, {Cooldown: -1}, {Probes: -1}} {
		if _, err := backoff.NewBreaker(opt); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%+v: %v", opt, err)
		}
		if _, err := backoff.RestoreBreaker(opt, "{}", start); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("restored with %+v: %v", opt, err)
		}
	}
	// The zero Breaker, and one without a threshold, never open.
	for _, b := range []backoff.Breaker{{}, breaker(t, backoff.BreakerOptions{})} {
		for range 1000 {
			b = b.Failed(start)
		}
		_, ok := b.Allow(start)
		if _, held := b.Until(); !ok || held || b.State(time.Time{}) != backoff.Closed {
			t.Error("a breaker without a threshold has opened")
		}
	}
	// A zero time counts as the latest seen.
	b := breaker(t, backoff.BreakerOptions{Threshold: 1}).Failed(start)
	if _, ok := b.Allow(time.Time{}); ok || b.State(time.Time{}) != backoff.Open {
		t.Error("a zero time has let something through")
	}
}

func TestRestoreBreaker(t *testing.T) {
	opt := backoff.BreakerOptions{Threshold: 3, Cooldown: time.Minute, Probes: 2}
	for _, text := range []string{
		``, `[]`, `{"failures":-1}`, `{"failures":1.5}`, `{"failures":1,"probes":0}`, `{"until":1}`, `{"probes":1,"until":"x"}`, `{"failures":1,"failures":1}`,
	} {
		if _, err := backoff.RestoreBreaker(opt, text, start); !errors.Is(err, lifecycle.ErrSnapshot) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// What these options could not have come to is cut: nothing stays shut for longer than the
	// Cooldown, and nothing is open without a threshold.
	for _, c := range []struct {
		opt        backoff.BreakerOptions
		text, want string
	}{
		{opt, `{"failures":18446744073709551615}`, `{"failures":2}`},
		{opt, `{"probes":18446744073709551615}`, `{"probes":2,"until":60000000000}`},
		{opt, `{"probes":0,"until":9223372036854775806}`, `{"probes":0,"until":60000000000}`},
		{opt, `{"probes":1,"until":-4611686018427387904}`, `{"probes":1,"until":0}`},
		{backoff.BreakerOptions{}, `{"probes":0,"until":1}`, `{}`},
	} {
		b, err := backoff.RestoreBreaker(c.opt, c.text, start)
		if got := string(b.AppendJSON(nil, start)); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.text, got, err, c.want)
		}
	}
}

func TestStateNames(t *testing.T) {
	got := fmt.Sprint(backoff.Closed, backoff.Open, backoff.HalfOpen, backoff.BreakerState(0))
	if got != "closed open half-open none" {
		t.Error(got)
	}
}
