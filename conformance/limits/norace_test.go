//go:build !race

package limits_test

const race = false
