package main

import (
	"os"
	"strings"
	"testing"
)

// The README shows what the program prints.
func TestREADMEShowsTheOutput(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```\n"+strings.TrimSpace(out.String())+"\n```\n") {
		t.Error("README.md does not show what quickstart prints; paste it in")
	}
}
