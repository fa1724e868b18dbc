package oauth_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

const wellResource, wellServer, wellOpenID = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"

// Where the metadata of a server are asked for, if nobody has any: what the challenge says, if it is of the server's
// own origin and may be asked at all, then the path form, then the root.
//
// rows: AUTH-009 AUTH-104 AUTH-107
// revisions: all 2026-07-28
func TestResourcePlaces(t *testing.T) {
	for _, c := range []struct {
		server, hint string
		want         []string
	}{
		{"https://h.example", "", []string{"https://h.example" + wellResource}},
		{"https://h.example/", "", []string{"https://h.example" + wellResource}},
		{"https://h.example/p", "", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p/", "", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example:8443/a/b/c", "", []string{"https://h.example:8443" + wellResource + "/a/b/c", "https://h.example:8443" + wellResource}},
		{"HTTPS://H.Example:443/P", "", []string{"https://h.example" + wellResource + "/P", "https://h.example" + wellResource}},
		{"https://h.example/a%2Fb", "", []string{"https://h.example" + wellResource + "/a%2Fb", "https://h.example" + wellResource}},
		{"https://h.example/p?t=1", "", []string{"https://h.example" + wellResource + "/p?t=1", "https://h.example" + wellResource}},
		{"http://[::1]:8/p", "", []string{"http://[::1]:8" + wellResource + "/p", "http://[::1]:8" + wellResource}},
		{"https://h.example/p", "https://h.example/meta", []string{"https://h.example/meta", "https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://H.example:443/meta?x=1", []string{"https://H.example:443/meta?x=1", "https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://h.example" + wellResource, []string{"https://h.example" + wellResource, "https://h.example" + wellResource + "/p"}},
		{"https://h.example/p", "https://h.example" + wellResource + "/p", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "http://h.example/meta", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://other.example/meta", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://h.example:8443/meta", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "javascript:alert(1)", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "/meta", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://u:p@h.example/meta", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
		{"https://h.example/p", "https://h.example/meta#f", []string{"https://h.example" + wellResource + "/p", "https://h.example" + wellResource}},
	} {
		t.Run(c.server+" "+c.hint, func(t *testing.T) {
			x := start(t, oauth.Config{NoLegacy: true}, c.server, nil)
			x.refuse(401, headers.Challenge{ResourceMetadata: c.hint}).run()
			got := x.made(0)
			for i, at := range got {
				got[i] = strings.TrimPrefix(at, "GET ")
			}
			if !slices.Equal(got, c.want) || x.reason() != oauth.NoMetadata || !strings.HasPrefix(c.want[0], x.f.Failure().URL) || x.f.Failure().URL == "" {
				t.Errorf("%v\ngot  %q\nwant %q", x.f.Failure(), got, c.want)
			}
		})
	}
}

// Which answer of a place leads to the next one: any but good metadata, and an error of the server only after the
// request was made again.
//
// rows: AUTH-009 AUTH-104 AUTH-107 AUTH-012
// revisions: all 2026-07-28
func TestResourceAnswers(t *testing.T) {
	good := resourceOf(server, "", issuer)
	status := func(n int) oauth.Answer { return oauth.Answer{Status: n, Body: []byte(good)} }
	many := strings.Repeat(`"https://no.example:1/x",`, 64)
	for _, c := range []struct {
		name   string
		first  any
		want   int // how often the first place is asked
		next   bool
		reason oauth.Reason
	}{
		{"good", good, 1, false, 0},
		{"400", status(400), 1, true, 0},
		{"401", status(401), 1, true, 0},
		{"404", status(404), 1, true, 0},
		{"500", status(500), 4, false, oauth.Unreachable},
		{"503", status(503), 4, false, oauth.Unreachable},
		{"429", status(429), 4, false, oauth.Unreachable},
		{"no status", status(0), 4, false, oauth.Unreachable},
		{"304 without Location", status(304), 1, true, 0},
		{"empty", "", 1, true, 0},
		{"html", "<html></html>", 1, true, 0},
		{"an array", "[" + good + "]", 1, true, 0},
		{"half", good[:len(good)-1], 1, true, 0},
		{"twice", good + good, 1, true, 0},
		{"without resource", `{"authorization_servers":["` + issuer + `"]}`, 1, true, 0},
		{"resource of another type", `{"resource":["` + server + `"],"authorization_servers":["` + issuer + `"]}`, 1, true, 0},
		{"without issuers", `{"resource":"` + server + `"}`, 1, true, 0},
		{"with no issuers", `{"resource":"` + server + `","authorization_servers":[]}`, 1, true, 0},
		{"issuers of another type", `{"resource":"` + server + `","authorization_servers":"` + issuer + `"}`, 1, true, 0},
		{"issuers that are none", `{"resource":"` + server + `","authorization_servers":[1,null,{}]}`, 1, true, 0},
		{"65 issuers, the good one last", `{"resource":"` + server + `","authorization_servers":[` + many + `"` + issuer + `"]}`, 1, false, oauth.NoMetadata},
		{"256 KiB", good[:len(good)-1] + `,"x":"` + strings.Repeat("x", 256<<10-len(good)-7) + `"}`, 1, false, 0},
		{"256 KiB and a byte", good[:len(good)-1] + `,"x":"` + strings.Repeat("x", 256<<10-len(good)-6) + `"}`, 1, true, 0},
		{"deep", good[:len(good)-1] + `,"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", 1, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, oauth.Config{}, server, usual().with(resourceAt, c.first, rootAt, good)).begin()
			want := slices.Repeat([]string{"GET " + resourceAt}, c.want)
			if c.next {
				want = append(want, "GET "+rootAt)
			}
			got := x.made(0)
			if len(got) < len(want) || !slices.Equal(got[:len(want)], want) || len(got) > len(want) && strings.Contains(got[len(want)], wellResource) || x.reason() != c.reason {
				t.Errorf("%v\ngot  %q\nwant %q first", x.f.Failure(), got, want)
			}
			if c.reason == 0 && x.f.Phase() != oauth.Person {
				t.Errorf("%v", x.f.Phase())
			}
		})
	}
}

// Where the metadata of an authorization server are asked for, and that the first good document ends it.
//
// rows: AUTH-011 AUTH-015 AUTH-101
// revisions: all 2026-07-28
func TestIssuerPlaces(t *testing.T) {
	for _, c := range []struct {
		issuer string
		want   []string
	}{
		{"https://as.example", []string{"https://as.example" + wellServer, "https://as.example" + wellOpenID}},
		{"https://as.example/", []string{"https://as.example" + wellServer, "https://as.example" + wellOpenID}},
		{"https://as.example:8443", []string{"https://as.example:8443" + wellServer, "https://as.example:8443" + wellOpenID}},
		{"https://[2606:4700::1]", []string{"https://[2606:4700::1]" + wellServer, "https://[2606:4700::1]" + wellOpenID}},
		{"https://as.example/t", []string{"https://as.example" + wellServer + "/t", "https://as.example" + wellOpenID + "/t", "https://as.example/t" + wellOpenID}},
		{"https://as.example/t/", []string{"https://as.example" + wellServer + "/t", "https://as.example" + wellOpenID + "/t", "https://as.example/t" + wellOpenID}},
		{"https://as.example/a/b/c", []string{"https://as.example" + wellServer + "/a/b/c", "https://as.example" + wellOpenID + "/a/b/c", "https://as.example/a/b/c" + wellOpenID}},
		{"https://as.example/a%2Fb", []string{"https://as.example" + wellServer + "/a%2Fb", "https://as.example" + wellOpenID + "/a%2Fb", "https://as.example/a%2Fb" + wellOpenID}},
		{"https://as.example/caf%C3%A9", []string{"https://as.example" + wellServer + "/caf%C3%A9", "https://as.example" + wellOpenID + "/caf%C3%A9", "https://as.example/caf%C3%A9" + wellOpenID}},
	} {
		for good := range len(c.want) + 1 {
			t.Run(fmt.Sprint(c.issuer, good), func(t *testing.T) {
				w := web{resourceAt: resourceOf(server, "", c.issuer)}
				for _, at := range c.want[good:] {
					w[at] = issuerOf(c.issuer, "")
				}
				x := start(t, oauth.Config{Clients: []oauth.Credentials{{ID: "c"}}}, server, w).begin()
				want := []string{"GET " + resourceAt}
				for _, at := range c.want[:min(good+1, len(c.want))] {
					want = append(want, "GET "+at)
				}
				if got := x.made(0); !slices.Equal(got, want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
				if ok := x.f.Phase() == oauth.Person; ok != (good < len(c.want)) || !ok && (x.reason() != oauth.NoMetadata || x.f.Failure().Issuer != c.issuer || x.f.Failure().URL != c.want[0]) {
					t.Errorf("%v, %v", x.f.Phase(), x.f.Failure())
				}
			})
		}
	}
}

// Documents that are none lead to the next form, and none of their endpoints is used.
//
// rows: AUTH-011 AUTH-106
// revisions: all 2026-07-28
func TestIssuerAnswers(t *testing.T) {
	good := issuerOf(issuer, "")
	bad := strings.ReplaceAll(good, issuer+"/", "https://bad.example/")
	for name, first := range map[string]any{
		"404": oauth.Answer{Status: 404, Body: []byte(bad)}, "401": oauth.Answer{Status: 401, Body: []byte(bad)},
		"500": oauth.Answer{Status: 500, Body: []byte(bad)}, "no answer": oauth.Answer{},
		"empty": "", "html": "<html>", "half": bad[:len(bad)-1],
		"no issuer": strings.Replace(bad, `"issuer"`, `"issuers"`, 1), "issuer of another type": strings.Replace(bad, `"`+issuer+`"`, `1`, 1),
		"no token endpoint": strings.Replace(bad, `"token_endpoint"`, `"token"`, 1), "token endpoint of another type": strings.Replace(bad, `"https://bad.example/token"`, `{}`, 1),
		"300 KiB":     bad[:len(bad)-1] + `,"x":"` + strings.Repeat("x", 300<<10) + `"}`,
		"a long text": strings.Replace(bad, "https://bad.example/token", "https://bad.example/"+strings.Repeat("t", 8<<10), 1),
	} {
		t.Run(name, func(t *testing.T) {
			x := start(t, oauth.Config{}, server, usual().with(issuerAt, first, openIDAt, good)).begin()
			got := slices.Compact(x.made(0))
			if want := []string{"GET " + resourceAt, "GET " + issuerAt, "GET " + openIDAt, "POST " + issuer + "/register"}; !slices.Equal(got, want) {
				t.Errorf("%v\ngot  %q\nwant %q", x.f.Failure(), got, want)
			}
			if x.sent(0, "bad.example") || strings.Contains(x.f.Page().URL, "bad.example") {
				t.Error("an endpoint of the document is used")
			}
		})
	}
	for name, last := range map[string]struct {
		answer any
		want   oauth.Reason
	}{
		"no document":           {oauth.Answer{Status: 404}, oauth.NoMetadata},
		"no answer":             {oauth.Answer{Status: 502}, oauth.Unreachable},
		"no authorization page": {strings.Replace(good, "authorization_endpoint", "x", 1), oauth.NoMetadata},
		"depth 200":             {good[:len(good)-1] + `,"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", 0},
		"members twice":         {good[:len(good)-1] + `,"issuer":"` + issuer + `"}`, 0},
	} {
		if x := start(t, oauth.Config{}, server, usual().with(issuerAt, last.answer)).begin(); x.reason() != last.want || last.want == 0 && x.f.Phase() != oauth.Person {
			t.Errorf("%s: %v, %v", name, x.f.Phase(), x.f.Failure())
		}
	}
}

// Requests for metadata say the revision, and no other request does.
//
// rows: AUTH-055
func TestDiscoveryRevision(t *testing.T) {
	for _, rev := range protocol.AllRevisions() {
		x := start(t, oauth.Config{Revision: rev}, server, usual()).login()
		for _, c := range x.calls {
			i := slices.IndexFunc(c.Fields, func(f headers.Field) bool { return strings.EqualFold(f.Name, "MCP-Protocol-Version") })
			if got := i >= 0 && c.Fields[i].Value == rev.String(); got != (c.Method == http.MethodGet) || i >= 0 && c.Method != http.MethodGet {
				t.Errorf("%v: %s %s has %v", rev, c.Method, c.URL, c.Fields)
			}
		}
	}
	x := start(t, oauth.Config{}, server, nil).refuse(401, headers.Challenge{})
	if got := x.f.Call().Fields; !slices.Contains(got, headers.Field{Name: headers.Version, Value: protocol.AllRevisions()[0].String()}) {
		t.Errorf("by default %v", got)
	}
}
