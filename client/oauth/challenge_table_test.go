package oauth_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// From the texts of WWW-Authenticate to the first Call of a Flow and the scopes that it asks for.
//
// rows: AUTH-014 AUTH-009 AUTH-107 AUTH-109
// revisions: all 2026-07-28
func TestChallenges(t *testing.T) {
	const meta = "https://mcp.example/m"
	quoted := `resource_metadata="` + meta + `"`
	for _, c := range []struct {
		name   string
		values []string
		at     string // the first Call
		scope  string
	}{
		{"no header", nil, resourceAt, ""},
		{"empty", []string{""}, resourceAt, ""},
		{"commas", []string{",, ,"}, resourceAt, ""},
		{"Bearer alone", []string{"Bearer"}, resourceAt, ""},
		{"Basic alone", []string{`Basic realm="x"`}, resourceAt, ""},
		{"Negotiate", []string{"Negotiate YWJj=="}, resourceAt, ""},
		{"DPoP alone", []string{`DPoP algs="ES256", ` + quoted}, meta, ""},
		{"only a realm", []string{`Bearer realm="mcp"`}, resourceAt, ""},
		{"metadata", []string{"Bearer " + quoted}, meta, ""},
		{"scheme in lower case", []string{"bearer " + quoted}, meta, ""},
		{"scheme in upper case", []string{"BEARER " + quoted}, meta, ""},
		{"name in another case", []string{`Bearer Resource_Metadata="` + meta + `"`}, meta, ""},
		{"no quotes", []string{"Bearer resource_metadata=" + meta}, meta, ""},
		{"blanks", []string{"  Bearer\t resource_metadata = \"" + meta + "\"  ,"}, meta, ""},
		{"first of all", []string{"Bearer " + quoted + `, scope="a b"`}, meta, "a b"},
		{"last of all", []string{`Bearer realm="r", error="invalid_token", scope="a b", ` + quoted}, meta, "a b"},
		{"in the middle", []string{`Bearer error="invalid_token", ` + quoted + `, scope="a"`}, meta, "a"},
		{"commas at the end", []string{"Bearer " + quoted + ", ,"}, meta, ""},
		{"no comma", []string{`Bearer scope="a" ` + quoted}, resourceAt, "a"},
		{"behind Basic", []string{`Basic realm="x", Bearer ` + quoted}, meta, ""},
		{"before Basic", []string{"Bearer " + quoted + `, Basic realm="x"`}, meta, ""},
		{"behind a token", []string{"Negotiate YWJj==, Bearer " + quoted}, meta, ""},
		{"behind DPoP", []string{`DPoP algs="ES256 RS256", Bearer ` + quoted}, meta, ""},
		{"before DPoP", []string{"Bearer " + quoted + `, DPoP algs="ES256"`}, meta, ""},
		{"Digest between", []string{`Digest qop="auth,auth-int", nonce="x", Bearer ` + quoted}, meta, ""},
		{"second header", []string{`Basic realm="x"`, "Bearer " + quoted}, meta, ""},
		{"third header", []string{"", "Negotiate", "Bearer " + quoted}, meta, ""},
		{"two, the first without", []string{`Bearer realm="r", scope="a", Bearer ` + quoted + `, scope="b"`}, meta, "b"},
		{"two, both with", []string{"Bearer " + quoted + `, scope="a"`, `Bearer resource_metadata="https://mcp.example/n", scope="b"`}, meta, "a"},
		{"of another scheme", []string{`Basic realm="x", ` + quoted + `, Bearer scope="a"`}, resourceAt, "a"},
		{"within a quoted text", []string{`Basic realm="Bearer resource_metadata=` + meta + `"`}, resourceAt, ""},
		{"twice", []string{"Bearer " + quoted + `, resource_metadata="https://mcp.example/n"`}, meta, ""},
		{"escaped", []string{`Bearer resource_metadata="https://mcp\.example\/m"`}, meta, ""},
		{"no end", []string{`Bearer resource_metadata="` + meta}, meta, ""},
		{"an empty value", []string{`Bearer resource_metadata="", scope=""`}, resourceAt, ""},
		{"a similar name", []string{`Bearer resource_metadata_url="` + meta + `"`}, resourceAt, ""},
		{"single quotes", []string{`Bearer resource_metadata='` + meta + `'`}, resourceAt, ""},
		{"relative", []string{`Bearer resource_metadata="/m"`}, resourceAt, ""},
		{"another origin", []string{`Bearer resource_metadata="https://other.example/m"`}, resourceAt, ""},
		{"another port", []string{`Bearer resource_metadata="https://mcp.example:8443/m"`}, resourceAt, ""},
		{"http behind a proxy", []string{`Bearer resource_metadata="http://mcp.example/m"`}, resourceAt, ""},
		{"a user", []string{`Bearer resource_metadata="https://u:p@mcp.example/m"`}, resourceAt, ""},
		{"a fragment", []string{`Bearer resource_metadata="https://mcp.example/m#f"`}, resourceAt, ""},
		{"javascript", []string{`Bearer resource_metadata="javascript:alert(1)"`}, resourceAt, ""},
		{"private", []string{`Bearer resource_metadata="https://169.254.169.254/m"`}, resourceAt, ""},
		{"a control byte", []string{"Bearer resource_metadata=\"https://mcp.example/\x01\""}, resourceAt, ""},
		{"a blank", []string{`Bearer resource_metadata="https://mcp.example/a b"`}, resourceAt, ""},
		{"with a query", []string{`Bearer resource_metadata="` + meta + `?a=1&b=2"`}, meta + "?a=1&b=2", ""},
		{"with commas", []string{`Bearer resource_metadata="` + meta + `?a=1,2", scope="a"`}, meta + "?a=1,2", "a"},
		{"with an equals sign at the end", []string{"Bearer resource_metadata=" + meta + "?x="}, meta + "?x=", ""},
		{"host in upper case", []string{`Bearer resource_metadata="https://MCP.example/m"`}, "https://MCP.example/m", ""},
		{"default port", []string{`Bearer resource_metadata="https://mcp.example:443/m"`}, "https://mcp.example:443/m", ""},
		{"too long", []string{`Bearer resource_metadata="` + meta + strings.Repeat("x", 4096) + `", scope="a"`}, resourceAt, "a"},
		{"behind much", []string{`Basic x="` + strings.Repeat("x", 32<<10) + `"`, "Bearer " + quoted}, meta, ""},
		{"scopes without quotes", []string{"Bearer scope=a, " + quoted}, meta, "a"},
		{"scopes apart", []string{`Bearer scope="  a   b a "`}, resourceAt, "a b"},
		{"scopes with commas", []string{`Bearer scope="a,b"`}, resourceAt, "a,b"},
		{"scopes that are urls", []string{`Bearer scope="https://x.example/read api://y/.default"`}, resourceAt, "https://x.example/read api://y/.default"},
		{"scopes that are none", []string{`Bearer scope="a \"b\" é c"`}, resourceAt, "a c"},
		{"a long scope", []string{`Bearer scope="a ` + strings.Repeat("x", 257) + `"`}, resourceAt, "a"},
		{"an error alone", []string{`Bearer error="invalid_token", error_description="expired"`}, resourceAt, ""},
		{"a resource alone", []string{`Bearer resource="https://evil.example"`}, resourceAt, ""},
		{"an issuer alone", []string{`Bearer authorization_uri="https://evil.example/authorize"`}, resourceAt, ""},
	} {
		challenge, _ := headers.ParseChallenge(c.values)
		w := usual()
		w = w.with(c.at, w[resourceAt])
		x := start(t, oauth.Config{}, server, w).refuse(401, challenge)
		if got := x.f.Call(); got.Method != headers.MethodGet || got.URL != c.at || got.Body != "" || got.MaxBytes != 256<<10 {
			t.Errorf("%s: %s %s, want %s", c.name, got.Method, got.URL, c.at)
		}
		if x.run(); x.f.Phase() != oauth.Person || x.query().Get("scope") != c.scope {
			t.Errorf("%s: %v, scope %q, want %q", c.name, x.f.Failure(), x.query().Get("scope"), c.scope)
		}
	}
}
