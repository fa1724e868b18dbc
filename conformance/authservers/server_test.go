package authservers

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

const (
	serverHost = "127.0.0.1:8080"
	serverURL  = "http://" + serverHost + "/mcp"
)

// config is the Config of a client known to the authorization server.
func config(as *Server, client string) oauth.Config {
	return oauth.Config{Redirect: Redirect, Clients: []oauth.Credentials{{Issuer: as.Issuer.URL, ID: client}}}
}

// protect starts a server with one tool, which returns its caller.
func protect(t *testing.T, n *network, as *Server) {
	t.Helper()
	v, err := jwt.New(jwt.Config{Issuers: []jwt.Issuer{as.Issuer}, Client: n.client()})
	must(t, err)
	authenticate, err := nethttp.Verified(v, guard.Policy{Audience: []string{as.Audience}, Base: as.Base, Tool: func(string, jsonrpc.Raw) []string { return as.Needs }})
	must(t, err)
	cfg := server.Config{Info: protocol.Implementation{Name: "protected", Version: "1"}, Revisions: protocol.AllRevisions()}
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "who", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		p, _ := nethttp.PrincipalFrom(ctx)
		return protocol.TextResult("you are " + p.ID), nil
	})
	served, err := nethttp.NewHandler(cfg, h, nethttp.Options{
		Stateless:    true,
		Authenticate: authenticate,
		Metadata:     &nethttp.ResourceMetadata{Resource: serverURL, AuthorizationServers: []string{as.Issuer.URL}, Scopes: as.Scopes},
	})
	must(t, err)
	t.Cleanup(served.Close)
	n.serve(t, serverHost, served)
}

const who = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// call calls the tool of the server. It returns the text of the answer, and what the server said of the token.
func call(t *testing.T, n *network, token oauth.Secret) (text string, need oauth.Need) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, serverURL, strings.NewReader(who))
	must(t, err)
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "who"} {
		r.Header.Set(k, v)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+string(token))
	}
	a, err := n.client().Do(r)
	must(t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	must(t, err)
	need = oauth.Need{Status: a.StatusCode, Used: token}
	need.Challenge, _ = headers.ParseChallenge(a.Header.Values("WWW-Authenticate"))
	return string(body), need
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
