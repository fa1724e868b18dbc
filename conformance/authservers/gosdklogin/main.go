// The gosdklogin command logs in at a server that requires access tokens, such as guarded, with the client of go-sdk and
// its own OAuth code. It prints a line for each check:
//
//	gosdklogin [-scopes] URL
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/sansmcp/mcp/conformance/authservers"
)

func main() {
	scopes := flag.Bool("scopes", false, "tokens have scopes at the authorization server")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
	defer cancel()
	if err := run(ctx, flag.Arg(0), *scopes); err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1) //nolint:gocritic // nothing is left to do
	}
}

// pages counts the logins of a person.
type pages struct {
	server string
	count  int
}

// open lets a person go through the pages of a login.
func (p *pages) open(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	p.count++
	at, err := url.Parse(p.server)
	if err != nil {
		return nil, err
	}
	a, err := http.Post(at.ResolveReference(&url.URL{Path: "/test/login"}).String(), "text/plain", strings.NewReader(args.URL))
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Body.Close() }()
	back, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("login: %d %s: %w", a.StatusCode, back, err)
	}
	u, err := url.Parse(string(back))
	if err != nil {
		return nil, err
	}
	q := u.Query()
	return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
}

func run(ctx context.Context, server string, scopes bool) error {
	p := &pages{server: server}
	h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: authservers.ClientID},
		RedirectURL:         authservers.Redirect, RequestRefreshToken: true, AuthorizationCodeFetcher: p.open,
	})
	if err != nil {
		return err
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "interop-gosdk-login", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server, OAuthHandler: h, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	call := func(want string, pages int, name string, args map[string]any) error {
		r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			return err
		}
		text, _ := r.Content[0].(*mcp.TextContent)
		switch {
		case text == nil || !strings.Contains(text.Text, want):
			return fmt.Errorf("%s: %+v", name, r.Content[0])
		case p.count != pages:
			return fmt.Errorf("%d pages, want %d", p.count, pages)
		}
		return nil
	}
	checks := []struct {
		name string
		do   func() error
	}{
		{"a login and a call", func() error { return call("hello", 1, "echo", map[string]any{"text": "hello"}) }},
		{"a token that has expired is renewed, and nobody is asked", func() error {
			time.Sleep(3500 * time.Millisecond)
			return call("again", 1, "echo", map[string]any{"text": "again"})
		}},
		{"a tool that needs more scopes leads to a page, and is called then", func() error {
			return call("3", 2, "sum", map[string]any{"a": 1, "b": 2})
		}},
	}
	if !scopes {
		checks = checks[:2]
	}
	var errs []error
	for _, x := range checks {
		if err := x.do(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", x.name, err))
			continue
		}
		fmt.Println("ok  ", x.name)
	}
	return errors.Join(errs...)
}
