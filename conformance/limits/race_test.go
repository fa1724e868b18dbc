//go:build race

package limits_test

// race says that the race detector is on, which makes code allocate more.
const race = true
