package oauth_test

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A server refuses a request. The Flow finds its authorization server, registers the client, sends a
// person there, and gets the token.
func Example() {
	answers := map[string]string{
		"https://mcp.example/.well-known/oauth-protected-resource": `{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["read"]}`,
		"https://as.example/.well-known/oauth-authorization-server": `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize","token_endpoint":"https://as.example/token",
			"registration_endpoint":"https://as.example/register","code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`,
		"https://as.example/register": `{"client_id":"c1"}`,
		"https://as.example/token":    `{"access_token":"t1","token_type":"Bearer","expires_in":3600,"refresh_token":"r1"}`,
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	random := func() (r oauth.Random) {
		_, _ = rand.Read(r[:])
		return r
	}
	f, err := oauth.New(oauth.Config{Redirect: "http://127.0.0.1:3000/callback"}, "https://mcp.example/mcp")
	if err != nil {
		fmt.Println(err)
		return
	}
	challenge := headers.Challenge{ResourceMetadata: "https://mcp.example/.well-known/oauth-protected-resource"}
	f = f.Want(now, random(), oauth.Need{Status: 401, Challenge: challenge})
	for f.Phase().Running() {
		switch f.Phase() {
		case oauth.Requesting:
			c := f.Call()
			fmt.Println(c.Method, c.URL)
			f = f.Respond(now, random(), oauth.Answer{Status: 200, Body: []byte(answers[c.URL])})
		case oauth.Person:
			page, _ := url.Parse(f.Page().URL)
			fmt.Println("a person opens", page.Host+page.Path, "for", page.Query().Get("scope"))
			f = f.Returned(now, random(), "code=1&state="+f.Page().State)
		}
	}
	t, ok := f.Token(now)
	fmt.Println(f.Phase(), ok, t.Type, t.Access, t.Scope, t.Expires.Sub(now))
	// Output:
	// GET https://mcp.example/.well-known/oauth-protected-resource
	// GET https://as.example/.well-known/oauth-authorization-server
	// POST https://as.example/register
	// a person opens as.example/authorize for read
	// POST https://as.example/token
	// ready true Bearer … read 1h0m0s
}
