package main

import (
	"bytes"
	"strings"
	"testing"
)

// Invalid arguments are reported in a sentence, with code 2, and nothing else happens.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-world nope", "no such world or scope; there are pair/handshake, "},
		{"-world pair/nope", "no such world or scope"},
		{"-replay initialize", "one scope"},
		{"-world pair -replay initialize", "one scope"},
		{"-world pair/call -replay|", "-replay is empty"},
		{"-world pair/call -replay nonsense", `"nonsense" is no action of pair/call`},
		{"-world pair/call -replay|initialize 256", `"initialize 256" is no action`},
		{"-world pair/call -replay|initialize; answer", `step 2 of the trace, "answer", cannot happen there; what can: `},
		{"-world pair/call -replay initialize -walk 1s", "exclude each other"},
		{"-world pair/call -compare -walk 1s", "exclude each other"},
		{"-world pair/call -time 1s -walk 1s", "exclude each other"},
		{"-world pair/call -walk 0s", "above zero"},
		{"-world pair/call -length 0", "at least 1"},
		{"-world pair/call -time -1s", "not negative"},
		{"-world manager/connect -compare", "nothing to compare"},
		{"-compare", "nothing to compare"},
		{"-folds -world manager", "-world pair alone"},
		{"-plant testdata/nope.txt", "-plant: open testdata/nope.txt"},
		{"-plant main.go", "line 1, "},
		{"-world pair/call -revision 1999-01-01", "want 2025-11-25, "},
		{"-world pair/call -revision 2026-07-28", "the worlds have sessions"},
		{"-world pair/call initialize", `unexpected argument "initialize"`},
		{"-bogus", "not defined: -bogus"},
	} {
		words, last, ok := strings.Cut(c.args, "|")
		args := strings.Fields(words)
		if ok {
			args = append(args, last)
		}
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != 2 || out.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: %d, %q, %q, want %q", c.args, code, out.String(), errs.String(), c.want)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-world pair/call", "whole true"},
		{"-world pair/call -reached", "client initializing > ready"},
		{"-world pair/call -states 10", "whole false"},
		{"-world pair/call -walk 50ms -length 1000000000", "steps in 1 walks"},
		{"-world pair/call -walk 1h -states 7", ": 7 steps in 1 walks"},
		{"-world pair/call -replay initialize", "-- server --"},
		{"-world manager/connect -replay connect", ""},
		{"-world pair/lists-end -compare", "whole true"},
		{"-world pair/lists-end -folds", "285 states are taken for 136"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(c.args), &out, &errs); code != 0 || errs.Len() > 0 || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %d, %q, %q", c.args, code, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"-h"}, &out, &errs); code != 0 || !strings.Contains(errs.String(), "-replay") {
		t.Errorf("-h: %d, %q", code, errs.String())
	}
}
