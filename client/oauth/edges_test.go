package oauth_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol"
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

// A snapshot has numbers that a Flow can come to, to the last of each, and times that are some.
func TestSnapshotLimits(t *testing.T) {
	x := phases(t)["waiting"]
	failed := phases(t)["failed"]
	for name, c := range map[string]struct {
		of   *rig
		most int
	}{
		"logins": {x, 3}, "why": {x, 2}, "reach": {x, 2}, "requests": {x, 40}, "tries": {x, 3}, "hops": {x, 3}, "place": {x, 4}, "foreign": {x, 16},
		"reason": {failed, int(oauth.TooMuch)}, "status": {failed, 999},
	} {
		text := string(c.of.f.Snapshot(oauth.With))
		if strings.Contains(text, "[]") {
			t.Errorf("an empty list is written: %s", text)
		}
		for more := range 2 {
			// Behind the members that are there, of the object that has it.
			member := fmt.Sprintf(`"%s":%d`, name, c.most+more)
			if at := strings.Index(text, `"`+name+`":`); at >= 0 {
				end := at + strings.IndexAny(text[at:], ",}")
				member = text[:at] + member + text[end:]
			} else if at := strings.Index(text, `"run":{`); at >= 0 && name != "logins" {
				member = text[:at] + `"run":{` + member + "," + text[at+len(`"run":{`):]
			} else if at := strings.Index(text, `"failure":{`); at >= 0 && name != "logins" {
				member = text[:at] + `"failure":{` + member + "," + text[at+len(`"failure":{`):]
			} else {
				member = text[:len(text)-1] + "," + member + "}"
			}
			if _, err := oauth.Restore(c.of.cfg, server, []byte(member)); (err == nil) != (more == 0) {
				t.Errorf("%s of %d: %v", name, c.most+more, err)
			}
		}
	}
	text := string(x.f.Snapshot(oauth.With))
	for _, bad := range []string{`1.5`, `"x"`, `true`} {
		at := strings.Index(text, `"now":`) + len(`"now":`)
		end := at + strings.IndexAny(text[at:], ",}")
		if _, err := oauth.Restore(x.cfg, server, []byte(text[:at]+bad+text[end:])); err == nil {
			t.Errorf("%s is a time", bad)
		}
	}
}

// Whatever failed before, who hears that there is another token than the one that was refused has it.
func TestSomebodyWasFaster(t *testing.T) {
	for _, n := range []oauth.Need{{Status: 401, Used: "old"}, {Status: 403, Used: "old", Challenge: needs("more")}} {
		x := start(t, oauth.Config{}, server, usual()).login()
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 403, Used: x.f.Record().Token.Access}))
		if x.reason() != oauth.Forbidden {
			t.Fatal(x.f.Failure())
		}
		if x.step(x.f.Want(x.now, x.random(), n)); x.f.Phase() != oauth.Ready || x.f.Failure() != nil {
			t.Errorf("%d: %v, %v", n.Status, x.f.Phase(), x.f.Failure())
		}
	}
}

// What each request says of itself, but for what its body and the client say.
func TestFields(t *testing.T) {
	rev := protocol.Revisions()[1]
	x := start(t, oauth.Config{Revision: rev}, server, usual()).login()
	read := []headers.Field{{Name: "Accept", Value: "application/json"}, {Name: "MCP-Protocol-Version", Value: rev.String()}}
	want := [][]headers.Field{
		read, read, {{Name: "Accept", Value: "application/json"}, {Name: "Content-Type", Value: "application/json"}},
		{{Name: "Accept", Value: "application/json"}, {Name: "Content-Type", Value: "application/x-www-form-urlencoded"}},
	}
	for i, c := range x.calls {
		if !slices.EqualFunc(c.Fields, want[i], func(a, b headers.Field) bool { return strings.EqualFold(a.Name, b.Name) && a.Value == b.Value }) {
			t.Errorf("%s: %q", c, c.Fields)
		}
	}
}

// A server that its owner cannot mean is refused with the reason; one whose issuer no longer takes the refresh token is
// asked anew, from the first place on.
func TestAskedAnew(t *testing.T) {
	_, err := oauth.New(oauth.Config{Redirect: callback}, "http://mcp.example/mcp")
	if f, ok := err.(*oauth.Failure); !ok || f.Reason != oauth.OutOfReach || f.URL != "http://mcp.example/mcp" { //nolint:errorlint // it is what New returns
		t.Error(err)
	}
	x := start(t, oauth.Config{}, server, usual().with(issuerAt, oauth.Answer{Status: 404}, openIDAt, issuerOf(issuer, ""))).login()
	x.web, x.now = x.web.with(issuer+"/token", told(400, `{"error":"invalid_grant"}`)), x.f.Record().Token.Expires.Add(time.Second)
	at := len(x.calls)
	x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run()
	if want := []string{"GET " + issuerAt, "GET " + openIDAt, "POST " + issuer + "/token", "GET " + resourceAt, "GET " + issuerAt, "GET " + openIDAt}; !slices.Equal(x.made(at), want) || x.f.Phase() != oauth.Person {
		t.Errorf("%q, %v", x.made(at), x.f.Failure())
	}
	// One that had no metadata has some by now, which are looked for as everybody's are.
	const base = "https://mcp.example"
	x = start(t, oauth.Config{}, server, web{base + "/register": `{"client_id":"c1"}`, base + "/token": tokenAnswer}).login()
	x.web, x.now = usual().with(issuerAt, oauth.Answer{Status: 404}, openIDAt, issuerOf(issuer, ""), base+"/token", told(400, `{"error":"invalid_grant"}`)), x.f.Record().Token.Expires
	if x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run(); x.f.Phase() != oauth.Person || x.last().URL != issuer+"/register" || !slices.Contains(x.made(0), "GET "+openIDAt) {
		t.Errorf("%q, %v", x.made(0), x.f.Failure())
	}
}
