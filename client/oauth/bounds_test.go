package oauth_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// An issuer whose metadata would be at a url that is too long is not asked.
//
// rows: SEC-012
// revisions: all 2026-07-28
func TestLongIssuer(t *testing.T) {
	for n, want := range map[int]oauth.Reason{8<<10 - 100: oauth.NoMetadata, 8 << 10: oauth.OutOfReach} {
		at := issuer + "/" + strings.Repeat("x", n-len(issuer)-1)
		x := start(t, oauth.Config{}, server, web{resourceAt: resourceOf(server, "", at)}).begin()
		if x.reason() != want || x.f.Failure().Issuer != at {
			t.Errorf("%d: %v, %.200v", n, x.f.Phase(), x.f.Failure())
		}
	}
}

// Servers that say as much as is taken of each thing, one after the other: what a Flow keeps stays below what the
// package says.
//
// rows: SEC-012 SEC-101 SEC-201
// revisions: all 2026-07-28
func TestBounds(t *testing.T) {
	const most = 8 << 10
	long := func(prefix string, n int) string { return prefix + strings.Repeat("x", n-len(prefix)) }
	var scopes []string
	for i := range 64 {
		scopes = append(scopes, long(fmt.Sprint("s", i), 256))
	}
	list := `["` + strings.Join(scopes, `","`) + `"]`
	x := start(t, oauth.Config{}, server, nil)
	largest := 0
	for i := range 9 { // one registration more than are kept
		base := fmt.Sprintf("https://as%d.example", i)
		var issuers []string // there has to be room for the well-known place
		for j := range 24 {
			issuers = append(issuers, long(fmt.Sprintf("%s/%d/", base, j), most-100))
		}
		answers := []struct{ at, body string }{
			{"https://mcp.example", resourceOf(server, `,"scopes_supported":`+list, issuers...)},
			{base + "/.well-known", `{"issuer":"` + issuers[0] + `","authorization_endpoint":"` + long(base+"/a", most) + `","token_endpoint":"` + long(base+"/t", most) + `","registration_endpoint":"` + long(base+"/r", most) +
				`","code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["client_secret_basic"]}`},
			{base + "/r", `{"client_id":"` + long("c", most) + `","client_secret":"` + long("s", most) + `","token_endpoint_auth_method":"` + long("m", most) + `"}`},
			{base + "/t", `{"access_token":"` + long("a", most) + `","token_type":"Bearer","refresh_token":"` + long("r", most) + `","scope":"` + strings.Join(scopes[:31], " ") + `"}`},
		}
		x.f = x.f.Want(x.now, x.random(), oauth.Need{Status: 401, Used: x.f.Record().Token.Access, Challenge: headers.Challenge{ResourceMetadata: long("https://mcp.example/", 4096), Scope: strings.Join(scopes[:15], " ")}})
		for x.f.Phase().Running() {
			largest = max(largest, len(x.f.Snapshot(oauth.With)))
			if x.f.Phase() == oauth.Person {
				x.step(x.f.Returned(x.now, x.random(), "state="+x.f.Page().State+"&code="+strings.Repeat("k", most-100)))
				continue
			}
			for _, a := range answers {
				if strings.HasPrefix(x.f.Call().URL, a.at) {
					x.f = x.f.Respond(x.now, x.random(), oauth.Answer{Status: 200, Body: []byte(a.body)})
					break
				}
			}
		}
		if x.f.Phase() != oauth.Ready {
			t.Fatalf("%d: %v, %.300s", i, x.f.Phase(), x.f.Failure())
		}
		x.f = x.f.Want(x.now, x.random(), oauth.Need{Status: 200, Used: x.f.Record().Token.Access})
	}
	x.step(x.f)
	t.Logf("%d bytes", largest)
	if largest > 512<<10 {
		t.Errorf("%d bytes are kept", largest)
	}
	if len(x.f.Record().Registrations) != 8 {
		t.Errorf("%d registrations", len(x.f.Record().Registrations))
	}
}
