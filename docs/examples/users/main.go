// Command users is a server over HTTP that identifies its users by their tokens. Each user has
// tools of their own and sees nothing of the others:
//
//	go run ./docs/examples/users 127.0.0.1:8080
//	go run ./docs/examples/client -token of-ada http://127.0.0.1:8080/mcp
package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/typed"
)

// tokens are for the example. A real server asks who has issued them.
var tokens = map[string]string{"ada": "of-ada", "ben": "of-ben"}

// authenticate says who a request comes from. Its error is answered 401 or 403.
func authenticate(r *http.Request) (nethttp.Principal, error) {
	token, ok := headers.Bearer(r.Header.Get("Authorization"))
	if !ok {
		return nethttp.Principal{}, &nethttp.AuthError{} // no token: the challenge says only that one is needed
	}
	sum := sha256.Sum256([]byte(token))
	for user, t := range tokens {
		if want := sha256.Sum256([]byte(t)); subtle.ConstantTimeCompare(sum[:], want[:]) == 1 {
			return nethttp.Principal{ID: user}, nil
		}
	}
	return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
}

// whoami runs for the user whose request it is.
func whoami(ctx context.Context, _ server.Caller, _ struct{}) (string, error) {
	p, _ := nethttp.PrincipalFrom(ctx)
	return "You are " + p.ID + ".", nil
}

func shutdown(context.Context, server.Caller, struct{}) (string, error) {
	return "It shuts down.", nil
}

// group returns a group of tools, each of which has five seconds.
func group(name string, add func(*server.Handlers)) (*registry.Group, error) {
	h := new(server.Handlers)
	add(h)
	return registry.NewGroup(registry.Definition{Name: name, Handlers: h, Timeout: 5 * time.Second})
}

// groups returns the groups of all users and those of each.
func groups() (registry.Scopes, error) {
	common, err := group("common", func(h *server.Handlers) {
		typed.Tool(h, protocol.Tool{Name: "whoami", Description: "Says who you are."}, whoami)
	})
	if err != nil {
		return registry.Scopes{}, err
	}
	admin, err := group("admin", func(h *server.Handlers) {
		typed.Tool(h, protocol.Tool{Name: "shutdown", Description: "Shuts the machine down."}, shutdown)
	})
	if err != nil {
		return registry.Scopes{}, err
	}
	everybody, err := registry.FromGroups(common)
	if err != nil {
		return registry.Scopes{}, err
	}
	admins, err := registry.FromGroups(admin)
	if err != nil {
		return registry.Scopes{}, err
	}
	return registry.NewScopes(everybody).Put("ada", admins)
}

func newHandler() (*nethttp.Handler, error) {
	scopes, err := groups()
	if err != nil {
		return nil, err
	}
	common := scopes.View("")
	cfg := common.Config(server.Config{Info: protocol.Implementation{Name: "users", Version: "1.0.0"}})
	return nethttp.NewHandler(cfg, common.Handlers(), nethttp.Options{
		Authenticate: authenticate,
		Companion: func(p server.Peer) server.Companion {
			return registry.Follow(func() *registry.View { return scopes.View(p.Principal) })
		},
	})
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: users ADDRESS")
	}
	h, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	log.Fatal((&http.Server{Addr: os.Args[1], Handler: mux, ReadHeaderTimeout: 10 * time.Second}).ListenAndServe())
}
