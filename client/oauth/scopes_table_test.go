package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// asked returns the scope parameter, "none" without one.
func asked(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, "|")
}

// Which scopes the first login asks for: those of the challenge, else all that the server lists, else none; and
// offline_access if the authorization server lists it and there are others.
//
// rows: AUTH-109 AUTH-110 AUTH-215
// revisions: all 2026-07-28
func TestScopes(t *testing.T) {
	const offline = `,"scopes_supported":["openid","offline_access"]`
	for _, c := range []struct {
		challenge, resource, issuer string
		cfg                         oauth.Config
		want                        string
	}{
		{"", "", "", oauth.Config{}, "none"},
		{"a", "", "", oauth.Config{}, "a"},
		{"a b", `,"scopes_supported":["c"]`, "", oauth.Config{}, "a b"},
		{"", `,"scopes_supported":["x","y","z"]`, "", oauth.Config{}, "x y z"},
		{"", `,"scopes_supported":[]`, "", oauth.Config{}, "none"},
		{"", `,"scopes_supported":"x"`, "", oauth.Config{}, "none"},
		{"", `,"scopes_supported":["x","x","",1,"y z","é"]`, "", oauth.Config{}, "x"},
		{"", "", `,"scopes_supported":["openid"]`, oauth.Config{}, "none"},
		{"a", "", offline, oauth.Config{}, "a offline_access"},
		{"", `,"scopes_supported":["x"]`, offline, oauth.Config{}, "x offline_access"},
		{"", "", offline, oauth.Config{}, "none"},
		{"a", "", offline, oauth.Config{NoRefresh: true}, "a"},
		{"a", "", `,"scopes_supported":["offline"]`, oauth.Config{}, "a"},
		{"a offline_access b", "", "", oauth.Config{}, "a b"},
		{"offline_access a", "", offline, oauth.Config{}, "a offline_access"},
		{"", `,"scopes_supported":["offline_access"]`, "", oauth.Config{}, "none"},
		{"a b c", "", "", oauth.Config{Scopes: []string{"c", "a"}}, "a c"},
		{"a", "", "", oauth.Config{Scopes: []string{}}, "none"},
		{"", `,"scopes_supported":["a","b"]`, "", oauth.Config{Scopes: []string{"b"}}, "b"},
		{"a my_offline_access", "", "", oauth.Config{}, "a my_offline_access"},
	} {
		x := start(t, c.cfg, server, usual().with(resourceAt, resourceOf(server, c.resource, issuer), issuerAt, issuerOf(issuer, c.issuer)))
		x.refuse(401, headers.Challenge{Scope: c.challenge}).run()
		q := x.query()
		if got := asked(q["scope"]); got != c.want || q.Has("prompt") != strings.HasSuffix(c.want, " offline_access") {
			t.Errorf("challenge %q, resource %s, issuer %s: %q, want %q; %s", c.challenge, c.resource, c.issuer, got, c.want, x.f.Page().URL)
		}
		if x.agree(); form(x.last()).Has("scope") || strings.Contains(x.f.Record().Token.Scope, " offline_access") {
			t.Errorf("%q, %+v", string(x.last().Body), x.f.Record().Token)
		}
	}
	// A grant of a machine says them to the token endpoint.
	for scope, want := range map[string]string{"": "none", "a b": "a b"} {
		x := start(t, oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c"}}}, server, usual().with(issuerAt, issuerOf(issuer, offline)))
		if x.refuse(401, headers.Challenge{Scope: scope}).run(); asked(form(x.last())["scope"]) != want || x.f.Record().Token.Scope != scope {
			t.Errorf("%q: %q, %+v", scope, string(x.last().Body), x.f.Record().Token)
		}
	}
}

// needs is the challenge of a server that wants more scopes.
func needs(scope string) headers.Challenge {
	return headers.Challenge{Error: "insufficient_scope", Scope: scope}
}

// stepUp refuses a request for its scopes and lets the person agree; the answer has the granted scopes.
func (x *rig) stepUp(scope, granted string) *rig {
	x.t.Helper()
	x.web = x.web.with(issuer+"/token", `{"access_token":"`+fmt.Sprint("t", len(x.calls))+`","token_type":"Bearer","scope":"`+granted+`","refresh_token":"r"}`)
	return x.refuse(403, needs(scope)).run()
}

// A login for more scopes asks for those of the challenge and those that were asked for before, and never by the
// refresh token. The old token is good meanwhile.
//
// rows: AUTH-103 AUTH-117 AUTH-119 AUTH-218
// revisions: all 2026-07-28
func TestStepUp(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual().with(resourceAt, resourceOf(server, `,"scopes_supported":["p"]`, issuer), issuer+"/token", `{"access_token":"t1","token_type":"Bearer","scope":"a","refresh_token":"r1"}`))
	x.refuse(401, headers.Challenge{Scope: "a"}).run().agree()
	for _, c := range []struct{ wanted, granted, asked string }{{"b", "", "a b"}, {"c", "a c", "a b c"}, {"d a", "d", "a b c d"}} {
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 200, Used: x.f.Record().Token.Access}))
		old, _ := x.f.Token(x.now)
		at := len(x.calls)
		x.stepUp(c.wanted, c.granted)
		got := strings.Fields(x.query().Get("scope"))
		if slices.Sort(got); strings.Join(got, " ") != c.asked || x.sent(at, "refresh_token=") {
			t.Errorf("%q is asked for, want %q; %q", got, c.asked, x.made(at))
		}
		if during, ok := x.f.Token(x.now); !ok || during != old {
			t.Errorf("during the step-up: %+v, %v", during, ok)
		}
		now, ok := x.agree().f.Token(x.now)
		if want := c.granted; !ok || now.Access == old.Access || want != "" && now.Scope != want || want == "" && !strings.Contains(now.Scope, c.wanted) {
			t.Errorf("%+v, %v after %+v", now, ok, old)
		}
	}
	if got := x.f.Record().Asked; len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// What a refusal leads to: a login, a login for more, the token that somebody else got, or the end.
//
// rows: AUTH-103
// revisions: all 2026-07-28
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		status int
		c      headers.Challenge
		used   oauth.Secret
		want   oauth.Phase
		reason oauth.Reason
	}{
		{401, headers.Challenge{}, "t1", oauth.Requesting, 0},
		{401, headers.Challenge{Error: "invalid_token"}, "t1", oauth.Requesting, 0},
		{401, headers.Challenge{}, "older", oauth.Ready, 0},
		{401, headers.Challenge{}, "", oauth.Ready, 0},
		{403, needs("b"), "t1", oauth.Requesting, 0},
		{403, needs(""), "t1", oauth.Requesting, 0},
		{403, needs("b"), "older", oauth.Ready, 0},
		{403, headers.Challenge{Scope: "b"}, "t1", oauth.Requesting, 0},
		{403, headers.Challenge{}, "t1", oauth.Failed, oauth.Forbidden},
		{403, headers.Challenge{Error: "invalid_token", Scope: "b"}, "t1", oauth.Failed, oauth.Forbidden},
		{403, headers.Challenge{Error: "access_denied"}, "t1", oauth.Failed, oauth.Forbidden},
		{400, headers.Challenge{Error: "invalid_request"}, "t1", oauth.Failed, oauth.Forbidden},
		{404, headers.Challenge{}, "t1", oauth.Failed, oauth.Forbidden},
		{200, headers.Challenge{}, "t1", oauth.Ready, 0},
		{0, headers.Challenge{}, "", oauth.Ready, 0},
	} {
		x := start(t, oauth.Config{}, server, usual()).login()
		x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: c.status, Challenge: c.c, Used: c.used}))
		if x.f.Phase() != c.want || x.reason() != c.reason || c.reason != 0 && (x.f.Failure().Status != c.status || x.f.Failure().Code != c.c.Error) {
			t.Errorf("%d %+v: %v, %v", c.status, c.c, x.f.Phase(), x.f.Failure())
		}
		if _, ok := x.f.Token(x.now); ok != (c.status != 401 || c.used != "t1") {
			t.Errorf("%d %+v: token %v", c.status, c.c, ok)
		}
	}
}

// A server that wants more for ever gets three logins, then none for ten minutes; what was granted already is asked
// for once more and no oftener.
//
// rows: AUTH-103 AUTH-117 AUTH-118 SEC-205
// revisions: all 2026-07-28
func TestStepUpEnds(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).login()
	x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 200, Used: "t1"}))
	pages := 0
	for i := range 20 { // each time another scope
		if x.stepUp(fmt.Sprint("s", i), "s"); x.f.Phase() == oauth.Person {
			pages++
			x.agree()
		}
	}
	if f := x.f.Failure(); pages != 3 || f == nil || f.Reason != oauth.Denied || f.Code != "insufficient_scope" || f.Issuer != issuer {
		t.Errorf("%d pages, %v", pages, f)
	}
	if _, ok := x.f.Token(x.now); !ok {
		t.Error("the token is gone")
	}
	// What was refused last is remembered, even after requests that the server takes.
	x.step(x.f.Want(x.now, x.random(), oauth.Need{Status: 200, Used: x.f.Record().Token.Access}))
	if x.stepUp("s19", ""); x.reason() != oauth.Denied {
		t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
	}
	x.now = x.now.Add(10*time.Minute - 1)
	if x.stepUp("s19", ""); x.reason() != oauth.Denied {
		t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
	}
	x.now = x.now.Add(time.Nanosecond)
	if x.stepUp("s19", ""); x.f.Phase() != oauth.Person {
		t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
	}

	x = start(t, oauth.Config{}, server, usual()).login()
	pages = 0
	for range 9 { // the same scope, which is granted
		if x.stepUp("s", "s"); x.f.Phase() == oauth.Person {
			pages++
			x.agree()
		}
	}
	if pages != 2 || x.reason() != oauth.Denied {
		t.Errorf("%d pages, %v", pages, x.f.Failure())
	}

	x = start(t, oauth.Config{}, server, usual().with(issuer+"/token", `{"access_token":"t1","token_type":"Bearer"}`))
	pages = 0
	for range 9 { // no token is good
		if x.begin(); x.f.Phase() == oauth.Person {
			pages++
			x.agree()
		}
	}
	if pages != 3 || x.reason() != oauth.Denied {
		t.Errorf("%d pages, %v", pages, x.f.Failure())
	}
	x.now = x.now.Add(10 * time.Minute)
	if x.begin(); x.f.Phase() != oauth.Person {
		t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
	}

	// A refresh token that is refused on the way is no login of its own.
	x = start(t, oauth.Config{}, server, usual().with(issuer+"/token", func(c oauth.HTTPRequest) oauth.Answer {
		if strings.Contains(string(c.Body), "refresh_token=") {
			return told(400, `{"error":"invalid_grant"}`)
		}
		return told(200, tokenAnswer)
	}))
	pages = 0
	for range 9 {
		if x.begin(); x.f.Phase() == oauth.Person {
			pages++
			x.agree()
		}
	}
	if pages != 3 || x.reason() != oauth.Denied {
		t.Errorf("%d pages, %v", pages, x.f.Failure())
	}

	// What fails before anybody is asked is no login: it is told as it is, and tried again.
	for _, w := range []web{usual().with(resourceAt, told(503, "")), usual().with(issuerAt, told(404, "")), usual().with(issuer+"/register", told(400, `{"error":"invalid_client_metadata"}`))} {
		x = start(t, oauth.Config{}, server, w)
		for i := range 9 {
			if x.begin(); x.reason() == oauth.Denied || x.f.Phase() != oauth.Failed {
				t.Errorf("try %d: %v, %v", i, x.f.Phase(), x.f.Failure())
			}
		}
		x.web = usual().with(issuer+"/token", `{"access_token":"t1","token_type":"Bearer"}`)
		for range 3 {
			if x.begin(); x.f.Phase() != oauth.Person {
				t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
			}
			x.agree()
		}
		if x.begin(); x.reason() != oauth.Denied {
			t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
		}
	}

	x = start(t, oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c"}}}, server, usual()).begin()
	at := len(x.calls)
	for range 9 { // on its own behalf: once
		x.stepUp("s", "s")
	}
	if tokens := len(slices.DeleteFunc(x.made(at), func(s string) bool { return s != "POST "+issuer+"/token" })); tokens != 1 || x.reason() != oauth.Denied || form(x.last()).Get("scope") != "s" {
		t.Errorf("%q, %v", x.made(at), x.f.Failure())
	}
}
