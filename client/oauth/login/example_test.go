package login_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
)

// internet plays an MCP server and its authorization server.
type internet map[string]string

func (n internet) RoundTrip(req *http.Request) (*http.Response, error) {
	fmt.Println(req.Method, req.URL)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(n[req.URL.String()]))}, nil
}

// A program with many users: the server refuses a user's request, the user opens the page, and a handler
// of the program gets the answer.
func Example() {
	r, err := login.New(oauth.Config{Redirect: "https://program.example/callback"}, "https://mcp.example/mcp", login.Options{
		Detached: true,
		Transport: internet{
			"https://mcp.example/.well-known/oauth-protected-resource/mcp": `{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["read"]}`,
			"https://as.example/.well-known/oauth-authorization-server": `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize","token_endpoint":"https://as.example/token",
				"registration_endpoint":"https://as.example/register","code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`,
			"https://as.example/register": `{"client_id":"c1"}`,
			"https://as.example/token":    `{"access_token":"t1","token_type":"Bearer"}`,
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	ctx := context.Background()
	_, err = r.Authorize(ctx, oauth.Need{Status: 401}) // called by client/remote
	var person *login.PersonError
	if !errors.As(err, &person) {
		fmt.Println(err)
		return
	}
	page, _ := url.Parse(person.Page.URL)
	fmt.Println(err, "for", page.Query().Get("scope"))
	fmt.Println(r.Returned(ctx, "code=1&state="+person.Page.State))
	t, err := r.Authorize(ctx, oauth.Need{})
	fmt.Println(t.Type, t.Access, err)
	// Output:
	// GET https://mcp.example/.well-known/oauth-protected-resource/mcp
	// GET https://as.example/.well-known/oauth-authorization-server
	// POST https://as.example/register
	// login: a person has to log in at https://as.example/authorize for read
	// POST https://as.example/token
	// <nil>
	// Bearer … <nil>
}
