package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A call that arrives here is answered there, as the guide shows.
func TestMove(t *testing.T) {
	var out strings.Builder
	if err := run(&out, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)^here: .*"id":1.*\nkept: \d+ bytes, one call open\nthere: .*"id":2,"result":.*two machines.*\n$`).MatchString(out.String()) {
		t.Error(out.String())
	}
	guide, err := os.ReadFile("../../guide.md")
	if err != nil {
		t.Fatal(err)
	}
	// The ids of calls are unguessable, so how many bytes they need differs by one or two.
	size := regexp.MustCompile(`kept: \d+ bytes`)
	if !strings.Contains(size.ReplaceAllString(string(guide), "kept: N bytes"), "\n"+size.ReplaceAllString(out.String(), "kept: N bytes")+"```\n") {
		t.Errorf("docs/guide.md does not show what move prints; paste it in:\n%s", out.String())
	}
}
