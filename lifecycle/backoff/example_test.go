package backoff_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle/backoff"
)

// A connection is tried again after delays that grow, and no more after the fifth attempt.
func Example() {
	policy := backoff.Policy{Base: time.Second, Cap: 5 * time.Second, Attempts: 5}
	for attempt := 1; ; attempt++ {
		if policy.Exhausted(attempt) {
			fmt.Println("attempt", attempt, "was the last")
			break
		}
		fmt.Println("attempt", attempt, "failed; next in", policy.Delay(attempt, 0))
	}
	// Output:
	// attempt 1 failed; next in 1s
	// attempt 2 failed; next in 2s
	// attempt 3 failed; next in 4s
	// attempt 4 failed; next in 5s
	// attempt 5 was the last
}

// A breaker gives a server that keeps failing a minute of rest, and then tries it once.
func ExampleBreaker() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	b, _ := backoff.NewBreaker(backoff.BreakerOptions{Threshold: 2})
	b = b.Failed(now).Failed(now)
	fmt.Println(b.State(now), b.State(now.Add(time.Minute)))

	var ok bool
	now = now.Add(time.Minute)
	b, ok = b.Allow(now)
	_, again := b.Allow(now)
	fmt.Println(ok, again, b.Succeeded(now).State(now))
	// Output:
	// open half-open
	// true false closed
}
