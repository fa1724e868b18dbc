package oauth_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/oauth"
)

// form returns the form of a Call.
func form(c oauth.HTTPRequest) url.Values {
	v, _ := url.ParseQuery(string(c.Body))
	return v
}

// query returns the parameters of the page.
func (x *rig) query() url.Values {
	u, err := url.Parse(x.f.Page().URL)
	if err != nil {
		x.t.Fatal(err)
	}
	return u.Query()
}

// The canonical form of a server's url, which is what it is known by without metadata.
//
// rows: AUTH-016 AUTH-018 AUTH-019 AUTH-020 AUTH-021 AUTH-022 AUTH-061
// revisions: all 2026-07-28
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://h.example", "https://h.example"},
		{"https://h.example/", "https://h.example"},
		{"https://h.example/a/b", "https://h.example/a/b"},
		{"https://h.example/a/b/", "https://h.example/a/b/"},
		{"https://h.example//", "https://h.example//"},
		{"HTTPS://EXAMPLE.com/Mcp", "https://example.com/Mcp"},
		{"https://example.com/Mcp", "https://example.com/Mcp"},
		{"https://h.example:443/p", "https://h.example/p"},
		{"https://h.example:0443/p", "https://h.example:0443/p"},
		{"https://h.example:80/p", "https://h.example:80/p"},
		{"https://h.example:8443/p", "https://h.example:8443/p"},
		{"http://127.0.0.1:80/p", "http://127.0.0.1/p"},
		{"http://[::1]:443/p", "http://[::1]:443/p"},
		{"https://user:secret@h.example/p", "https://h.example/p"},
		{"https://h.example/p#f", "https://h.example/p"},
		{"https://h.example/#", "https://h.example"},
		{"https://h.example/p?q=1", "https://h.example/p?q=1"},
		{"https://h.example/?q=1", "https://h.example/?q=1"},
		{"https://h.example?q=1", "https://h.example?q=1"},
		{"https://h.example/a%2fb", "https://h.example/a%2fb"},
		{"https://h.example/a b", "https://h.example/a%20b"},
		{"https://h.example/é", "https://h.example/%C3%A9"},
	} {
		x := start(t, oauth.Config{Clients: []oauth.Credentials{{ID: "c"}}}, c.url, nil)
		if got := x.f.Resource(); got != c.want {
			t.Errorf("%s is %s, want %s", c.url, got, c.want)
		}
		if again := start(t, oauth.Config{}, c.want, nil).f.Resource(); again != c.want {
			t.Errorf("%s is %s, canonical once more", c.want, again)
		}
		// Without metadata, it is what the token is for.
		if x.begin(); x.query().Get("resource") != c.want {
			t.Errorf("%s: %v is asked for", c.url, x.query())
		}
	}
	for _, bad := range []string{"", "mcp.example.com", "mcp.example.com/mcp", "/mcp", "//h.example/mcp", "ftp://h.example", "https://", "https:///p", "https:h.example", "https://h.example\n", "https://h ample", ":"} {
		if f, err := oauth.New(oauth.Config{Redirect: callback}, bad); err == nil {
			t.Errorf("%q is %s", bad, f.Resource())
		}
	}
	text := rapid.StringMatching(`(HTTPS|https)://[a-zA-Z][a-zA-Z0-9.]{0,8}(:[0-9]{1,5})?(/[a-zA-Z0-9%/. ]{0,9})?(\?[a-z=&]{0,5})?(#[a-z]{0,3})?`)
	t.Run("any", func(t *testing.T) { // rapid takes no test that has failed
		rapid.Check(t, func(t *rapid.T) {
			f, err := oauth.New(oauth.Config{Redirect: callback}, text.Draw(t, "url"))
			if err != nil {
				return
			}
			if again, err := oauth.New(oauth.Config{Redirect: callback}, f.Resource()); err != nil || again.Resource() != f.Resource() {
				t.Fatalf("%s is %s, canonical once more: %v", f.Resource(), again.Resource(), err)
			}
		})
	})
}

// Which metadata are those of the server: of its origin, and of its path or one above it. The text of
// RFC 9728 has equality; servers that say the origin alone are many.
//
// rows: AUTH-060 AUTH-061 AUTH-021
// revisions: all 2026-07-28
func TestResourcePairs(t *testing.T) {
	const no, above, same = 0, 1, 2 // refused, taken without StrictResource, taken
	for _, c := range []struct {
		server, resource string
		want             int
	}{
		{"https://h.example/a/b", "https://h.example/a/b", same},
		{"https://h.example/a/b", "https://h.example/a/b/", same},
		{"https://h.example/a/b/", "https://h.example/a/b", same},
		{"https://h.example", "https://h.example", same},
		{"https://h.example", "https://h.example/", same},
		{"https://h.example/", "https://h.example", same},
		{"https://h.example/a/b", "HTTPS://H.Example/a/b", same},
		{"https://h.example/a/b", "https://h.example:443/a/b", same},
		{"https://h.example/a?t=1", "https://h.example/a?t=1", same},
		{"https://h.example/a%2Fb", "https://h.example/a%2Fb", same},
		{"https://h.example/a/b", "https://h.example/a", above},
		{"https://h.example/a/b", "https://h.example/a/", above},
		{"https://h.example/a/b", "https://h.example", above},
		{"https://h.example/a/b", "https://h.example/", above},
		{"https://h.example/a?t=1", "https://h.example/a", above},
		{"https://h.example/a/b?t=1", "https://h.example/a?t=1", above},
		{"https://h.example:8443/a", "https://h.example:8443", above},
		{"https://h.example/a/b", "https://h.example/a/b/c", no},
		{"https://h.example/a/b", "https://h.example/a/c", no},
		{"https://h.example/a/b", "https://h.example/b", no},
		{"https://h.example/a/bc", "https://h.example/a/b", no},
		{"https://h.example/abc", "https://h.example/a", no},
		{"https://h.example/a/b", "https://h.example/A/b", no},
		{"https://h.example/a/b", "https://h.example//a/b", no},
		{"https://h.example/a%2Fb", "https://h.example/a", no},
		{"https://h.example/a%2Fb", "https://h.example/a/b", no},
		{"https://h.example/a", "https://h.example/a?t=1", no},
		{"https://h.example/a?t=1", "https://h.example/a?t=2", no},
		{"https://h.example", "https://h.example/a", no},
		{"https://h.example/a", "https://other.example/a", no},
		{"https://h.example/a", "https://h.example.evil.example/a", no},
		{"https://h.example/a", "https://sub.h.example/a", no},
		{"https://sub.h.example/a", "https://h.example/a", no},
		{"https://h.example/a", "http://h.example/a", no},
		{"https://h.example/a", "https://h.example:8443/a", no},
		{"https://h.example:8443/a", "https://h.example/a", no},
		{"https://h.example/a", "https://u@h.example/a", no},
		{"https://h.example/a", "https://h.example/a#f", no},
		{"https://h.example/a", "https://h.example/a#", no},
		{"https://h.example/a", "h.example/a", no},
		{"https://h.example/a", "/a", no},
		{"https://h.example/a", "urn:a", no},
		{"https://h.example/a", "https://h.example /a", no},
		{"https://h.example/a", "javascript:https://h.example/a", no},
	} {
		for _, strict := range []bool{false, true} {
			w := usual()
			x := start(t, oauth.Config{StrictResource: strict, NoLegacy: true}, c.server, w)
			u, _ := url.Parse(x.f.Resource())
			w[u.Scheme+"://"+u.Host+wellResource] = resourceOf(c.resource, "", issuer)
			x.begin()
			if taken := c.want == same || c.want == above && !strict; !taken {
				if x.reason() != oauth.ResourceMismatch || x.sent(0, "as.example") {
					t.Errorf("%s at %s, strict %v: %v, %q", c.resource, c.server, strict, x.f.Failure(), x.made(0))
				}
				continue
			}
			if x.f.Phase() != oauth.Person {
				t.Errorf("%s at %s, strict %v: %v", c.resource, c.server, strict, x.f.Failure())
				continue
			}
			// It goes on as it came, byte for byte (AUTH-022).
			page := x.query()["resource"]
			if x.agree(); !slices.Equal(page, []string{c.resource}) || !slices.Equal(form(x.last())["resource"], page) || x.f.Record().Token.Resource != c.resource {
				t.Errorf("%s at %s: %q and %q", c.resource, c.server, page, x.last().Body)
			}
		}
	}
}

// Each request for a token and each page has the resource once, whatever the authorization server says of it.
//
// rows: AUTH-017 AUTH-018 AUTH-023
// revisions: all 2026-07-28
func TestResourceParameter(t *testing.T) {
	x := start(t, oauth.Config{}, server, usual()).login()
	x.now = x.f.Record().Token.Renew
	x.step(x.f.Want(x.now, x.random(), oauth.Need{})).run()
	for _, c := range []oauth.Config{
		{Grant: oauth.ClientCredentials, Clients: []oauth.Credentials{{ID: "c", Secret: "s"}}},
		{Grant: oauth.Assertion}, {Grant: oauth.Exchange, Clients: []oauth.Credentials{{ID: "c"}}},
		{Grant: oauth.Enterprise, Clients: []oauth.Credentials{{ID: "c"}}, Provider: oauth.Provider{TokenURL: "https://idp.example/token", Client: oauth.Credentials{ID: "p"}}},
	} {
		y := start(t, c, server, usual().with("https://idp.example/token", idJAG)).begin()
		if y.f.Phase() == oauth.Asking {
			y.step(y.f.Given(y.now, y.random(), []byte("subject"))).run()
		}
		if y.f.Phase() != oauth.Ready {
			t.Errorf("%v: %v", c.Grant, y.f.Failure())
		}
		x.calls = append(x.calls, y.calls...)
	}
	forms := 0
	for _, c := range x.calls {
		if strings.HasSuffix(c.URL, "/token") {
			forms++
			if got := form(c)["resource"]; !slices.Equal(got, []string{server}) {
				t.Errorf("%s has %q: %q", c.URL, got, string(c.Body))
			}
		} else if strings.Contains(c.URL, "resource=") || strings.Contains(string(c.Body), "resource=") {
			t.Errorf("%s has a resource: %q", c.URL, string(c.Body))
		}
	}
	if forms != 7 {
		t.Errorf("%d requests for tokens, want 7: %q", forms, x.made(0))
	}
	// A server that does not want it ends the run, and is not asked without.
	refusal := oauth.Answer{Status: 400, Body: []byte(`{"error":"invalid_target"}`)}
	x = start(t, oauth.Config{}, server, usual().with(issuer+"/token", refusal)).begin().agree()
	if got := x.f.Failure(); got == nil || got.Reason != oauth.Refused || got.Code != "invalid_target" || len(x.calls) != 4 {
		t.Errorf("%v, %q", got, x.made(0))
	}
}
