package nethttp

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// What errors say, for the log.
func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"nethttp: not authorized":                                               (*AuthError)(nil),
		"nethttp: not authorized: invalid_token: old: below":                    &AuthError{Code: "invalid_token", Description: "old", Err: errors.New("below")},
		"nethttp: a header differs":                                             &differsError{"a header differs"},
		"nethttp: the home of the session is p1":                                &elsewhere{home: cluster.Entry{Process: "p1"}},
		"nethttp: the Store does not say whether it has stored the turn: below": unknown(errors.New("below")),
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The token of a request: of the scheme and well formed, or what is told instead.
//
// rows: AUTH-024 AUTH-057
// revisions: 2025-03-26.. 2026-07-28
func TestBearer(t *testing.T) {
	malformed := AuthError{Code: "invalid_request", Description: "the token is malformed"}
	for _, c := range []struct {
		values []string
		token  string
		bad    *AuthError
	}{
		{nil, "", &AuthError{}},
		{[]string{"Bearer t"}, "t", nil},
		{[]string{"bearer t "}, "t", nil},
		{[]string{"Bearer"}, "", &AuthError{}},
		{[]string{"Bearer  "}, "", &AuthError{}},
		{[]string{"Basic dTpw"}, "", &AuthError{}},
		{[]string{"Basic dTpw x"}, "", &AuthError{}},
		{[]string{"Bearer a b"}, "", &malformed},
		{[]string{" BEARER a\x7f"}, "", &malformed},
		{[]string{"Bearer t", "Bearer t"}, "", &AuthError{Code: "invalid_request", Description: "several Authorization headers"}},
	} {
		token, bad := bearer(http.Header{"Authorization": c.values})
		if token != c.token || (bad == nil) != (c.bad == nil) || bad != nil && *bad != *c.bad {
			t.Errorf("%q: %q, %+v", c.values, token, bad)
		}
	}
}

// A member that has a field of its own is known by its name in JSON alone.
func TestHasField(t *testing.T) {
	for name, want := range map[string]bool{"resource": true, "scopes_supported": true, "more": false, "": false, "x\xff": false} {
		if hasField(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A Store of NewShared serves one Handler, and a turn follows the one before.
func TestSharedOfOne(t *testing.T) {
	s := NewShared(nil).(*shared)
	if _, err := s.Get(context.Background(), "a"); !errors.Is(err, errBound) {
		t.Error(err)
	}
	if err := s.Put(context.Background(), "a", Record{Step: 1}, 0); !errors.Is(err, errBound) {
		t.Error(err)
	}
	h := new(Handler)
	if err := s.bind(h); err != nil {
		t.Fatal(err)
	}
	if err := s.bind(h); !errors.Is(err, errBound) {
		t.Error(err)
	}
	if err := s.Put(context.Background(), "a", Record{Step: 3}, 1); err == nil || err.Error() != "nethttp: step 3 does not follow 1" {
		t.Error(err)
	}
}

// What a buffer of a body grows to, at each bound: twice as much, a block, the most there may be, what the client says.
func TestGrown(t *testing.T) {
	for _, c := range []struct {
		n, most int
		length  int64
		want    int
	}{
		{100, 1 << 20, -1, 200},
		{writeBytes - 1, 1 << 20, -1, writeBytes}, {writeBytes, 1 << 30, -1, 2 * writeBytes},
		{100, 199, -1, 200}, {100, 200, -1, 200}, {100, 150, -1, 151},
		{100, 1 << 20, 99, 200}, {100, 1 << 20, 100, 101}, {100, 1 << 20, 199, 200}, {100, 1 << 20, 200, 200}, {100, 1 << 20, 150, 151},
	} {
		x := &exchange{h: &Handler{opt: Options{MaxBody: c.most}}, r: &http.Request{ContentLength: c.length}}
		if got := x.grown(c.n); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Who has more idle sessions is before who has fewer; of as many, whose first is idle for longer.
func TestCrowdOrder(t *testing.T) {
	now := time.Now()
	s := newSchedule()
	begin := func(id, who string, since time.Time) {
		t.Helper()
		if _, _, ok := s.begin(id, since, who, 9, 9); !ok {
			t.Fatal("no room")
		}
		s.turned(id, since.Add(time.Hour), since, sessionUse{who: who, ready: true})
	}
	begin("a1", "a", now.Add(time.Second))
	begin("b1", "b", now)
	if a, b := s.owners["a"], s.owners["b"]; a.before(b) || !b.before(a) {
		t.Error("the one that is idle for longer comes first")
	}
	begin("a2", "a", now.Add(2*time.Second))
	if a, b := s.owners["a"], s.owners["b"]; !a.before(b) || b.before(a) {
		t.Error("the one that has more comes first")
	}
	if victim, _, ok := s.begin("c1", now, "c", 9, 3); ok || victim != "a1" {
		t.Errorf("%q ends for a newcomer", victim)
	}
}

// A Companion has one call more as long as one is free.
func TestAnswerable(t *testing.T) {
	s := newSchedule()
	for n, want := range map[int]bool{0: true, 1: true, 2: false, 3: false} {
		if s.answerable("a", n, 2, false) != want {
			t.Errorf("beside %d of 2: %v", n, !want)
		}
	}
}
