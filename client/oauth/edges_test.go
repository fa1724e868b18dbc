package oauth_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// The last text that is taken, and the first that is not: what a Subject, a nonce, the query of a redirect, a scope,
// an error and a client id may be.
//
// rows: SEC-012
// revisions: all 2026-07-28
func TestLastGood(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	subject := func(s string) bool {
		x := start(t, oauth.Config{Grant: oauth.Assertion}, server, usual()).begin()
		return x.give(oauth.Subject, s).f.Phase() == oauth.Ready
	}
	nonce := func(s string) bool {
		last := ""
		x := start(t, oauth.Config{Proof: true}, server, usual().with(issuer+"/token", func(c oauth.HTTPRequest) oauth.Answer {
			last = c.Nonce
			return oauth.Answer{Status: 400, Nonce: s, Body: []byte(`{"error":"use_dpop_nonce"}`)}
		})).begin()
		x.agree()
		return last == s
	}
	query := func(n int) bool {
		x := start(t, oauth.Config{}, server, usual()).begin()
		back := "code=k1&state=" + x.f.Page().State + "&x="
		return x.step(x.f.Returned(x.now, x.random(), back+long(n-len(back)))).f.Phase() == oauth.Requesting
	}
	scope := func(s string) bool {
		x := start(t, oauth.Config{}, server, usual()).refuse(401, headers.Challenge{Scope: "a " + s}).run()
		return x.query().Get("scope") == "a "+s
	}
	scopes := func(n int) bool { return scope(numbered(n - 1)) }
	code := func(s string) bool {
		x := start(t, oauth.Config{}, server, usual()).begin()
		x.step(x.f.Returned(x.now, x.random(), url.Values{"state": {x.f.Page().State}, "error": {s}}.Encode()))
		return x.f.Failure().Code == s
	}
	client := func(s string) bool {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/register", `{"client_id":`+quoted(s)+`}`)).begin()
		return x.f.Phase() == oauth.Person && x.query().Get("client_id") == s
	}
	for name, c := range map[string]struct{ good, bad bool }{
		"bytes of a subject":   {subject(long(64 << 10)), subject(long(64<<10 + 1))},
		"bytes of a nonce":     {nonce(long(200)), nonce(long(201))},
		"bytes of a query":     {query(8 << 10), query(8<<10 + 1)},
		"scopes":               {scopes(64), scopes(65)},
		"characters of scopes": {scope("!~"), scope("\x7f")},
		"an error from below":  {code(" e"), code("\x1fe")},
		"an error from above":  {code("e~"), code("e\x7f")},
		"a client from below":  {client(" c"), client("\x1fc")},
		"a client from above":  {client("~c"), client("\x7fc")},
	} {
		if !c.good || c.bad {
			t.Errorf("%s: the last good one %v, the first bad one %v", name, c.good, c.bad)
		}
	}
}

// numbered returns so many scopes.
func numbered(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("s", i))
	}
	return strings.Join(list, " ")
}

// A redirect is followed as long as a run may make one request more.
//
// rows: SEC-105 SEC-012
// revisions: all 2026-07-28
func TestLastHop(t *testing.T) {
	var issuers []string
	for i := range 8 {
		issuers = append(issuers, fmt.Sprintf("https://as%d.example/t", i))
	}
	for at, want := range map[int]oauth.Reason{39: oauth.TooMuch, 40: oauth.OutOfReach} {
		n := 1
		x := start(t, oauth.Config{}, server, web{resourceAt: resourceOf(server, "", issuers...), "": func(c oauth.HTTPRequest) oauth.Answer {
			if n++; n == at {
				return hop(302, c.URL+"x")
			}
			return told(503, "")
		}}).begin()
		if len(x.calls) != 40 || x.reason() != want {
			t.Errorf("a redirect as answer %d: %d requests, %v", at, len(x.calls), x.f.Failure())
		}
	}
}
