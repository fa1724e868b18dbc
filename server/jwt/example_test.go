package jwt_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A token of an issuer passes, the same one changed does not.
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
	token := signing.sign(map[string]any{
		"iss": auth.URL, "sub": "ann", "aud": "https://mcp.example/mcp", "client_id": "desk", "scope": "tools:read",
		"exp": time.Now().Add(time.Hour).Unix(),
	})
	id, err := v.Verify(context.Background(), token, nil)
	fmt.Println(id.Subject, id.Client, id.Audience, id.Scopes, err)

	_, err = v.Verify(context.Background(), token[:len(token)-8]+"AAAAAAAA", nil)
	var bad *nethttp.AuthError
	if errors.As(err, &bad) {
		fmt.Println(bad.Code, bad.Description)
	}
	// Output:
	// ann desk [https://mcp.example/mcp] [tools:read] <nil>
	// invalid_token no key of the issuer signed the token
}
