package engine_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// A set covers what is in it and what begins with a member that ends at a slash, and
// nothing else.
func TestCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a/]{0,20}`)
		env := &engine.Env{Hash: [2]uint64{rapid.Uint64().Draw(t, "k0"), 1}, Limits: lifecycle.Limits{Subscriptions: 4, Text: rapid.IntRange(1, 20).Draw(t, "text")}}
		var set engine.URIs
		var all []string
		for _, uri := range rapid.SliceOfN(text, 0, 6).Draw(t, "set") {
			if len(uri) > env.Limits.Text {
				continue // nothing longer is ever subscribed to
			}
			next, ok := set.With(env, uri)
			if set = next; ok {
				all = append(all, uri)
			}
		}
		uri := text.Draw(t, "uri")
		want := false
		for _, u := range all {
			want = want || u == uri || strings.HasSuffix(u, "/") && strings.HasPrefix(uri, u)
		}
		if got := set.Covers(env, uri, nil); got != want {
			t.Fatalf("%q covers %q: %v", all, uri, got)
		}
		if set.Check(env) != nil {
			t.Fatal(set.Check(env))
		}
	})
}

// To look for all prefixes of a uri costs about as much as to look for it once: the
// hash goes on from prefix to prefix. The clock is only asked for a factor that hashing
// anew exceeds by far.
func TestCoversIsLinear(t *testing.T) {
	env := &engine.Env{Limits: lifecycle.Limits{Subscriptions: 4, Text: 1 << 20}}
	set, _ := engine.URIs{}.With(env, "x")
	cost := func(uri string) time.Duration {
		best := time.Hour
		for range 5 {
			start := time.Now()
			set.Covers(env, uri, nil)
			best = min(best, time.Since(start))
		}
		return best
	}
	none, all := cost(strings.Repeat("a", 1<<20)), cost(strings.Repeat("/", 1<<20))
	if all > 200*none {
		t.Errorf("%v without a slash, %v with slashes alone", none, all)
	}
}

// Who walks over a set may stop.
func TestURIsAll(t *testing.T) {
	env := &engine.Env{Limits: lifecycle.Limits{Subscriptions: 9, Text: 9}}
	var set engine.URIs
	for _, uri := range []string{"a", "b", "c"} {
		set, _ = set.With(env, uri)
	}
	for most := 1; most <= 4; most++ {
		seen := map[string]bool{}
		for uri := range set.All() {
			if seen[uri] = true; len(seen) == most {
				break
			}
		}
		if len(seen) != min(most, set.Len()) {
			t.Errorf("stopped at %d, saw %v", most, seen)
		}
	}
}

// A set that was filled under another limit is found to be over this one.
func TestURIsOverLimit(t *testing.T) {
	env := &engine.Env{Limits: lifecycle.Limits{Subscriptions: 2, Text: 10}}
	set, _ := engine.URIs{}.With(env, "x")
	set, _ = set.With(env, "y")
	if err := set.Check(env); err != nil {
		t.Fatal(err)
	}
	env.Limits.Subscriptions = 1
	if err := set.Check(env); err == nil || err.Error() != "engine: too many subscriptions" {
		t.Errorf("two where one is the limit: %v", err)
	}
}
