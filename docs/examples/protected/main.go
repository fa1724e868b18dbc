// Command protected is a server over HTTP that requires access tokens, and another scope for
// changes:
//
//	go run ./docs/examples/protected 127.0.0.1:8080
//	go run ./docs/examples/client -token writer http://127.0.0.1:8080/mcp
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/typed"
)

// issuer is the authorization server whose tokens count.
const issuer = "https://login.example"

// demo verifies tokens that say nothing by themselves. A real server verifies a signature, as
// server/jwt does, or asks who issued them.
type demo map[string]guard.Identity

// Verify implements nethttp.Verifier. What it returns is checked by the guard.Policy.
func (d demo) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	id, ok := d[token]
	if !ok {
		return guard.Identity{}, errors.New("nobody issued the token")
	}
	id.Issuer, id.Expires = issuer, time.Now().Add(time.Hour)
	return id, nil
}

func tokens(resource string) demo {
	return demo{
		"reader": {Subject: "ada", Audience: []string{resource}, Scopes: []string{"notes"}},
		"writer": {Subject: "ada", Audience: []string{resource}, Scopes: []string{"notes", "notes:write"}},
		"other":  {Subject: "ada", Audience: []string{"https://other.example"}, Scopes: []string{"notes"}},
	}
}

// notes has the notes of the tools.
type notes struct {
	mu   sync.Mutex
	list []string
}

type note struct {
	Text string `json:"text"`
}

func (n *notes) add(ctx context.Context, _ server.Caller, in note) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, _ := nethttp.PrincipalFrom(ctx)
	n.list = append(n.list, in.Text+" ("+p.Value.(guard.Identity).Subject+")")
	return "It is noted.", nil
}

func (n *notes) read(context.Context, server.Caller, struct{}) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.list, "\n"), nil
}

// groups are the tools that read and those that write.
func (n *notes) groups() (*registry.View, error) {
	var reads, writes server.Handlers
	typed.Tool(&reads, protocol.Tool{Name: "notes", Description: "Returns all notes."}, n.read)
	typed.Tool(&writes, protocol.Tool{Name: "add", Description: "Adds a note."}, n.add)
	reading, err := registry.NewGroup(registry.Definition{Name: "reading", Handlers: &reads})
	if err != nil {
		return nil, err
	}
	writing, err := registry.NewGroup(registry.Definition{Name: "writing", Handlers: &writes})
	if err != nil {
		return nil, err
	}
	r, err := registry.FromGroups(reading, writing)
	return r.View(), err
}

func newHandler(addr string) (*nethttp.Handler, error) {
	view, err := new(notes).groups()
	if err != nil {
		return nil, err
	}
	needs := map[string][]string{"writing": {"notes:write"}}
	resource := "http://" + addr + "/mcp"
	authenticate, err := nethttp.Verified(tokens(resource), guard.Policy{
		Audience: []string{resource},
		Base:     []string{"notes"},
		Tool: func(name string, _ jsonrpc.Raw) []string {
			return needs[view.Owner(protocol.MethodToolsCall, name)]
		},
		Implies: map[string][]string{"admin": {"notes", "notes:write"}},
	})
	if err != nil {
		return nil, err
	}
	cfg := view.Config(server.Config{Info: protocol.Implementation{Name: "protected", Version: "1.0.0"}})
	return nethttp.NewHandler(cfg, view.Handlers(), nethttp.Options{
		Authenticate: authenticate,
		Metadata: &nethttp.ResourceMetadata{
			Resource: resource, AuthorizationServers: []string{issuer}, Scopes: []string{"notes", "notes:write"},
		},
	})
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: protected ADDRESS")
	}
	h, err := newHandler(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/.well-known/", h.Metadata())
	log.Fatal((&http.Server{Addr: os.Args[1], Handler: mux, ReadHeaderTimeout: 10 * time.Second}).ListenAndServe())
}
