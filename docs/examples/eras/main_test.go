package main

import (
	"strings"
	"testing"
)

// One function asks clients of both eras.
func TestRun(t *testing.T) {
	var w strings.Builder
	if err := run(t.Context(), &w); err != nil {
		t.Fatal(err)
	}
	want := "2025-11-25: Deleted, because \"it is old\"\n2026-07-28: Deleted, because \"it is old\"\n"
	if w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
}
