package main

import (
	"os"
	"strings"
	"testing"
)

// The README shows a part of what the program prints.
func TestREADMEShowsTheOutput(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(readme), "\n```\n-> ")
	part, _, ok := strings.Cut(text, "\n```\n")
	if !ok || !strings.Contains(out.String(), "\n-> "+part+"\n") {
		t.Errorf("README.md shows what quickstart does not print:\n-> %s", part)
	}
}
