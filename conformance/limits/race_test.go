//go:build race

package limits_test

// race says that the race detector is on, under which things allocate more.
const race = true
