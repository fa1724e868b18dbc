package clock_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle/clock"
)

// A time that goes back does not move the Clock.
func Example() {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var m struct{ clock clock.Clock }
	m.clock.Take(start)
	due := m.clock.After(time.Minute)

	m.clock.Take(start.Add(10 * time.Second))
	m.clock.Take(start)
	fmt.Println(time.Duration(due-m.clock.Now()), m.clock.At(due).Format(time.TimeOnly))
	// Output: 50s 12:01:00
}
