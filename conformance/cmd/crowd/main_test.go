package main

import (
	"os"
	"slices"
	"testing"
)

// The processes that measure starts run this test binary.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "clients") || slices.Contains(os.Args, "server") {
		main()
		return
	}
	os.Exit(m.Run())
}

// All calls and subscriptions of a small crowd are answered, and nothing remains of them.
func TestCrowd(t *testing.T) {
	if err := measure(settings{n: 40, parties: 4, workers: 8}); err != nil {
		t.Fatal(err)
	}
}
