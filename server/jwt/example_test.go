package jwt_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A token of an issuer passes; a changed one does not, and neither does one for another server.
func Example() {
	signing := newKey("2026-08")
	var auth *httptest.Server
	auth = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/oauth-authorization-server":
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, auth.URL, auth.URL+"/keys")
		case "/keys":
			fmt.Fprint(w, published(signing))
		}
	}))
	defer auth.Close()

	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{{URL: auth.URL}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	authenticate, err := nethttp.Verified(v, guard.Policy{Audience: []string{"https://mcp.example/mcp"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// A Handler calls it, as Options.Authenticate.
	ask := func(token string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		p, err := authenticate(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		id := p.Value.(guard.Identity)
		fmt.Println(id.Subject, id.Client, id.Audience, id.Scopes)
	}
	claims := map[string]any{
		"iss": auth.URL, "sub": "ann", "aud": "https://mcp.example/mcp", "client_id": "desk", "scope": "tools:read",
		"exp": time.Now().Add(time.Hour).Unix(),
	}
	token := signing.sign(claims)
	ask(token)
	ask(token[:len(token)-8] + "AAAAAAAA")
	claims["aud"] = "https://other.example"
	ask(signing.sign(claims))
	// Output:
	// ann desk [https://mcp.example/mcp] [tools:read]
	// nethttp: not authorized: invalid_token: no key of the issuer signed the token: jwt: no key that is known signed the token
	// nethttp: not authorized: invalid_token: the token is not for this server
}
