//go:build race

package exec_test

// race is whether the race detector runs.
const race = true
