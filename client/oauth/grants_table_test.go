package oauth_test

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/headers"
)

const idpToken = "https://idp.example/token"

// give gives what is asked for, and runs.
func (x *rig) give(kind oauth.AskKind, b string) *rig {
	x.t.Helper()
	if x.f.Phase() != oauth.Asking || x.f.Ask().Kind != kind || x.f.Call().URL != "" {
		x.t.Fatalf("%v, asks for %+v; %v", x.f.Phase(), x.f.Ask(), x.f.Failure())
	}
	return x.step(x.f.Given(x.now, x.random(), []byte(b))).run()
}

// The grants of machines make these requests and no others: no registration, no page.
//
// rows: AUTH-301 AUTH-303 AUTH-304 AUTH-307
// revisions: all 2026-07-28
func TestGrants(t *testing.T) {
	post := func(extra string) string {
		return "resource=" + url.QueryEscape(server) + "&scope=a+b" + extra
	}
	provider := oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p", Secret: "ps", Method: "client_secret_post"}}
	jwt, exchange := "grant_type="+url.QueryEscape("urn:ietf:params:oauth:grant-type:jwt-bearer"), "grant_type="+url.QueryEscape("urn:ietf:params:oauth:grant-type:token-exchange")
	kind := "&subject_token_type=" + url.QueryEscape("urn:ietf:params:oauth:token-type:")
	for _, c := range []struct {
		name    string
		cfg     oauth.Config
		subject bool
		forms   []string
	}{
		{"client credentials", oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}}, false, []string{"grant_type=client_credentials&" + post("")}},
		{"client credentials, no secret", oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c"}}}, false, []string{"grant_type=client_credentials&" + post("&client_id=c")}},
		{"assertion", oauth.Config{Grant: oauth.Assertion}, true, []string{jwt + "&assertion=subject&" + post("")}},
		{"assertion of a client", oauth.Config{Grant: oauth.Assertion, Clients: []oauth.Credentials{{ID: "c"}}}, true, []string{jwt + "&assertion=subject&" + post("&client_id=c")}},
		{"exchange", oauth.Config{Grant: oauth.Exchange, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}}, true, []string{exchange + "&subject_token=subject" + kind + "access_token&" + post("")}},
		{"exchange of another type", oauth.Config{Grant: oauth.Exchange, SubjectType: "urn:x", Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}}, true, []string{exchange + "&subject_token=subject&subject_token_type=urn%3Ax&" + post("")}},
		{"enterprise", oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}, Provider: provider}, true, []string{
			exchange + "&requested_token_type=" + url.QueryEscape("urn:ietf:params:oauth:token-type:id-jag") + "&audience=" + url.QueryEscape(issuer) + "&subject_token=subject" + kind + "id_token&" + post("&client_id=p&client_secret=ps"),
			jwt + "&assertion=jag&" + post("")}},
	} {
		x := start(t, c.cfg, server, usual().with(idpToken, idJAG)).refuse(401, headers.Challenge{Scope: "a b"}).run()
		if c.subject {
			if x.give(oauth.Subject, "subject"); len(x.f.Ask().Data) > 0 {
				t.Errorf("%s: %+v", c.name, x.f.Ask())
			}
		}
		want := []string{"GET " + resourceAt, "GET " + issuerAt}
		if len(c.forms) == 2 {
			want = append(want, "POST "+idpToken)
		}
		if want = append(want, "POST "+issuer+"/token"); x.f.Phase() != oauth.Ready || !slices.Equal(x.made(0), want) {
			t.Errorf("%s: %v, %q", c.name, x.f.Failure(), x.made(0))
			continue
		}
		for i, f := range c.forms {
			call := x.calls[2+i]
			if string(call.Body) != f || !slices.Contains(call.Fields, headers.Field{Name: headers.ContentType, Value: "application/x-www-form-urlencoded"}) {
				t.Errorf("%s: %q\nwant %q", c.name, string(call.Body), f)
			}
		}
		basic := slices.Contains(x.last().Fields, headers.Field{Name: headers.Authorization, Value: "Basic " + base64.StdEncoding.EncodeToString([]byte("c:s"))})
		if basic != (len(c.cfg.Clients) > 0 && c.cfg.Clients[0].Secret != "") {
			t.Errorf("%s: %v", c.name, x.last().Fields)
		}
		// A token that is about to expire is renewed without a person, by its refresh token if it has one.
		x.now = x.f.Record().Token.Renew
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run(); x.f.Phase() != oauth.Ready || form(x.last()).Get("grant_type") != "refresh_token" {
			t.Errorf("%s: %v", c.name, x.f.Failure())
		}
		x.web = x.web.with(issuer+"/token", told(400, `{"error":"invalid_grant"}`))
		at := len(x.calls)
		x.step(x.f.Want(x.f.Record().Token.Expires, x.random(), oauth.Need{})).run()
		if c.subject {
			x.give(oauth.Subject, "subject")
		}
		if x.reason() != oauth.Refused || x.f.Failure().Code != "invalid_grant" || x.sent(at, "authorization_code") {
			t.Errorf("%s: %v, %v", c.name, x.f.Phase(), x.f.Failure())
		}
	}
	for _, grant := range []oauth.Grant{oauth.Exchange, oauth.Enterprise} { // nobody registers a machine
		cfg := oauth.Config{Grant: grant, Provider: provider}
		if x := start(t, cfg, server, usual()).begin(); x.reason() != oauth.NoClient || len(x.calls) != 2 {
			t.Errorf("%d: %v, %q", grant, x.f.Failure(), x.made(0))
		}
	}
	for _, bad := range []string{"", "a b", "a\nb", strings.Repeat("x", 64<<10+1)} {
		x := start(t, oauth.Config{Grant: oauth.Assertion}, server, usual()).begin()
		if x.give(oauth.Subject, bad); x.reason() != oauth.Malformed {
			t.Errorf("%.20q: %v", bad, x.f.Failure())
		}
	}
}

// A workload's token that is refused ends the run: no second request, no other grant.
//
// rows: AUTH-307
// revisions: all 2026-07-28
func TestRefusedAssertion(t *testing.T) {
	for _, e := range []string{"invalid_grant", "invalid_client", "unsupported_grant_type", "use_dpop_nonce"} {
		x := start(t, oauth.Config{Grant: oauth.Assertion}, server, usual().with(issuer+"/token", told(400, `{"error":"`+e+`"}`))).begin()
		if x.give(oauth.Subject, "subject"); x.reason() != oauth.Refused || x.f.Failure().Code != e || len(x.calls) != 3 {
			t.Errorf("%s: %v, %q", e, x.f.Failure(), x.made(0))
		}
	}
}

// What an identity provider answers.
//
// rows: AUTH-303 AUTH-304
// revisions: all 2026-07-28
func TestEnterprise(t *testing.T) {
	cfg := oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}, Provider: oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p"}}}
	for name, c := range map[string]struct {
		answer oauth.Answer
		reason oauth.Reason
	}{
		"good":                          {told(200, idJAG), 0},
		"n_a":                           {told(200, strings.Replace(idJAG, "N_A", "n_a", 1)), 0},
		"Bearer":                        {told(200, strings.Replace(idJAG, "N_A", "Bearer", 1)), oauth.Malformed},
		"no token_type":                 {told(200, strings.Replace(idJAG, "token_type\":\"N_A", "x\":\"", 1)), oauth.Malformed},
		"an access token":               {told(200, strings.Replace(idJAG, "id-jag", "access_token", 1)), oauth.Malformed},
		"no issued_token_type":          {told(200, strings.Replace(idJAG, "issued_", "", 1)), oauth.Malformed},
		"no token":                      {told(200, strings.Replace(idJAG, `"jag"`, `""`, 1)), oauth.Malformed},
		"a token that no header has":    {told(200, strings.Replace(idJAG, `"jag"`, `"j g"`, 1)), oauth.Malformed},
		"201":                           {told(201, idJAG), oauth.Malformed},
		"html":                          {told(200, "<html>"), oauth.Malformed},
		"invalid_target":                {told(400, `{"error":"invalid_target"}`), oauth.Refused},
		"a redirect":                    {hop(307, "https://evil.example/token"), oauth.Malformed},
		"503, which is asked once more": {told(503, ""), oauth.Unreachable},
	} {
		x := start(t, cfg, server, usual().with(idpToken, c.answer)).begin()
		if x.give(oauth.Subject, "subject"); x.reason() != c.reason || x.sent(0, "evil") || slices.Contains(x.made(0), "POST "+issuer+"/token") != (c.reason == 0) {
			t.Errorf("%s: %v, %q", name, x.f.Failure(), x.made(0))
		}
	}
	// An ID-JAG that the server refuses is exchanged once more, and no more often.
	x := start(t, cfg, server, usual().with(idpToken, idJAG, issuer+"/token", told(400, `{"error":"invalid_grant"}`))).begin().give(oauth.Subject, "subject")
	if want := []string{"POST " + idpToken, "POST " + issuer + "/token", "POST " + idpToken, "POST " + issuer + "/token"}; !slices.Equal(x.made(2), want) || x.reason() != oauth.Refused {
		t.Errorf("%v, %q", x.f.Failure(), x.made(0))
	}
	if x.sent(5, "subject") || x.sent(5, "client_id=p") || x.sent(2, "client_id=c") {
		t.Error("what is of one server is sent to the other")
	}
}

// An assertion of the client: its head, its claims, and that each request has its own.
//
// rows: AUTH-113 AUTH-302
// revisions: all 2026-07-28
func TestSignatures(t *testing.T) {
	reads := issuerOf(issuer, `,"client_id_metadata_document_supported":true`)
	for _, c := range []struct {
		cfg oauth.Config
		id  string
	}{
		{oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Method: "private_key_jwt"}}, Algorithm: "ES256", KeyID: "k"}, "c"},
		{oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Secret: "unused", Method: "private_key_jwt"}}, Algorithm: "RS256", KeyID: "k"}, "c"},
		{oauth.Config{Document: document, Algorithm: "EdDSA", KeyID: "k"}, document},
	} {
		x := start(t, c.cfg, server, usual().with(issuerAt, reads, issuer+"/token", told(503, ""))).begin()
		if c.cfg.Grant == oauth.AuthorizationCode {
			x.agree()
		}
		seen := map[string]bool{}
		for try := range 3 {
			a := x.f.Ask()
			if a.Kind != oauth.Signature || a.Algorithm != c.cfg.Algorithm || a.KeyID != "k" {
				t.Fatalf("%v, %+v, %v", x.f.Phase(), a, x.f.Failure())
			}
			head, claims, _ := strings.Cut(string(a.Data), ".")
			h, err1 := base64.RawURLEncoding.DecodeString(head)
			b, err2 := base64.RawURLEncoding.DecodeString(claims)
			jti := rawjson.Text(string(b), "jti")
			now := x.now.Unix()
			want := `{"iss":"` + c.id + `","sub":"` + c.id + `","aud":"` + issuer + `","jti":"` + jti + `","iat":` + itoa(now) + `,"exp":` + itoa(now+300) + `}`
			if err1 != nil || err2 != nil || string(h) != `{"alg":"`+c.cfg.Algorithm+`","kid":"k","typ":"JWT"}` || string(b) != want || len(jti) != 43 || seen[jti] {
				t.Errorf("%s %s\nwant %s", h, b, want)
			}
			seen[jti] = true
			x.step(x.f.Given(x.now, x.random(), []byte{0xFF, 0, byte(try)}))
			v := form(x.f.Call())
			if want := string(a.Data) + "." + base64.RawURLEncoding.EncodeToString([]byte{0xFF, 0, byte(try)}); v.Get("client_assertion") != want || v.Get("client_id") != c.id || v.Has("client_secret") ||
				v.Get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" || len(x.f.Call().Fields) != 2 {
				t.Errorf("%q", string(x.f.Call().Body))
			}
			if c.cfg.Grant == oauth.AuthorizationCode { // a code is sent once
				break
			}
			x.run() // it is asked for another one in a while
		}
		if x.web = x.web.with(issuer+"/token", tokenAnswer); x.f.Phase() == oauth.Asking {
			x.give(oauth.Signature, "s")
		}
		if x.run(); x.f.Phase() != oauth.Ready {
			t.Errorf("%v", x.f.Failure())
		}
	}
	x := start(t, oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Method: "private_key_jwt"}}, Algorithm: "ES256"}, server, usual()).begin()
	if x.give(oauth.Signature, ""); x.reason() != oauth.Malformed || x.sent(0, "client_assertion") {
		t.Errorf("no signature is one: %v", x.f.Phase())
	}
	// An identity provider is the audience of what is sent to it.
	x = start(t, oauth.Config{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c"}}, Algorithm: "ES256", Provider: oauth.Provider{TokenURL: idpToken, Client: oauth.Credentials{ID: "p", Method: "private_key_jwt"}}}, server, usual().with(idpToken, idJAG)).begin().give(oauth.Subject, "subject")
	_, claims, _ := strings.Cut(string(x.f.Ask().Data), ".")
	if b, _ := base64.RawURLEncoding.DecodeString(claims); rawjson.Text(string(b), "aud") != idpToken || rawjson.Text(string(b), "iss") != "p" {
		t.Errorf("%s", b)
	}
	if x.give(oauth.Signature, "s"); x.f.Phase() != oauth.Ready {
		t.Errorf("%v", x.f.Failure())
	}
}

// itoa returns a number as text.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Which capability of a client declares a grant.
//
// rows: AUTH-305
// revisions: all 2026-07-28
func TestExtensions(t *testing.T) {
	for g, want := range map[oauth.Grant]string{
		oauth.AuthorizationCode: "", oauth.Assertion: "", oauth.Exchange: "", oauth.ClientCredentials: "io.modelcontextprotocol/oauth-client-credentials", oauth.Enterprise: "io.modelcontextprotocol/enterprise-managed-authorization",
	} {
		if got := g.Extension(); got != want {
			t.Errorf("%d: %q, want %q", g, got, want)
		}
	}
}

// Tokens that are bound to a key: the driver proves it at the token endpoint, with the nonce of that server alone, and
// once more if it wants another one.
//
// rows: AUTH-306
// revisions: all 2026-07-28
func TestProof(t *testing.T) {
	bound := oauth.Answer{Status: 200, Body: []byte(`{"access_token":"t1","token_type":"dpop"}`)}
	wants := oauth.Answer{Status: 400, Nonce: "n1", Body: []byte(`{"error":"use_dpop_nonce"}`)}
	meta := oauth.Answer{Status: 200, Nonce: "foreign", Body: []byte(resourceOf(server, "", issuer))}
	answers := []oauth.Answer{wants, bound}
	var proofs []string
	w := usual().with(resourceAt, meta, issuer+"/token", func(c oauth.HTTPRequest) oauth.Answer {
		proofs = append(proofs, c.Nonce)
		a := answers[0]
		answers = answers[1:]
		return a
	})
	x := start(t, oauth.Config{Proof: true}, server, w).login()
	if tok := x.f.Record().Token; tok.Type != "DPoP" || !slices.Equal(proofs, []string{"", "n1"}) {
		t.Errorf("%q, %q", tok.Type, proofs)
	}
	for _, c := range x.calls {
		if c.Proof != strings.HasSuffix(c.URL, "/token") {
			t.Errorf("%s %s: %v", c.Method, c.URL, c.Proof)
		}
	}
	for name, list := range map[string][]oauth.Answer{
		"twice": {wants, wants}, "no nonce": {told(400, `{"error":"use_dpop_nonce"}`)}, "a nonce that no header has": {{Status: 400, Nonce: "n 1", Body: wants.Body}},
		"a long nonce": {{Status: 400, Nonce: strings.Repeat("n", 201), Body: wants.Body}}, "Bearer": {told(200, tokenAnswer)},
	} {
		answers, proofs = list, nil
		if x := start(t, oauth.Config{Proof: true}, server, w).begin().agree(); x.f.Phase() != oauth.Failed || len(answers) > 0 {
			t.Errorf("%s: %v, %q", name, x.f.Phase(), proofs)
		}
	}
	answers = []oauth.Answer{wants}
	if x := start(t, oauth.Config{}, server, w).begin().agree(); x.reason() != oauth.Refused || x.f.Failure().Code != "use_dpop_nonce" {
		t.Errorf("%v", x.f.Failure())
	}
}

// A request that fails is made again after 1, 2 and 4 s, or as long as the server wants to be left alone, but for
// 30 s at most; a run ends after two minutes.
func TestTries(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		want  []time.Duration
	}{
		{0, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{3 * time.Second, []time.Duration{3 * time.Second, 3 * time.Second, 4 * time.Second}},
		{time.Hour, []time.Duration{30 * time.Second, 30 * time.Second, 30 * time.Second}},
		{-time.Hour, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
	} {
		x := start(t, oauth.Config{}, server, usual().with(resourceAt, oauth.Answer{Status: 503, RetryAfter: c.after})).refuse(401, headers.Challenge{})
		var got []time.Duration
		for x.answer(); x.f.Phase() == oauth.Waiting; x.answer() {
			at, _ := x.f.NextDeadline()
			got = append(got, at.Sub(x.now))
			if x.step(x.f.Tick(at.Add(-1), x.random())); x.f.Phase() != oauth.Waiting {
				t.Errorf("%v: too soon", c.after)
			}
			x.now = at
			x.step(x.f.Tick(at, x.random()))
		}
		if !slices.Equal(got, c.want) || x.reason() != oauth.Unreachable {
			t.Errorf("%v: %v, %v", c.after, got, x.f.Failure())
		}
	}
}
