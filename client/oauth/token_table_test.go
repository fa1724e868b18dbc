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

// told is an answer with a status.
func told(status int, body string) oauth.Answer {
	return oauth.Answer{Status: status, Body: []byte(body)}
}

// What a token endpoint answers: a token, or what ends the run.
//
// rows: AUTH-025
// revisions: all 2026-07-28
func TestTokenAnswers(t *testing.T) {
	const good = `{"access_token":"t1","token_type":"Bearer"}`
	for _, c := range []struct {
		name   string
		answer oauth.Answer
		reason oauth.Reason
		code   string
	}{
		{"good", told(200, good), 0, ""},
		{"bearer", told(200, `{"access_token":"t1","token_type":"bearer"}`), 0, ""},
		{"BEARER", told(200, ` {"access_token":"t1","token_type":"BEARER"} `), 0, ""},
		{"more members", told(200, `{"access_token":"t1","token_type":"Bearer","id_token":"x","error":null,"scope":7,"refresh_token":null,"expires_in":null}`), 0, ""},
		{"MAC", told(200, `{"access_token":"t1","token_type":"MAC"}`), oauth.Malformed, ""},
		{"DPoP", told(200, `{"access_token":"t1","token_type":"DPoP"}`), oauth.Malformed, ""},
		{"no type", told(200, `{"access_token":"t1"}`), oauth.Malformed, ""},
		{"an empty type", told(200, `{"access_token":"t1","token_type":""}`), oauth.Malformed, ""},
		{"no token", told(200, `{"token_type":"Bearer"}`), oauth.Malformed, ""},
		{"an empty token", told(200, `{"access_token":"","token_type":"Bearer"}`), oauth.Malformed, ""},
		{"a token of another type", told(200, `{"access_token":["t1"],"token_type":"Bearer"}`), oauth.Malformed, ""},
		{"a token with a blank", told(200, `{"access_token":"t 1","token_type":"Bearer"}`), oauth.Malformed, ""},
		{"a token with a line", told(200, `{"access_token":"t1\r\nX: y","token_type":"Bearer"}`), oauth.Malformed, ""},
		{"a long token", told(200, `{"access_token":"`+strings.Repeat("t", 8<<10+1)+`","token_type":"Bearer"}`), oauth.Malformed, ""},
		{"201", told(201, good), oauth.Malformed, ""},
		{"204", told(204, ""), oauth.Malformed, ""},
		{"an error with 200", told(200, `{"error":"invalid_grant"}`), oauth.Malformed, "invalid_grant"},
		{"html", told(200, "<html>"), oauth.Malformed, ""},
		{"a form", told(200, "access_token=t1&token_type=bearer"), oauth.Malformed, ""},
		{"64 KiB", told(200, good[:len(good)-1]+`,"x":"`+strings.Repeat("x", 64<<10)+`"}`), oauth.Malformed, ""},
		{"invalid_grant", told(400, `{"error":"invalid_grant","error_description":"no\u0007 \"code\""}`), oauth.Refused, "invalid_grant"},
		{"401", told(401, `{"error":"access_denied"}`), oauth.Refused, "access_denied"},
		{"403 without body", told(403, ""), oauth.Malformed, ""},
		{"a code with control bytes", told(400, `{"error":"a\nb"}`), oauth.Refused, ""},
		{"a long code", told(400, `{"error":"`+strings.Repeat("e", 100)+`"}`), oauth.Refused, strings.Repeat("e", 64)},
		{"500", told(500, good), oauth.Unreachable, ""},
		{"429", told(429, ""), oauth.Unreachable, ""},
	} {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/token", c.answer)).begin()
		calls := len(x.calls)
		if x.agree(); x.reason() != c.reason || len(x.calls) != calls+1 { // a code is sent once, whatever comes
			t.Errorf("%s: %v, %v, %q", c.name, x.f.Phase(), x.f.Failure(), x.made(calls))
			continue
		}
		if f := x.f.Failure(); f != nil && (f.Code != c.code || f.Issuer != issuer || f.URL != issuer+"/token" || !printable(f.Error()) || len(f.Error()) > 500) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if tok, ok := x.f.Token(x.now); ok != (c.reason == 0) || ok && (tok != oauth.Token{Access: "t1", Type: "Bearer", Resource: server}) {
			t.Errorf("%s: %+v, %v", c.name, tok, ok)
		}
	}
	x := start(t, oauth.Config{}, server, usual()).begin()
	x.step(x.f.Returned(x.now, x.random(), "code=k1&state="+x.f.Page().State))
	if x.step(x.f.Unanswered(x.now, x.random())); x.reason() != oauth.Unreachable {
		t.Errorf("a code is sent twice: %v", x.f.Phase())
	}
}

// How long a token is good for, and from when on it is renewed: before its last minute, or its last tenth.
//
// rows: AUTH-216
// revisions: all 2026-07-28
func TestLives(t *testing.T) {
	for text, life := range map[string]time.Duration{
		"3600": time.Hour, `"3600"`: time.Hour, "1": time.Second, "10": 10 * time.Second, "3600.9": time.Hour, "36e2": time.Hour, "600": 10 * time.Minute,
		"0": 0, "-1": 0, "null": 0, `"soon"`: 0, "[]": 0, "1e30": 10 * 365 * 24 * time.Hour, "9223372036854775807": 10 * 365 * 24 * time.Hour, "99999999999999999999": 10 * 365 * 24 * time.Hour, "0.5": 0,
	} {
		x := start(t, oauth.Config{}, server, usual().with(issuer+"/token", `{"access_token":"t1","token_type":"Bearer","expires_in":`+text+`}`)).login()
		tok := x.f.Record().Token
		if life == 0 {
			if !tok.Expires.IsZero() || !tok.Renew.IsZero() {
				t.Errorf("%s: %v, %v", text, tok.Expires, tok.Renew)
			}
			continue
		}
		if want := x.now.Add(life); !tok.Expires.Equal(want) || !tok.Renew.Equal(want.Add(-min(life/10, time.Minute))) {
			t.Errorf("%s: %v, renewed at %v", text, tok.Expires.Sub(x.now), tok.Renew.Sub(x.now))
		}
		// Nothing renews it without a refresh token; when it has expired, the server says so, and a person is asked.
		_, before := x.f.Token(tok.Expires.Add(-1))
		_, after := x.f.Token(tok.Expires)
		x.now = tok.Expires
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})); !before || after || x.f.Phase() != oauth.Ready {
			t.Errorf("%s: good %v, then %v; %v", text, before, after, x.f.Phase())
		}
		if x.begin(); x.f.Phase() != oauth.Person {
			t.Errorf("%s: %v, %v", text, x.f.Phase(), x.f.Failure())
		}
	}
}

// refreshing returns the rig of a Flow whose token is about to expire.
func refreshing(t *testing.T, cfg oauth.Config) *rig {
	x := start(t, cfg, server, usual()).login()
	x.now, x.calls = x.f.Record().Token.Renew, nil
	return x
}

// A token that is about to expire is renewed at the issuer that it is of, by the newest refresh token there is.
//
// rows: AUTH-017
// revisions: all 2026-07-28
func TestRefresh(t *testing.T) {
	for _, c := range []struct{ answer, refresh, scope string }{
		{`{"access_token":"t2","token_type":"Bearer","expires_in":60,"refresh_token":"r2","scope":"b"}`, "r2", "b"},
		{`{"access_token":"t2","token_type":"Bearer","expires_in":60}`, "r1", "a"},
		{`{"access_token":"t2","token_type":"Bearer","expires_in":60,"refresh_token":"","scope":""}`, "r1", "a"},
	} {
		x := start(t, oauth.Config{}, server, usual())
		x.refuse(401, headers.Challenge{Scope: "a"}).run().agree()
		at := len(x.calls)
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})); x.f.Phase() != oauth.Ready {
			t.Fatalf("renewed too soon: %v", x.f.Phase())
		}
		x.now = x.f.Record().Token.Renew
		x.web = x.web.with(issuer+"/token", c.answer)
		x.step(x.f.Want(x.now, x.random(), oauth.Need{}))
		if old, ok := x.f.Token(x.now); !ok || old.Access != "t1" || x.f.Phase() != oauth.Requesting {
			t.Errorf("during the renewal: %+v, %v", old, ok)
		}
		x.run()
		got := x.f.Record().Token
		if want := []string{"GET " + issuerAt, "POST " + issuer + "/token"}; !slices.Equal(x.made(at), want) || got.Access != "t2" || string(got.Refresh) != c.refresh || got.Scope != c.scope || got.Resource != server {
			t.Errorf("%q, %q", x.made(at), string(oauth.AppendRecord(nil, x.f.Record())))
		}
		if body := string(x.last().Body); body != "grant_type=refresh_token&refresh_token=r1&resource=https%3A%2F%2Fmcp.example%2Fmcp&client_id=c1" {
			t.Errorf("%s", body)
		}
	}
}

// What becomes of a refresh token that is refused, before and after the token has expired.
//
// rows: AUTH-216
// revisions: all 2026-07-28
func TestRefreshFails(t *testing.T) {
	for _, c := range []struct {
		answer oauth.Answer
		gone   bool
	}{
		{told(400, `{"error":"invalid_grant"}`), true}, {told(400, `{"error":"invalid_request"}`), true}, {told(401, ""), true}, {told(400, "no"), true}, {told(401, `{"error":"invalid_client"}`), true},
		{told(403, `{"error":"x"}`), false}, {told(500, ""), false}, {told(200, "<html>"), false}, {told(404, ""), false},
	} {
		name := fmt.Sprint(c.answer.Status, string(c.answer.Body))
		x := refreshing(t, oauth.Config{})
		x.web = x.web.with(issuer+"/token", c.answer)
		x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run()
		if tok, ok := x.f.Token(x.now); !ok || tok.Access != "t1" || (tok.Refresh == "") != c.gone || (x.f.Phase() == oauth.Ready) != c.gone {
			t.Errorf("%s: %v, %v", name, x.f.Phase(), x.f.Failure())
		}
		// It is not tried with each request.
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})); x.f.Phase().Running() {
			t.Errorf("%s: tried again at once", name)
		}
		if _, again := x.f.NextDeadline(); again {
			t.Errorf("%s: a deadline without a run", name)
		}
		x.now = x.now.Add(29 * time.Second)
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})); x.f.Phase().Running() {
			t.Errorf("%s: tried again within half a minute", name)
		}
		x.now = x.now.Add(10 * time.Second)
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})); x.f.Phase().Running() == c.gone {
			t.Errorf("%s: %v", name, x.f.Phase())
		}
		// Once it has expired, a person is asked.
		x.step(x.f.Cancel(x.now))
		x.now = x.f.Record().Token.Expires
		if x.begin(); c.gone && x.f.Phase() != oauth.Person {
			t.Errorf("%s: %v, %v", name, x.f.Phase(), x.f.Failure())
		}
		x = refreshing(t, oauth.Config{})
		x.now = x.f.Record().Token.Expires
		x.web = x.web.with(issuer+"/token", c.answer)
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run(); (x.f.Phase() == oauth.Person) != c.gone || x.f.Phase() == oauth.Ready {
			t.Errorf("%s, expired: %v, %v", name, x.f.Phase(), x.f.Failure())
		}
		x = refreshing(t, oauth.Config{}) // the server refused the token
		x.web = x.web.with(issuer+"/token", c.answer)
		if x.begin(); (x.f.Phase() == oauth.Person) != c.gone || !x.sent(0, "refresh_token=r1") {
			t.Errorf("%s, refused: %v, %v", name, x.f.Phase(), x.f.Failure())
		}
	}
}

// A client that the server no longer knows is registered once more, and no more often.
//
// rows: AUTH-213
// revisions: all 2026-07-28
func TestForgottenClient(t *testing.T) {
	for _, e := range []string{"invalid_client", "unauthorized_client"} {
		forgotten(t, e)
	}
}

// forgotten registers a client anew whose authorization server answers with an error.
func forgotten(t *testing.T, e string) {
	t.Helper()
	unknown := told(401, `{"error":"`+e+`"}`)
	x := start(t, oauth.Config{}, server, usual().with(issuer+"/token", unknown)).begin()
	x.web = x.web.with(issuer+"/register", `{"client_id":"c2"}`)
	at := len(x.calls)
	if x.agree(); x.f.Phase() != oauth.Person || x.query().Get("client_id") != "c2" || !slices.Equal(x.made(at), []string{"POST " + issuer + "/token", "POST " + issuer + "/register"}) {
		t.Errorf("%v, %v, %q", x.f.Phase(), x.f.Failure(), x.made(at))
	}
	again := *x
	if again.agree(); again.reason() != oauth.Refused || again.f.Failure().Code != e {
		t.Errorf("%v, %v", again.f.Phase(), again.f.Failure())
	}
	x.web = x.web.with(issuer+"/token", tokenAnswer)
	if x.agree(); x.f.Phase() != oauth.Ready || len(x.f.Record().Registrations) != 1 || x.f.Record().Registrations[0].ID != "c2" {
		t.Errorf("%v, %+v", x.f.Failure(), x.f.Record().Registrations)
	}
	for _, cfg := range []oauth.Config{{Clients: []oauth.Credentials{{ID: "c1"}}}, {Document: document}} {
		w := usual().with(issuer+"/token", unknown, issuerAt, issuerOf(issuer, `,"client_id_metadata_document_supported":true`))
		if x := start(t, cfg, server, w).begin().agree(); x.reason() != oauth.Refused || x.sent(0, "redirect_uris") {
			t.Errorf("%+v: %v", cfg.Clients, x.f.Failure())
		}
	}
}
