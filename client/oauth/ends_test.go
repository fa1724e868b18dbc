package oauth_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// Every run ends: after Patience without a person, after Person with one, and when it is cancelled; to the
// nanosecond, and not before.
func TestEnds(t *testing.T) {
	for name, x := range phases(t) {
		if !x.f.Phase().Running() {
			if got := x.f.Cancel(x.now).Tick(x.now.Add(time.Hour), x.random()); got.Phase() != x.f.Phase() {
				t.Errorf("%s: %v", name, got.Phase())
			}
			continue
		}
		if got := x.f.Cancel(x.now); got.Phase() != oauth.Failed || got.Failure().Reason != oauth.Abandoned {
			t.Errorf("%s, cancelled: %v", name, got.Failure())
		}
		life, want := oauth.DefaultPatience, oauth.TooMuch
		switch name {
		case "person":
			life, want = 10*time.Minute, oauth.Abandoned
		case "subject", "signature":
			want = oauth.Abandoned
		}
		end := x.now.Add(life)
		before := x.f.Tick(end.Add(-1), x.random())
		if got := before.Tick(end, x.random()); !before.Phase().Running() || got.Phase() != oauth.Failed || got.Failure().Reason != want {
			t.Errorf("%s: %v, then %v, %v", name, before.Phase(), got.Phase(), got.Failure())
		}
		if due, ok := before.NextDeadline(); !ok || !due.Equal(end) {
			t.Errorf("%s: due at %v", name, due.Sub(x.now))
		}
		if back := before.Tick(x.now.Add(-time.Hour), x.random()); string(back.Snapshot(oauth.With)) != string(before.Snapshot(oauth.With)) {
			t.Errorf("%s: the time goes back", name)
		}
	}
	// What comes too late is no answer; what comes in time has Patience again.
	x := start(t, oauth.Config{Person: time.Minute, Patience: time.Second}, server, usual()).begin()
	back := "code=k1&state=" + x.f.Page().State
	if until := x.f.Page().Until; !until.Equal(x.now.Add(time.Minute)) {
		t.Errorf("%v", until.Sub(x.now))
	}
	if late := x.f.Returned(x.now.Add(time.Minute), x.random(), back); late.Phase() != oauth.Failed || late.Failure().Reason != oauth.Abandoned {
		t.Errorf("%v, %v", late.Phase(), late.Failure())
	}
	if in := x.f.Returned(x.now.Add(time.Minute-1), x.random(), back); in.Phase() != oauth.Requesting {
		t.Errorf("%v, %v", in.Phase(), in.Failure())
	} else if due, _ := in.NextDeadline(); !due.Equal(x.now.Add(time.Minute - 1 + time.Second)) {
		t.Errorf("%v", due.Sub(x.now))
	}
	x = start(t, oauth.Config{Grant: oauth.Assertion}, server, usual()).begin()
	if late := x.f.Given(x.now.Add(oauth.DefaultPatience), x.random(), []byte("subject")); late.Phase() != oauth.Failed || late.Failure().Reason != oauth.Abandoned {
		t.Errorf("%v, %v", late.Phase(), late.Failure())
	}
}

// A run makes 40 requests at most, however many authorization servers there are, and however they fail.
func TestRequests(t *testing.T) {
	var issuers []string
	for i := range 8 {
		issuers = append(issuers, fmt.Sprintf("https://as%d.example/t", i))
	}
	for name, a := range map[string]any{
		"errors": told(503, ""), "circles": func(c oauth.HTTPRequest) oauth.Answer { return hop(302, c.URL+"x") }, "no documents": told(404, ""), "slow": oauth.Answer{Status: 429, RetryAfter: time.Minute},
	} {
		x := start(t, oauth.Config{Patience: time.Hour}, server, web{resourceAt: resourceOf(server, "", issuers...), "": a}).begin()
		if want := map[string]int{"errors": 40, "slow": 40, "no documents": 25, "circles": 5}[name]; len(x.calls) != want || x.f.Failure() == nil || (x.reason() == oauth.TooMuch) != (want == 40) {
			t.Errorf("%s: %d requests, %v", name, len(x.calls), x.f.Failure())
		}
	}
}

// A hundred requests that are refused at once have one run, and one page.
//
// rows: AUTH-118
// revisions: all 2026-07-28
func TestOneRun(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).login()
	used := x.f.Record().Token.Access
	x.stepUp("b", "")
	page := x.f.Page()
	for i := range 100 {
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 401 + 2*(i%2), Challenge: needs(fmt.Sprint("b", i)), Used: used}))
	}
	if x.f.Page() != page || page.URL == "" {
		t.Errorf("%+v, then %+v", page, x.f.Page())
	}
	x.agree()
	at := len(x.calls)
	for range 100 { // those that had the old token take the new one
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 401, Used: used}))
	}
	if x.f.Phase() != oauth.Ready || len(x.calls) != at {
		t.Errorf("%v, %q", x.f.Phase(), x.made(at))
	}
}
