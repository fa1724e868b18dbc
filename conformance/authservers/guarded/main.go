// The guarded command is a server of ours over HTTP that requires access tokens, with an authorization server
// at its own port: the naive one of package conformance/authz, or one of package authservers:
//
//	guarded [-life 3s] naive|dex|zitadel|opaque ADDR
//
// All requests need the scopes of the authorization server, the tool sum one scope more. Below /test a
// program triggers the acts of people and operators:
//
//	POST /test/login   a person opens the page in the body; the answer is the url that the browser is redirected to
//	POST /test/forget  the authorization server revokes the refresh token in the body, of the client in the query
//	POST /test/rotate  it signs with another key from now on
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"time"

	"github.com/sansmcp/mcp/conformance/authservers"
	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/jwt"
	"github.com/sansmcp/mcp/server/nethttp"
)

func main() {
	life := flag.Duration("life", 3*time.Second, "how long an access token counts")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: guarded [-life 3s] naive|dex|zitadel|opaque ADDR")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *life); err != nil {
		fmt.Fprintln(os.Stderr, "guarded:", err)
		os.Exit(1)
	}
}

func run(kind, addr string, life time.Duration) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	beside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	resource := fmt.Sprintf("http://%v/mcp", l.Addr())
	as, verify, err := begin(kind, resource, authservers.Options{
		URL: fmt.Sprintf("http://%v", beside.Addr()), Client: http.DefaultClient, Life: life,
	})
	if err != nil {
		return err
	}
	go func() { _ = (&http.Server{Handler: as, ReadHeaderTimeout: time.Minute}).Serve(beside) }() // until the process ends
	authenticate, err := nethttp.Verified(verify, guard.Policy{
		Audience: []string{as.Audience, authservers.OtherClient}, Leeway: lifecycle.NoTimeout, Base: as.Base,
		Tool: func(name string, _ jsonrpc.Raw) []string {
			if name == "sum" {
				return as.Needs
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
		Metadata:     &nethttp.ResourceMetadata{Resource: resource, AuthorizationServers: []string{as.Issuer.URL}, Scopes: as.Scopes},
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	// With a stream outside of calls a client of the TypeScript SDK renews its token twice at once.
	mux.HandleFunc("GET /mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) })
	mux.HandleFunc("POST /test/{act}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			body, err = act(as, r, string(body))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_, _ = w.Write(body)
	})
	fmt.Printf("listening on %s\n", resource)
	return h.ServeOn(context.Background(), &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}, l, time.Second)
}

// begin returns the authorization server, and the verifier of its tokens.
func begin(kind, resource string, o authservers.Options) (as *authservers.Server, v nethttp.Verifier, err error) {
	switch kind {
	case "naive":
		as, v = naive(resource, o)
		return as, v, nil
	case "dex":
		as, err = authservers.Dex(context.Background(), o)
	case "zitadel", "opaque":
		o.Opaque = kind == "opaque"
		as = authservers.Zitadel(o)
		as.Scopes, as.Base = []string{"openid"}, []string{"openid"} // a client learns of the others when it needs them
	default:
		err = errors.New(kind + " is none of naive, dex, zitadel and opaque")
	}
	if err != nil {
		return nil, nil, err
	}
	v, err = jwt.New(jwt.Config{Issuers: []jwt.Issuer{as.Issuer}, Leeway: lifecycle.NoTimeout})
	return as, v, err
}

// act does the act of a person or an operator.
func act(as *authservers.Server, r *http.Request, with string) (answer []byte, err error) {
	switch what := r.PathValue("act"); what {
	case "login":
		jar, err := cookiejar.New(nil)
		if err != nil {
			return nil, err
		}
		browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		query, err := as.Person.Login(browser, with, authservers.Redirect)
		return []byte(authservers.Redirect + "?" + query), err
	case "forget":
		return nil, as.Forget(r.URL.Query().Get("client"), with)
	case "rotate":
		return nil, as.Rotate()
	default:
		return nil, errors.New("nobody knows how to " + what)
	}
}

// naive returns the naive authorization server, which registers clients and whose person agrees at once.
func naive(resource string, o authservers.Options) (*authservers.Server, nethttp.Verifier) {
	issuer := o.URL + "/as"
	h := &authz.Handler{Now: time.Now, World: &authz.World{
		Resources: []*authz.Resource{{URL: resource, Issuers: []string{issuer}, Scopes: []string{"tools", "sums"}}},
		Issuers:   []*authz.Issuer{{ID: issuer, Forms: authz.OAuth, DCR: true, Methods: []string{"none"}, Scopes: []string{"tools", "sums"}, Life: o.Life}},
	}}
	none := func() error { return errors.New("it has no keys") }
	return &authservers.Server{
		Handler: h, Issuer: jwt.Issuer{URL: issuer}, Scopes: []string{"tools"}, Base: []string{"tools"}, Needs: []string{"sums"}, Audience: resource, Life: o.Life,
		Rotate: none, Forget: func(_, refresh string) error {
			h.Lock()
			defer h.Unlock()
			for _, t := range h.World.Issued {
				if t.Kind == "refresh" && t.Value == refresh {
					t.Dead = true
				}
			}
			return nil
		},
	}, verifier{h}
}

// verifier asks the naive authorization server.
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
