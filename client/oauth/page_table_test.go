package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// The page of a person has what OAuth 2.1 wants and nothing else, and the code goes back with the verifier of its
// challenge.
//
// rows: AUTH-043 AUTH-115
// revisions: all 2026-07-28
func TestPage(t *testing.T) {
	seen := map[string]bool{}
	for i, methods := range []string{`["S256"]`, `["plain","S256"]`, `["S512","plain","S256",1]`} {
		x := start(t, oauth.Config{}, server, usual().with(issuerAt, issuerOf(issuer, `,"code_challenge_methods_supported":`+methods), issuer+"/token", `{"access_token":"t1","token_type":"Bearer"}`))
		x.n = byte(60 * i) // other random bytes
		x.begin()
		q := x.query()
		challenge, state := q.Get("code_challenge"), q.Get("state")
		want := url.Values{"response_type": {"code"}, "client_id": {"c1"}, "redirect_uri": {callback}, "state": {state}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}, "resource": {server}}
		if !strings.HasPrefix(x.f.Page().URL, issuer+"/authorize?") || q.Encode() != want.Encode() || len(state) != 43 || len(challenge) != 43 || x.f.Page().State != state {
			t.Errorf("%s", x.f.Page().URL)
		}
		x.agree()
		v := form(x.last())
		sum := sha256.Sum256([]byte(v.Get("code_verifier")))
		if want := (url.Values{"grant_type": {"authorization_code"}, "code": {"k1"}, "redirect_uri": {callback}, "code_verifier": {v.Get("code_verifier")}, "client_id": {"c1"}, "resource": {server}}); v.Encode() != want.Encode() ||
			challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || len(v.Get("code_verifier")) != 43 {
			t.Errorf("%q for the challenge %s", string(x.last().Body), challenge)
		}
		// What is secret is made anew for each login.
		for range 2 {
			for _, s := range []string{state, challenge, v.Get("code_verifier")} {
				if seen[s] {
					t.Errorf("%s once more", s)
				}
				seen[s] = true
			}
			x.begin()
			state, challenge = x.query().Get("state"), x.query().Get("code_challenge")
			x.agree()
			v = form(x.last())
		}
	}
	// Two processes that go on from one snapshot make two of them.
	x := start(t, oauth.Config{}, server, usual()).refuse(401, headers.Challenge{}).answer().answer()
	answer := oauth.Answer{Status: 201, Body: []byte(`{"client_id":"c1"}`)}
	one, two := x.f.Respond(x.now, oauth.Random{1}, answer), x.f.Respond(x.now, oauth.Random{2}, answer)
	if one.Page().State == two.Page().State || one.Page().URL == "" || x.f.Respond(x.now, oauth.Random{1}, answer).Page() != one.Page() {
		t.Errorf("%+v and %+v", one.Page(), two.Page())
	}
	other := start(t, oauth.Config{}, "https://mcp.example/other", usual().with(rootAt+"/other", resourceOf("https://mcp.example/other", "", issuer))).refuse(401, headers.Challenge{}).answer().answer()
	if got := other.f.Respond(x.now, oauth.Random{1}, answer).Page(); got.State == one.Page().State || got.State == "" {
		t.Errorf("another Flow makes the same of the same bytes: %+v", got)
	}
}

// The url of the page keeps what the authorization endpoint has.
func TestPageURL(t *testing.T) {
	for at, want := range map[string]string{
		issuer + "/authorize": issuer + "/authorize?response_type=code&", issuer + "/a?": issuer + "/a?response_type=code&",
		issuer + "/a?p=1": issuer + "/a?p=1&response_type=code&", issuer + "/a?p=1&": issuer + "/a?p=1&response_type=code&",
		"https://login.example/%7Euser": "https://login.example/%7Euser?response_type=code&",
	} {
		x := start(t, oauth.Config{}, server, usual().with(issuerAt, issuerOf(issuer, `,"authorization_endpoint":"`+at+`"`))).begin()
		if !strings.HasPrefix(x.f.Page().URL, want) {
			t.Errorf("%s: %s", at, x.f.Page().URL)
		}
	}
}

// An authorization server that does not say that it checks S256 gets nobody, but for the grants of machines.
//
// rows: AUTH-105
// revisions: all 2026-07-28
func TestNoPKCE(t *testing.T) {
	for _, methods := range []string{"null", "[]", `["plain"]`, `["S512"]`, `["s256"]`, `"S256"`, `[["S256"]]`, `{"S256":true}`} {
		w := usual().with(issuerAt, issuerOf(issuer, `,"code_challenge_methods_supported":`+methods))
		if x := start(t, oauth.Config{}, server, w).begin(); x.reason() != oauth.NoPKCE || x.f.Page().URL != "" || x.f.Failure().Issuer != issuer || len(x.calls) != 2 {
			t.Errorf("%s: %v, %q", methods, x.f.Failure(), x.made(0))
		}
		cfg := oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c"}}}
		if x := start(t, cfg, server, w).begin(); x.f.Phase() != oauth.Ready {
			t.Errorf("%s: %v", methods, x.f.Failure())
		}
	}
	w := usual().with(issuerAt, strings.Replace(issuerOf(issuer, ""), "code_challenge_methods_supported", "x", 1))
	if x := start(t, oauth.Config{}, server, w).begin(); x.reason() != oauth.NoPKCE {
		t.Errorf("%v", x.f.Failure())
	}
}

// What is no answer to the page changes nothing but the count of such; the 16th ends the run.
//
// rows: AUTH-046
// revisions: all 2026-07-28
func TestState(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).begin()
	old := x.f.Page().State
	x.step(x.f.Cancel(x.now)).begin()
	state := x.f.Page().State
	page := x.f.Page()
	for i, q := range []string{
		"", "code=k", "code=k&state=", "code=k&state=" + old, "code=k&state=" + state[1:], "code=k&state=" + state + "x", "code=k&state=" + strings.ToUpper(state),
		"code=k&state=" + state + "&state=" + state, "code=k&code=l&state=" + state, "error=a&error=b&state=" + state, "iss=a&iss=b&state=" + state, "code=k;state=" + state,
		"code=%zz&state=" + state, "code=" + strings.Repeat("k", 8<<10) + "&state=" + state, "state=x&error=access_denied",
	} {
		if old == state {
			t.Fatal("a state is used twice")
		}
		if x.step(x.f.Returned(x.now, x.random(), q)); x.f.Phase() != oauth.Person || x.f.Page() != page {
			t.Fatalf("%d, %.60q: %v, %v", i, q, x.f.Phase(), x.f.Failure())
		}
	}
	good := x.f
	if x.step(x.f.Returned(x.now, x.random(), "?code=k&state="+state)); x.f.Phase() != oauth.Requesting {
		t.Fatalf("%v, %v", x.f.Phase(), x.f.Failure())
	}
	again := x.f.Call()
	if x.step(x.f.Returned(x.now, x.random(), "code=other&state="+state)); x.f.Phase() != oauth.Requesting || string(x.f.Call().Body) != string(again.Body) {
		t.Errorf("the state is good twice: %q", string(x.f.Call().Body))
	}
	if x.run(); x.f.Phase() != oauth.Ready {
		t.Errorf("%v", x.f.Failure())
	}
	if x.step(x.f.Returned(x.now, x.random(), "code=other&state="+state)); x.f.Phase() != oauth.Ready {
		t.Errorf("%v", x.f.Phase())
	}
	x.f = good
	if x.step(x.f.Returned(x.now, x.random(), "code=k&state=y")); x.reason() != oauth.Abandoned {
		t.Errorf("after 16: %v, %v", x.f.Phase(), x.f.Failure())
	}
}

// What of an authorization response is about its issuer comes first, and is compared as it is.
//
// rows: AUTH-201 AUTH-207 AUTH-208 AUTH-209
// revisions: all 2026-07-28
func TestIss(t *testing.T) {
	const as = "https://as.example/t"
	at := "https://as.example" + wellServer + "/t"
	for iss, equal := range map[string]bool{
		as: true, "https://evil.example": false, "": false, as + "/": false, "https://as.example": false, "https://AS.example/t": false, "HTTPS://as.example/t": false, "https://as.example:443/t": false,
		"https://as.example/%74": false, "https://as.example/a/../t": false, " " + as: false, as + "?": false, as + "#": false, "http://as.example/t": false, as + as: false,
	} {
		for _, advertised := range []string{"true", "false", `"true"`, "null"} {
			for _, rest := range []string{"code=k1", "error=access_denied&error_description=the+words&error_uri=https%3A%2F%2Fevil.example", "code=k1&error=access_denied&error_description=the+words"} {
				w := web{resourceAt: resourceOf(server, "", as), at: issuerOf(as, `,"authorization_response_iss_parameter_supported":`+advertised), as + "/register": `{"client_id":"c1"}`, as + "/token": tokenAnswer}
				x := start(t, oauth.Config{}, server, w).begin()
				state := "&state=" + x.f.Page().State
				calls := len(x.calls)
				x.step(x.f.Returned(x.now, x.random(), "iss="+url.QueryEscape(iss)+"&"+rest+state)).run()
				checkIss(t, fmt.Sprintf("iss %q, advertised %s, %s", iss, advertised, rest), x, calls, equal, rest)
			}
		}
	}
	for advertised, ok := range map[string]bool{"true": false, "false": true, `"true"`: true, "null": true} {
		for _, rest := range []string{"code=k1", "error=access_denied&error_description=the+words"} {
			x := start(t, oauth.Config{}, server, usual().with(issuerAt, issuerOf(issuer, `,"authorization_response_iss_parameter_supported":`+advertised))).begin()
			calls := len(x.calls)
			x.step(x.f.Returned(x.now, x.random(), rest+"&state="+x.f.Page().State)).run()
			checkIss(t, "no iss, advertised "+advertised+", "+rest, x, calls, ok, rest)
		}
	}
	// The last slash in which a document may differ does not count here.
	w := usual().with(issuerAt, strings.Replace(issuerOf(issuer, ""), issuer+`"`, issuer+`/"`, 1))
	for iss, ok := range map[string]bool{issuer: false, issuer + "/": true} {
		x := start(t, oauth.Config{}, server, w).begin()
		if x.step(x.f.Returned(x.now, x.random(), "code=k1&state="+x.f.Page().State+"&iss="+iss)); (x.f.Phase() == oauth.Requesting) != ok {
			t.Errorf("iss %s: %v, %v", iss, x.f.Phase(), x.f.Failure())
		}
	}
}

// checkIss checks what came of a response whose issuer is right, or not.
func checkIss(t *testing.T, name string, x *rig, calls int, ok bool, rest string) {
	t.Helper()
	var logged strings.Builder
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "failure", x.f.Failure())
	shown := fmt.Sprintf("%v %+v %s", x.f.Failure(), x.f.Failure(), logged.String())
	switch {
	case !ok:
		if x.reason() != oauth.IssuerMismatch || len(x.calls) != calls || x.f.Failure().Code != "" || strings.Contains(shown, "words") || strings.Contains(shown, "denied") || strings.Contains(shown, "evil") {
			t.Errorf("%s: %s, %q", name, shown, x.made(calls))
		}
	case strings.Contains(rest, "error"):
		if x.reason() != oauth.Refused || len(x.calls) != calls || x.f.Failure().Code != "access_denied" || x.f.Failure().Text != `"the words"` || strings.Contains(shown, "evil") {
			t.Errorf("%s: %s, %q", name, shown, x.made(calls))
		}
	default:
		if x.f.Phase() != oauth.Ready || len(x.calls) != calls+1 || form(x.last()).Get("code") != "k1" {
			t.Errorf("%s: %s, %q", name, shown, x.made(calls))
		}
	}
}

// Two servers, one of them with an authorization server that lies: an answer of one login is nothing for the other,
// in whatever order they come, and neither a code nor a verifier goes to the wrong token endpoint.
//
// rows: SEC-203
// revisions: all 2026-07-28
func TestMixUp(t *testing.T) {
	const evil = "https://evil.example"
	for order := range 4 {
		honest := start(t, oauth.Config{}, server, usual().with(issuerAt, issuerOf(issuer, `,"authorization_response_iss_parameter_supported":true`)))
		// The attacker's server sends the person to the honest authorization endpoint, and wants the code itself.
		w := web{"https://evil.example" + wellResource: resourceOf(evil, "", evil), evil + wellServer: issuerOf(evil, `,"authorization_endpoint":"`+issuer+`/authorize"`), evil + "/register": `{"client_id":"c1"}`, evil + "/token": tokenAnswer}
		attacked := start(t, oauth.Config{}, evil, w)
		attacked.n = 100 // other random bytes
		first, second := honest, attacked
		if order&1 != 0 {
			first, second = second, first
		}
		first.begin()
		second.begin()
		verifier, foreign := honest.f.Page().State, attacked.f.Page().State
		if order&2 != 0 { // the answers change places
			honest.step(honest.f.Returned(honest.now, honest.random(), "code=honest&iss="+issuer+"&state="+foreign)).run()
			attacked.step(attacked.f.Returned(attacked.now, attacked.random(), "code=honest&iss="+issuer+"&state="+verifier)).run()
			if honest.f.Phase() != oauth.Person || attacked.f.Phase() != oauth.Person {
				t.Errorf("%v, %v", honest.f.Phase(), attacked.f.Phase())
			}
		}
		attacked.step(attacked.f.Returned(attacked.now, attacked.random(), "code=honest&iss="+issuer+"&state="+foreign)).run()
		if attacked.reason() != oauth.IssuerMismatch || attacked.sent(0, "honest") || attacked.sent(0, "verifier") {
			t.Errorf("order %d: %v, %q", order, attacked.f.Failure(), attacked.made(0))
		}
		honest.step(honest.f.Returned(honest.now, honest.random(), "code=honest&iss="+issuer+"&state="+verifier)).run()
		if honest.f.Phase() != oauth.Ready || slices.ContainsFunc(honest.calls, func(c oauth.HTTPRequest) bool { return strings.Contains(c.URL, "evil") }) {
			t.Errorf("order %d: %v, %q", order, honest.f.Failure(), honest.made(0))
		}
	}
}
