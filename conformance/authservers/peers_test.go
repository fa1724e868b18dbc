package authservers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/jwt"
)

// The client of go-sdk logs in with its own code at our server, and renews its token.
func TestGoSDKClient(t *testing.T) {
	everywhere(t, func(t *testing.T, n *network, as *Server) {
		logins := 0
		h, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
			PreregisteredClient: &oauthex.ClientCredentials{ClientID: ClientID},
			RedirectURL:         Redirect, RequestRefreshToken: true, Client: &http.Client{Transport: n.transport},
			AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				logins++
				q, err := url.ParseQuery(logIn(t, n, as, args.URL))
				return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, err
			},
		})
		must(t, err)
		c := mcp.NewClient(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: serverURL, HTTPClient: &http.Client{Transport: n.transport}, OAuthHandler: h, DisableStandaloneSSE: true}, nil)
		must(t, err)
		defer s.Close()
		for range 3 {
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "who"})
			must(t, err)
			if text, ok := r.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, "you are ") {
				t.Errorf("%+v", r.Content[0])
			}
			time.Sleep(as.Life - 5*time.Second)
		}
		if logins != 1 {
			t.Errorf("the person logged in %d times", logins)
		}
	})
}

// Our client logs in at a server of go-sdk, which checks tokens by its own middleware, with our Verifier
// behind it.
func TestGoSDKServer(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Revision20251125, protocol.Revision20260728} {
		t.Run(rev.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				as := start(t, n, zitadel, Options{})
				protectGoSDK(t, n, as, !rev.Handshake())
				visit(t, n, as, rev)
			})
		})
	}
}

// protectGoSDK starts a server of go-sdk with the tool of protect. It serves either era.
func protectGoSDK(t *testing.T, n *network, as *Server, stateless bool) {
	t.Helper()
	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{as.Issuer}, Client: n.client()})
	must(t, err)
	verify := func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
		id, err := v.Verify(ctx, token, r)
		if err == nil && !slices.Contains(id.Audience, as.Audience) {
			err = errors.New("the token is not for this server")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
		}
		return &auth.TokenInfo{Scopes: id.Scopes, Expiration: id.Expires, UserID: id.Subject}, nil
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "who"}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you are " + r.Extra.TokenInfo.UserID}}}, nil, nil
	})
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	mux := http.NewServeMux()
	mux.Handle(metadata, auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{Resource: serverURL, AuthorizationServers: []string{as.Issuer.URL}, ScopesSupported: as.Scopes}))
	mux.Handle("/mcp", auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: "http://" + serverHost + metadata, Scopes: as.Needs})(
		mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless})))
	n.serve(t, serverHost, mux)
}
