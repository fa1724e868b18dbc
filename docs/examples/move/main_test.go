package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// A call that arrives here is answered there.
func TestMove(t *testing.T) {
	var out strings.Builder
	if err := run(&out, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)^here: .*"id":1.*\nkept: \d+ bytes, one call open\nthere: .*"id":2,"result":.*two machines.*\n$`).MatchString(out.String()) {
		t.Error(out.String())
	}
}
