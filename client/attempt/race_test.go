//go:build race

package attempt_test

// race is whether the race detector runs.
const race = true
