package backoff_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Randoms at the ends and in the middle of their range.
const (
	none = 0
	half = 1 << 63
	most = math.MaxUint64
)

// TestDelays is rows D8, E15 and F10 "Jitter": exact delays, with saturation, the cap after
// jitter, and jitter from the random number that is given.
func TestDelays(t *testing.T) {
	var b strings.Builder
	few := []int{1, 2, 3, 4, 5, 6, 7, 8}
	far := []int{1, 2, 33, 34, 35, 63, 64, 1000, math.MaxInt32}
	for _, c := range []struct {
		name     string
		p        backoff.Policy
		attempts []int
	}{
		{"the zero policy", backoff.Policy{}, few},
		{"250 ms by 3, up to 20 s", backoff.Policy{Base: 250 * time.Millisecond, Factor: 3, Cap: 20 * time.Second}, few},
		{"a factor of 1.5, rounded down to nanoseconds", backoff.Policy{Base: 7, Factor: 1.5}, few},
		{"a factor of 1", backoff.Policy{Base: time.Minute, Factor: 1}, few},
		{"no delay", backoff.Policy{Base: backoff.Immediate}, few},
		{"no cap: it saturates", backoff.Policy{Cap: math.MaxInt64}, far},
		{"a factor that is as large as can be", backoff.Policy{Factor: math.MaxFloat64, Cap: math.MaxInt64}, far[:3]},
		{"a base beyond the default cap", backoff.Policy{Base: time.Minute}, few[:3]},
		{"all of the jitter", backoff.Policy{Jitter: 1}, few},
		{"half of the jitter, no cap", backoff.Policy{Jitter: 0.5, Cap: math.MaxInt64}, far},
	} {
		fmt.Fprintf(&b, "%s\n", c.name)
		if err := c.p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, n := range c.attempts {
			fmt.Fprintf(&b, "  after attempt %-10d %v", n, c.p.Delay(n, none))
			if c.p.Jitter > 0 {
				fmt.Fprintf(&b, ", with random 1/2 %v, with the largest %v", c.p.Delay(n, half), c.p.Delay(n, most))
			} else if d := c.p.Delay(n, half); d != c.p.Delay(n, none) {
				t.Errorf("%s: a delay without jitter depends on the random number", c.name)
			}
			b.WriteByte('\n')
		}
	}
	golden(t, "delays.txt", b.String())
}

// TestDelayIsTotal: whatever a policy says, a delay is within zero and its cap, and one with
// jitter is no longer than one without.
func TestDelayIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := backoff.Policy{
			Base: time.Duration(rapid.Int64().Draw(t, "base")), Cap: time.Duration(rapid.Int64().Draw(t, "cap")),
			Factor: rapid.Float64().Draw(t, "factor"), Jitter: rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1)).Draw(t, "jitter"),
		}
		if rapid.Bool().Draw(t, "odd") {
			p.Factor = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5, 1, 1 + 1e-15}).Draw(t, "odd factor")
			p.Jitter = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1, 2}).Draw(t, "odd jitter")
		}
		n, u := rapid.Int().Draw(t, "attempt"), rapid.Uint64().Draw(t, "random")
		d := p.Delay(n, u)
		if most := p.Filled().Cap; d < 0 || d > most {
			t.Fatalf("%+v: the delay after %d is %v, not within 0 and %v", p, n, d, most)
		}
		q := p
		q.Jitter = 0
		if full := q.Delay(n, u); d > full || p.Check() == nil && p.Jitter < 1 && float64(d) < math.Floor(float64(full)*(1-p.Jitter))-1 {
			t.Fatalf("%+v: the delay is %v, and without jitter %v", p, d, full)
		}
		if p.Check() == nil && p.Factor > 1 && n > 1 && n < 1000 {
			if before := q.Delay(n-1, 0); q.Delay(n, 0) < before {
				t.Fatalf("%+v: the delay after %d is shorter than the one before", p, n)
			}
		}
	})
}

// TestPolicyCheck is row D8: what is out of range is refused.
func TestPolicyCheck(t *testing.T) {
	for _, p := range []backoff.Policy{
		{Base: -2}, {Cap: -1}, {Base: 2, Cap: 1}, {Cap: 1}, {Factor: 0.99}, {Factor: -1}, {Factor: math.NaN()}, {Factor: math.Inf(1)},
		{Attempts: -1}, {Jitter: -0.1}, {Jitter: 1.1}, {Jitter: math.NaN()},
	} {
		if err := p.Check(); !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []backoff.Policy{{}, {Base: backoff.Immediate, Cap: 1}, {Factor: 1, Jitter: 1, Attempts: 1}, {Base: 5, Cap: 5}} {
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

func TestExhausted(t *testing.T) {
	for _, c := range []struct {
		attempts, n int
		want        bool
	}{{0, math.MaxInt, false}, {1, 1, true}, {3, 2, false}, {3, 3, true}, {3, 4, true}} {
		if got := (backoff.Policy{Attempts: c.attempts}).Exhausted(c.n); got != c.want {
			t.Errorf("%d attempts: after %d exhausted is %v", c.attempts, c.n, got)
		}
	}
}

// TestRandom: the known numbers of splitmix64, as far as its authors have published them.
func TestRandom(t *testing.T) {
	r := backoff.Random(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		var got uint64
		if r, got = r.Next(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}
