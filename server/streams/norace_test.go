//go:build !race

package streams_test

const race = false
