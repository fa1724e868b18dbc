package transports_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The metadata of the protected resource is at the place of RFC 9728, with and without the
// path of the resource, for every client. It names an authorization server: without one
// NewHandler fails.
//
// rows: AUTH-008 AUTH-012
func TestMetadata(t *testing.T) {
	refuse := func(*http.Request) (nethttp.Principal, error) { return nethttp.Principal{}, &nethttp.AuthError{} }
	for _, r := range protocol.AllRevisions() {
		s := open(t, r, nethttp.Options{Authenticate: refuse, Metadata: &nethttp.ResourceMetadata{
			Resource: "https://api.example/mcp", AuthorizationServers: []string{"https://login.example"},
		}})
		for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"} {
			a := s.ask("GET", path, "")
			var m struct {
				Resource string   `json:"resource"`
				Servers  []string `json:"authorization_servers"`
			}
			if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != http.StatusOK || m.Resource != "https://api.example/mcp" || !slices.Equal(m.Servers, []string{"https://login.example"}) {
				t.Errorf("%v, %s: %+v, %v", r, path, a, err)
			}
		}
	}
	for _, none := range [][]string{nil, {}} {
		if _, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "site", Version: "1"}}, new(server.Handlers), nethttp.Options{
			Metadata: &nethttp.ResourceMetadata{Resource: "https://api.example/mcp", AuthorizationServers: none},
		}); err == nil {
			t.Errorf("metadata with the servers %#v are taken", none)
		}
	}
}

// A fault of a request's authorization shows in the status and in the challenge,
// as in RFC 6750, with the required scopes.
//
// rows: AUTH-013 AUTH-030 AUTH-031 AUTH-035 AUTH-103
func TestChallenges(t *testing.T) {
	for _, r := range protocol.AllRevisions() {
		var fault error
		s := open(t, r, nethttp.Options{
			Authenticate: func(*http.Request) (nethttp.Principal, error) { return nethttp.Principal{}, fault },
			Metadata:     &nethttp.ResourceMetadata{Resource: "https://api.example/mcp", AuthorizationServers: []string{"https://login.example"}},
		})
		for _, c := range []struct {
			fault  error
			status int
			want   headers.Challenge
		}{
			{&nethttp.AuthError{}, 401, headers.Challenge{}},
			{errors.New("secret reasons"), 401, headers.Challenge{Error: "invalid_token"}},
			{&nethttp.AuthError{Code: "invalid_token", Description: "it has expired"}, 401, headers.Challenge{Error: "invalid_token", ErrorDescription: "it has expired"}},
			{&nethttp.AuthError{Status: 403, Code: "insufficient_scope", Scope: "tools write"}, 403, headers.Challenge{Error: "insufficient_scope", Scope: "tools write"}},
			{&nethttp.AuthError{Code: "insufficient_scope", Scope: "tools"}, 403, headers.Challenge{Error: "insufficient_scope", Scope: "tools"}},
			{&nethttp.AuthError{Code: "invalid_request"}, 400, headers.Challenge{Error: "invalid_request"}},
		} {
			fault = c.fault
			a := s.ask("POST", "/mcp", ping, "Authorization", "Bearer t")
			got, ok := headers.ParseChallenge(a.header.Values("WWW-Authenticate"))
			c.want.ResourceMetadata = "https://api.example/.well-known/oauth-protected-resource/mcp"
			if a.status != c.status || !ok || got != c.want {
				t.Errorf("%v, %v: %+v, %+v", r, c.fault, a, got)
			}
		}
	}
}
