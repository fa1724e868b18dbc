package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A login that begins here ends there, as the page about authorization shows.
func TestLogin(t *testing.T) {
	var out strings.Builder
	if err := run(&out, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "there: a token for https://notes.example/mcp, until 1h0m0s\nanother time: a token is there: true\n") {
		t.Error(out.String())
	}
	page, err := os.ReadFile("../../authorization.md")
	if err != nil {
		t.Fatal(err)
	}
	size := regexp.MustCompile(`: \d+ bytes`)
	if !strings.Contains(size.ReplaceAllString(string(page), ": N bytes"), "\n"+size.ReplaceAllString(out.String(), ": N bytes")+"```\n") {
		t.Errorf("docs/authorization.md does not show what login prints; paste it in:\n%s", out.String())
	}
}
