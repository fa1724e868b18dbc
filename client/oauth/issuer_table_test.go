package oauth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Whose document an issuer takes: one of exactly its name. An issuer without path may differ by one last slash,
// which is the only deviation.
//
// rows: AUTH-205
// revisions: all 2026-07-28
func TestIssuerPairs(t *testing.T) {
	for _, c := range []struct {
		asked, got string
		ok         bool
	}{
		{"https://as.example", "https://as.example", true},
		{"https://as.example", "https://as.example/", true},
		{"https://as.example/", "https://as.example", true},
		{"https://as.example:8443", "https://as.example:8443/", true},
		{"https://as.example/t", "https://as.example/t", true},
		{"https://as.example/t/", "https://as.example/t/", true},
		{"https://as.example", "https://as.example//", false},
		{"https://as.example/t", "https://as.example/t/", false},
		{"https://as.example/t/", "https://as.example/t", false},
		{"https://as.example/t", "https://as.example", false},
		{"https://as.example/t", "https://as.example/T", false},
		{"https://as.example/t", "https://as.example/t/u", false},
		{"https://as.example/t", "https://as.example/u", false},
		{"https://as.example", "https://as.example/t", false},
		{"https://as.example", "https://AS.example", false},
		{"https://as.example", "HTTPS://as.example", false},
		{"https://as.example", "http://as.example", false},
		{"https://as.example", "https://as.example:443", false},
		{"https://as.example:443", "https://as.example", false},
		{"https://as.example", "https://as.example:8443", false},
		{"https://as.example", "https://other.example", false},
		{"https://as.example", "https://as.example.evil.example", false},
		{"https://as.example", "https://sub.as.example", false},
		{"https://as.example", "https://as.example.", false},
		{"https://as.example", "https://as.example?", false},
		{"https://as.example", "https://as.example#", false},
		{"https://as.example", "https://u@as.example", false},
		{"https://as.example", " https://as.example", false},
		{"https://as.example", "as.example", false},
		{"https://as.example/%74", "https://as.example/t", false},
		{"https://as.example/t", "https://as.example/%74", false},
		{"https://as.example/a/../t", "https://as.example/t", false},
		{"https://as.example/t", "https://as.example/./t", false},
	} {
		evil := strings.ReplaceAll(issuerOf("https://as.example", ""), `"issuer":"https://as.example"`, `"issuer":"`+c.got+`"`)
		w := web{resourceAt: resourceOf(server, "", c.asked)}
		x := start(t, oauth.Config{Clients: []oauth.Credentials{{ID: "c"}}}, server, w)
		at := len(x.refuse(401, headers.Challenge{}).answer().calls)
		for x.f.Phase() == oauth.Requesting && !strings.Contains(x.f.Call().URL, "/token") {
			w[x.f.Call().URL] = evil // at each of its places
			x.answer()
		}
		if c.ok {
			if x.f.Phase() != oauth.Person || len(x.calls) != at+1 {
				t.Errorf("%s of %s: %v, %q", c.got, c.asked, x.f.Failure(), x.made(at))
			}
			continue
		}
		places := 2
		if strings.Trim(strings.TrimPrefix(c.asked, "https://"), "/") != "as.example" && strings.Count(c.asked, "/") > 2 {
			places = 3
		}
		if x.reason() != oauth.IssuerMismatch || len(x.calls) != at+places || slices.ContainsFunc(x.made(at), func(s string) bool { return !strings.Contains(s, ".well-known") }) {
			t.Errorf("%s of %s: %v, %q", c.got, c.asked, x.f.Failure(), x.made(at))
		}
	}
}

// Which of several authorization servers is used, and in which order.
//
// rows: AUTH-059
// revisions: all 2026-07-28
func TestSeveralIssuers(t *testing.T) {
	const a, b, c = "https://a.example", "https://b.example", "https://c.example"
	token := oauth.Token{Access: "old", Resource: server}
	for _, k := range []struct {
		name   string
		cfg    oauth.Config
		rec    oauth.Record
		listed []string
		want   []string // whose metadata are asked for, if none has any
		reason oauth.Reason
	}{
		{"as listed", oauth.Config{}, oauth.Record{}, []string{a, b, c}, []string{a, b, c}, oauth.NoMetadata},
		{"that of the token first", oauth.Config{}, oauth.Record{Issuer: b, Token: token}, []string{a, b, c}, []string{b, a, c}, oauth.NoMetadata},
		{"then one that knows the client", oauth.Config{}, oauth.Record{Issuer: c, Token: token, Registrations: []oauth.Registration{{Issuer: b, ID: "i"}}}, []string{a, b, c}, []string{c, b, a}, oauth.NoMetadata},
		{"whatever its last slash", oauth.Config{}, oauth.Record{Issuer: c, Token: token, Registrations: []oauth.Registration{{Issuer: b, ID: "i"}}}, []string{a, b + "/", c + "/"}, []string{c, b, a}, oauth.NoMetadata},
		{"those of Config alone", oauth.Config{Issuers: []string{c, b}}, oauth.Record{}, []string{a, b, c}, []string{b, c}, oauth.NoMetadata},
		{"those of Config, whatever the last slash", oauth.Config{Issuers: []string{b}}, oauth.Record{}, []string{a, b + "/"}, []string{b}, oauth.NoMetadata},
		{"none of Config", oauth.Config{Issuers: []string{c}}, oauth.Record{}, []string{a, b}, nil, oauth.WrongIssuer},
		{"no issuer is allowed", oauth.Config{Issuers: []string{}}, oauth.Record{}, []string{a}, nil, oauth.WrongIssuer},
		{"those that know the client alone", oauth.Config{Clients: []oauth.Credentials{{Issuer: b, ID: "i"}}}, oauth.Record{}, []string{a, b}, []string{b}, oauth.NoMetadata},
		{"none that knows it", oauth.Config{Clients: []oauth.Credentials{{Issuer: c, ID: "i"}}}, oauth.Record{}, []string{a, b}, nil, oauth.WrongIssuer},
		{"not those that may not be asked", oauth.Config{}, oauth.Record{}, []string{"http://a.example", "https://10.0.0.1", b}, []string{b}, oauth.OutOfReach},
		{"not those that are none", oauth.Config{}, oauth.Record{}, []string{"a", "https://a.example?x", b}, []string{b}, oauth.OutOfReach},
	} {
		x := start(t, k.cfg, server, web{resourceAt: resourceOf(server, "", k.listed...)})
		x.step(x.f.Adopt(x.now, k.rec)).begin()
		var got []string
		for _, at := range x.made(1) {
			at, _, _ = strings.Cut(strings.TrimPrefix(at, "GET "), "/.well-known")
			got = append(got, at)
		}
		if got = slices.Compact(got); !slices.Equal(got, k.want) || x.reason() != k.reason {
			t.Errorf("%s: %q, %v; want %q", k.name, got, x.f.Failure(), k.want)
		}
		if k.reason == oauth.WrongIssuer && x.f.Failure().Issuer != k.listed[0] {
			t.Errorf("%s: %v", k.name, x.f.Failure())
		}
	}
}

// moved is a web in which the server has gone from one authorization server to another.
func moved(w web, members string) web {
	const b = "https://b.example"
	return w.with(resourceAt, resourceOf(server, "", b), b+wellServer, issuerOf(b, members), b+"/register", `{"client_id":"c2"}`,
		b+"/token", `{"access_token":"t2","token_type":"Bearer"}`)
}

// A server that goes to another authorization server: its metadata are read again, the client is registered anew,
// and nothing of the first issuer comes to the second.
//
// rows: AUTH-202 AUTH-210
// revisions: all 2026-07-28
func TestIssuerMoves(t *testing.T) {
	w := usual().with(issuer+"/register", `{"client_id":"c1","client_secret":"s1","token_endpoint_auth_method":"client_secret_basic"}`,
		issuerAt, strings.Replace(issuerOf(issuer, ""), `"none",`, "", 1))
	x := start(t, oauth.Config{}, server, w).login()
	x.web = moved(w, "")
	at := len(x.calls)
	x.begin().agree()
	if want := []string{"GET " + resourceAt, "GET https://b.example" + wellServer, "POST https://b.example/register", "POST https://b.example/token"}; !slices.Equal(x.made(at), want) {
		t.Errorf("got  %q\nwant %q", x.made(at), want)
	}
	for _, secret := range []string{"c1", "s1", "r1", "t1", "YzE6"} {
		if x.sent(at, secret) {
			t.Errorf("%s is in a request to the second issuer", secret)
		}
	}
	rec := x.f.Record()
	if rec.Issuer != "https://b.example" || rec.Token.Access != "t2" || rec.Token.Refresh != "" || len(rec.Registrations) != 2 ||
		rec.Registrations[0].Issuer != issuer || rec.Registrations[0].ID != "c1" || rec.Registrations[1].Issuer != "https://b.example" || rec.Registrations[1].ID != "c2" {
		t.Errorf("%+v", rec)
	}
	// Back again, the first registration is used.
	x.web = w
	at = len(x.calls)
	if x.begin().agree(); slices.Contains(x.made(at), "POST "+issuer+"/register") || form(x.last()).Get("client_id") != "" || x.f.Record().Registrations[0].ID != "c1" {
		t.Errorf("%q, %+v", x.made(at), x.f.Record())
	}
}

// What an issuer registered for another redirect is not used for a login, although there is a refresh token of
// another issuer.
//
// rows: AUTH-044 AUTH-202
// revisions: all 2026-07-28
func TestIssuerMovesBack(t *testing.T) {
	x := start(t, oauth.Config{}, server, moved(usual(), ""))
	x.step(x.f.Adopt(x.now, oauth.Record{Issuer: issuer, Token: oauth.Token{Access: "t1", Resource: server, Refresh: "r1"},
		Registrations: []oauth.Registration{{Issuer: "https://b.example", ID: "old", Redirect: "http://127.0.0.1:1/callback"}}}))
	if x.begin(); x.query().Get("client_id") != "c2" || !slices.Contains(x.made(0), "POST https://b.example/register") {
		t.Errorf("%s for %q", x.f.Page().URL, x.made(0))
	}
}

// A client of Config whose issuer is no longer named, or that another issuer would get: the run fails.
//
// rows: AUTH-202 AUTH-211
// revisions: all 2026-07-28
func TestIssuerOfClient(t *testing.T) {
	for _, bound := range []string{issuer, issuer + "/", ""} {
		x := start(t, oauth.Config{Clients: []oauth.Credentials{{Issuer: bound, ID: "c1", Secret: "s1"}}}, server, usual()).login()
		x.web = moved(usual(), "")
		at := len(x.calls)
		x.begin()
		if f := x.f.Failure(); f == nil || f.Reason != oauth.WrongIssuer || f.Issuer != "https://b.example" || strings.Contains(f.Error(), "s1") {
			t.Errorf("%q: %v", bound, f)
		}
		if !slices.Equal(x.made(at), []string{"GET " + resourceAt}) {
			t.Errorf("%q: %q", bound, x.made(at))
		}
	}
	// Here the document says that it is of the other form of the name.
	w := usual().with(issuerAt, strings.Replace(issuerOf(issuer, ""), issuer+`"`, issuer+`/"`, 1))
	if x := start(t, oauth.Config{Clients: []oauth.Credentials{{Issuer: issuer, ID: "c1", Secret: "s1"}}}, server, w).login(); x.f.Record().Issuer != issuer+"/" {
		t.Errorf("%+v", x.f.Record())
	}
}

// The document of a client is good at any issuer.
//
// rows: AUTH-212
// revisions: all 2026-07-28
func TestIssuerMovesWithDocument(t *testing.T) {
	const id, reads = "https://app.example/client.json", `,"client_id_metadata_document_supported":true`
	w := usual().with(issuerAt, issuerOf(issuer, reads))
	x := start(t, oauth.Config{Document: id}, server, w).login()
	x.web = moved(w, reads)
	if x.begin(); x.query().Get("client_id") != id {
		t.Errorf("%s", x.f.Page().URL)
	}
	if x.agree(); x.f.Phase() != oauth.Ready || x.sent(0, "redirect_uris") || x.sent(0, "/register") || len(x.f.Record().Registrations) > 0 {
		t.Errorf("%v, %q", x.f.Failure(), x.made(0))
	}
}
