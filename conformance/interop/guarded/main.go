// The guarded command is a server of ours over HTTP that wants access tokens, with an authorization server of
// package conformance/authz beside it that asks nobody:
//
//	guarded ADDR
//
// Tokens live for two seconds. All requests need the scope "tools", the tool sum "sums" as well.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: guarded ADDR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "guarded:", err)
		os.Exit(1)
	}
}

// life is how long a token counts.
const life = 2 * time.Second

func run(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	base := fmt.Sprintf("http://%v", l.Addr())
	resource, issuer := base+"/mcp", base+"/as"
	issued := &authz.Handler{Now: time.Now, World: &authz.World{
		Resources: []*authz.Resource{{URL: resource, Issuers: []string{issuer}, Scopes: []string{"tools", "sums"}}},
		Issuers:   []*authz.Issuer{{ID: issuer, Forms: authz.OAuth, DCR: true, Methods: []string{"none"}, Scopes: []string{"tools", "sums"}, Life: life}},
	}}
	authenticate, err := nethttp.Verified(verifier{issued}, guard.Policy{
		Audience: []string{resource}, Leeway: lifecycle.NoTimeout, Base: []string{"tools"},
		Tool: func(name string, _ jsonrpc.Raw) []string {
			if name == "sum" {
				return []string{"sums"}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	a, err := app.New()
	if err != nil {
		return err
	}
	h, err := nethttp.NewHandler(app.Config("guarded"), a.Handlers(), nethttp.Options{
		Authenticate: authenticate,
		Metadata:     &nethttp.ResourceMetadata{Resource: resource, AuthorizationServers: []string{issuer}, Scopes: []string{"tools"}},
	})
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", resource)
	return h.ServeOn(context.Background(), &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/as") || strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server") {
			issued.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})}, l, time.Second)
}

// verifier asks the authorization server beside it.
type verifier struct{ issued *authz.Handler }

// Verify implements nethttp.Verifier.
func (v verifier) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	v.issued.Lock()
	defer v.issued.Unlock()
	for _, t := range v.issued.World.Issued {
		if t.Kind == "access" && t.Value == token && !t.Dead {
			return guard.Identity{Issuer: t.Issuer, Subject: "person", Client: t.Client, Audience: []string{t.Resource}, Scopes: t.Scope, Expires: t.Expires}, nil
		}
	}
	return guard.Identity{}, errors.New("nobody issued the token")
}
