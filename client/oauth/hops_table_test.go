package oauth_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
)

// hop answers with a redirect.
func hop(status int, location string) oauth.Answer {
	return oauth.Answer{Status: status, Location: location}
}

// A redirect of a request for metadata is followed three times, by the rules of the first request; the metadata of the
// server stay on its origin.
//
// rows: SEC-105
// revisions: all 2026-07-28
func TestHops(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for first, next := range map[string]string{resourceAt: "https://mcp.example/m", issuerAt: "https://docs.example/m"} {
			for hops := 1; hops <= 4; hops++ {
				w := usual()
				end := w[first]
				at := first
				for i := range hops {
					to := fmt.Sprint(next, i)
					w[at], at = hop(status, to), to
				}
				w[at] = end
				x := start(t, oauth.Config{}, server, w).begin()
				if hops < 4 && x.f.Phase() != oauth.Person || hops == 4 && (x.reason() != oauth.OutOfReach || x.sent(0, next+"3")) {
					t.Errorf("%d, %d hops of %s: %v, %v; %q", status, hops, first, x.f.Phase(), x.f.Failure(), x.made(0))
				}
			}
			for _, to := range append(refused(), "https://u@mcp.example/x", "https://mcp.example/#f", "//10.0.0.1/x", "http:///x") {
				if to == "" || to == "x" || to == "/x" || strings.HasPrefix(to, "//evil") || first == issuerAt && strings.HasPrefix(to, "https://evil.example/") {
					continue // that is no redirect, or may be followed
				}
				x := start(t, oauth.Config{}, server, usual().with(first, hop(status, to))).begin()
				if x.reason() != oauth.OutOfReach || x.last().URL != first || strings.Contains(x.f.Failure().Error(), "evil") {
					t.Errorf("%d of %s to %.60q: %v, %q", status, first, to, x.f.Failure(), x.made(0))
				}
			}
		}
		// What is relative is of the url before it.
		w := usual()
		w = w.with("https://mcp.example/.well-known/other?x=1", w[resourceAt], resourceAt, hop(status, "../other?x=1"))
		if x := start(t, oauth.Config{}, server, w).begin(); x.f.Phase() != oauth.Person {
			t.Errorf("%v, %q", x.f.Failure(), x.made(0))
		}
		for _, elsewhere := range []string{"https://docs.example/m", "https://mcp.example:8443/m", "https://sub.mcp.example/m"} {
			w := usual()
			w = w.with(elsewhere, w[resourceAt], resourceAt, hop(status, elsewhere))
			if x := start(t, oauth.Config{Trusted: []string{"docs.example"}}, server, w).begin(); x.reason() != oauth.OutOfReach || x.sent(0, elsewhere) {
				t.Errorf("the metadata of the server are read from %s", elsewhere)
			}
		}
	}
}

// A redirect of a request with a body is not followed: neither the client nor a code, a token or a secret goes
// elsewhere.
//
// rows: SEC-105 AUTH-062
// revisions: all 2026-07-28
func TestHopsOfPosts(t *testing.T) {
	secret := oauth.Credentials{ID: "c1", Secret: "s1"}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"https://evil.example/token", issuer + "/other"} {
			answer := hop(status, to)
			x := start(t, oauth.Config{}, server, usual().with(issuer+"/register", answer)).begin()
			if x.reason() != oauth.RegistrationRefused || x.f.Failure().Status != status || x.last().URL != issuer+"/register" {
				t.Errorf("%d of a registration: %v, %q", status, x.f.Failure(), x.made(0))
			}
			x = start(t, oauth.Config{}, server, usual().with(issuer+"/token", answer)).begin().agree()
			if x.reason() != oauth.Malformed || x.f.Failure().Status != status || len(x.calls) != 4 {
				t.Errorf("%d of a code: %v, %q", status, x.f.Failure(), x.made(0))
			}
			x = start(t, oauth.Config{}, server, usual()).login()
			x.web, x.now = x.web.with(issuer+"/token", answer), x.f.Record().Token.Renew
			at := len(x.calls)
			if x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run(); !slices.Equal(x.made(at), []string{"GET " + issuerAt, "POST " + issuer + "/token"}) || x.f.Phase() != oauth.Failed {
				t.Errorf("%d of a refresh: %v, %q", status, x.f.Failure(), x.made(at))
			}
			x = start(t, oauth.Config{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{secret}}, server, usual().with(issuer+"/token", answer)).begin()
			if x.reason() != oauth.Malformed || len(x.calls) != 3 {
				t.Errorf("%d of client credentials: %v, %q", status, x.f.Failure(), x.made(0))
			}
		}
	}
}
