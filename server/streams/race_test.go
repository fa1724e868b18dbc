//go:build race

package streams_test

// race says that the race detector is on, under which things allocate more.
const race = true
