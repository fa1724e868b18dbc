package oauth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A server without any metadata is one of revision 2025-03-26: its origin is the authorization server, which is asked
// for its document at one place, and has its endpoints where they are by default.
//
// rows: AUTH-054 AUTH-056
// revisions: 2025-03-26..2025-06-18
func TestLegacy(t *testing.T) {
	for _, c := range []struct{ server, base string }{
		{"https://h.example:1/v1/mcp", "https://h.example:1"}, {"https://H.example:443/", "https://h.example"}, {"https://h.example", "https://h.example"}, {"http://127.0.0.1:8080/mcp?x=1", "http://127.0.0.1:8080"},
	} {
		w := web{c.base + "/register": `{"client_id":"c1"}`, c.base + "/token": tokenAnswer}
		x := start(t, oauth.Config{}, c.server, w).begin()
		at := slices.IndexFunc(x.calls, func(c oauth.HTTPRequest) bool { return !strings.Contains(c.URL, wellResource) })
		if want := []string{"GET " + c.base + wellServer, "POST " + c.base + "/register"}; at < 1 || !slices.Equal(x.made(at), want) || !strings.HasPrefix(x.f.Page().URL, c.base+"/authorize?") {
			t.Errorf("%s: %v, %q, %s", c.server, x.f.Failure(), x.made(0), x.f.Page().URL)
			continue
		}
		if q := x.query(); q.Get("resource") != x.f.Resource() || q.Get("code_challenge_method") != "S256" || q.Has("scope") {
			t.Errorf("%s: %s", c.server, x.f.Page().URL)
		}
		if x.agree(); x.f.Phase() != oauth.Ready || x.last().URL != c.base+"/token" {
			t.Errorf("%s: %v, %q", c.server, x.f.Failure(), x.made(0))
		}
		if rec := x.f.Record(); rec.Issuer != c.base || !rec.Legacy {
			t.Errorf("%s: %+v", c.server, rec)
		}
		// A renewal goes there, too.
		x.now, at = x.f.Record().Token.Renew, len(x.calls)
		if x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run(); x.f.Phase() != oauth.Ready || !slices.Equal(x.made(at), []string{"GET " + c.base + wellServer, "POST " + c.base + "/token"}) {
			t.Errorf("%s: %v, %q", c.server, x.f.Failure(), x.made(at))
		}
	}
	// A document there is taken, if it is that of the origin.
	const base = "https://mcp.example"
	doc := strings.ReplaceAll(issuerOf(base, ""), base+"/", base+"/oauth/")
	x := start(t, oauth.Config{}, server, web{base + wellServer: doc, base + "/oauth/register": `{"client_id":"c1"}`}).begin()
	if !strings.HasPrefix(x.f.Page().URL, base+"/oauth/authorize?") {
		t.Errorf("%v, %q", x.f.Failure(), x.made(0))
	}
	x = start(t, oauth.Config{}, server, web{base + wellServer: issuerOf(issuer, "")}).begin()
	if x.reason() != oauth.IssuerMismatch || x.last().URL != base+wellServer {
		t.Errorf("%v, %q", x.f.Failure(), x.made(0))
	}
}

// Who has metadata, or says where they are, is no such server, and nobody is if Config says so.
//
// rows: AUTH-056
// revisions: 2025-03-26..2025-06-18
func TestNoLegacy(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  oauth.Config
		hint string
		w    web
		want oauth.Reason
	}{
		"Config":                       {oauth.Config{NoLegacy: true}, "", nil, oauth.NoMetadata},
		"no issuer of Config":          {oauth.Config{Issuers: []string{issuer}}, "", nil, oauth.WrongIssuer},
		"no issuer with a client":      {oauth.Config{Clients: []oauth.Credentials{{Issuer: issuer, ID: "c"}}}, "", nil, oauth.WrongIssuer},
		"a challenge with a url":       {oauth.Config{}, resourceAt, nil, oauth.NoMetadata},
		"a challenge with a bad url":   {oauth.Config{}, "https://elsewhere.example/", nil, oauth.NoMetadata},
		"metadata":                     {oauth.Config{}, "", web{resourceAt: resourceOf(server, "", issuer)}, oauth.NoMetadata},
		"metadata without an issuer":   {oauth.Config{}, "", web{resourceAt: `{"resource":"` + server + `"}`}, oauth.NoMetadata},
		"something that is no JSON":    {oauth.Config{}, "", web{resourceAt: "<html>"}, oauth.NoMetadata},
		"metadata of another resource": {oauth.Config{}, "", web{resourceAt: resourceOf("https://other.example", "", issuer)}, oauth.ResourceMismatch},
		"no answer":                    {oauth.Config{}, "", web{resourceAt: oauth.Answer{Status: 502}}, oauth.Unreachable},
	} {
		x := start(t, c.cfg, server, c.w).refuse(401, headers.Challenge{ResourceMetadata: c.hint}).run()
		if x.reason() != c.want || x.sent(0, "https://mcp.example"+wellServer) || x.sent(0, "register") {
			t.Errorf("%s: %v, %v, %q", name, x.f.Phase(), x.f.Failure(), x.made(0))
		}
	}
}
