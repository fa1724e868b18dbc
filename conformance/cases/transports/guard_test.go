package transports_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/guard"
	"github.com/sansmcp/mcp/server/nethttp"
)

// issued are tokens and their identities.
type issued map[string]guard.Identity

func (i issued) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	id, ok := i[token]
	if !ok {
		return id, errors.New("nobody issued it")
	}
	return id, nil
}

const resource = "https://api.example/mcp"

// token is an Identity with scopes, which an edit may make invalid.
func token(scopes string, edit ...func(*guard.Identity)) guard.Identity {
	id := guard.Identity{Issuer: "https://login.example", Subject: "ada", Audience: []string{resource}, Scopes: strings.Fields(scopes), Expires: time.Now().Add(time.Hour)}
	for _, e := range edit {
		e(&id)
	}
	return id
}

// tokens are the tokens of the following test.
var tokens = issued{
	"all": token("mcp tools write"), "admin": token("mcp admin"), "listed": token("mcp tools"), "wrote": token("mcp write"), "base": token("mcp"), "none": token(""),
	"late":     token("mcp tools write", func(id *guard.Identity) { id.Expires = time.Now().Add(-time.Hour) }),
	"foreign":  token("mcp tools write", func(id *guard.Identity) { id.Audience = []string{"https://other.example/mcp"} }),
	"anywhere": token("mcp tools write", func(id *guard.Identity) { id.Audience = nil }),
	"nobody":   token("mcp tools write", func(id *guard.Identity) { id.Subject, id.Client = "", "" }),
}

// counted is a Store that counts its Puts.
type counted struct {
	nethttp.Store
	puts atomic.Int32
}

func (c *counted) Put(ctx context.Context, id string, r nethttp.Record, step uint64) error {
	c.puts.Add(1)
	return c.Store.Put(ctx, id, r, step)
}

// guarded is a site that requires tokens, with its events.
func guarded(t *testing.T, r protocol.Revision, store *counted, events *[]server.Event) *site {
	t.Helper()
	auth, err := nethttp.Verified(tokens, guard.Policy{
		Audience: []string{resource}, Base: []string{"mcp"}, Method: map[string][]string{"tools/call": {"tools"}},
		Tool:    func(name string, _ protocol.Raw) []string { return map[string][]string{"say": {"write"}}[name] },
		Implies: map[string][]string{"admin": {"tools", "write"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, r, nethttp.Options{
		Authenticate: auth, Store: store, Event: func(_ string, ev server.Event) { *events = append(*events, ev) },
		Metadata: &nethttp.ResourceMetadata{Resource: resource, AuthorizationServers: []string{"https://login.example"}},
	})
}

// say is a call of the tool in the form of a revision, with its headers for ask.
func say(r protocol.Revision) (body string, pairs []string) {
	if r.Stateless() {
		return request("tools/call", "say")
	}
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"say"}}`, nil
}

// A malformed or invalid token, or one without a required scope, gets the status and the challenge of RFC 6750,
// with all scopes of the operation. Nothing has happened at the server then: the record of the
// session is unchanged, and a request without a session has none.
//
// rows: AUTH-013 AUTH-021 AUTH-024 AUTH-028 AUTH-029 AUTH-030 AUTH-031 AUTH-035 AUTH-051 AUTH-052 AUTH-057 AUTH-103 AUTH-108 AUTH-116 AUTH-219 AUTH-220 AUTH-221 SEC-109
func TestTokens(t *testing.T) {
	const where = "https://api.example/.well-known/oauth-protected-resource/mcp"
	base := headers.Challenge{Scope: "mcp"}
	invalid := func(why string) headers.Challenge {
		return headers.Challenge{Error: "invalid_token", ErrorDescription: why, Scope: "mcp"}
	}
	lacks := func(scope string) headers.Challenge {
		return headers.Challenge{Error: "insufficient_scope", ErrorDescription: "the token needs more scopes", Scope: scope}
	}
	malformed := func(why string) headers.Challenge {
		return headers.Challenge{Error: "invalid_request", ErrorDescription: why, Scope: "mcp"}
	}
	for _, r := range protocol.AllRevisions() {
		store, events := &counted{Store: nethttp.NewMemory()}, []server.Event{}
		s := guarded(t, r, store, &events)
		var session []string
		if !r.Stateless() {
			session = []string{"Mcp-Session-Id", s.initialize(r, "Authorization", "Bearer all")}
			s.ask("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(session, "Authorization", "Bearer all")...)
		}
		for _, c := range []struct {
			send   string // Authorization
			status int
			want   headers.Challenge
		}{
			{"", 401, base},
			{"Bearer", 401, base},
			{"Bearer ", 401, base},
			{"Basic YWRhOmFkYQ==", 401, base},
			{"all", 401, base},
			{"Bearer two words", 400, malformed("the token is malformed")},
			{"Bearer unknown", 401, invalid("")},
			{"Bearer late", 401, invalid("the token has expired")},
			{"Bearer foreign", 401, invalid("the token is not for this server")},
			{"Bearer anywhere", 401, invalid("the token is not for this server")},
			{"Bearer nobody", 401, invalid("the token names nobody")},
			{"Bearer none", 403, lacks("mcp tools write")},
			{"Bearer base", 403, lacks("tools write mcp")},
			{"Bearer wrote", 403, lacks("tools mcp write")},
			{"Bearer listed", 403, lacks("write mcp tools")},
			{"Bearer all", 200, headers.Challenge{}},
			{"bearer  all", 200, headers.Challenge{}},
			{"Bearer admin", 200, headers.Challenge{}},
		} {
			before, seen := s.kept(store, session), len(events)
			body, pairs := say(r)
			pairs = append(pairs, session...)
			if r.Stateless() {
				pairs = append(pairs, "Mcp-Session-Id", "anything") // it is ignored
			}
			if c.send != "" {
				pairs = append(pairs, "Authorization", c.send)
			}
			a := s.ask("POST", "/mcp", body, pairs...)
			got, challenged := headers.ParseChallenge(a.header.Values("WWW-Authenticate"))
			if c.status != 200 {
				c.want.ResourceMetadata = where
			}
			if a.status != c.status || challenged != (c.status != 200) || got != c.want {
				t.Errorf("%v, %q: %+v, %+v", r, c.send, a, got)
			}
			if now := s.kept(store, session); c.status != 200 && (now != before || len(events) != seen) {
				t.Errorf("%v, %q: %s became %s, and %d events", r, c.send, before, now, len(events)-seen)
			} else if c.status == 200 && (len(events) == seen || !strings.Contains(a.body, "said")) {
				t.Errorf("%v, %q: nothing has happened: %s", r, c.send, a.body)
			}
			if c.status == 403 && strings.Contains(a.body, `"id":7`) != r.Stateless() {
				t.Errorf("%v, %q: %s", r, c.send, a.body)
			}
		}
		if !r.Stateless() {
			for _, method := range []string{"GET", "DELETE"} {
				for send, status := range map[string]int{"Bearer none": 403, "Bearer late": 401, "": 401} {
					before := s.kept(store, session)
					a := s.ask(method, "/mcp", "", append(session, "Accept", "text/event-stream", "Authorization", send)...)
					if a.status != status || s.kept(store, session) != before {
						t.Errorf("%v, %s with %q: %+v", r, method, send, a)
					}
				}
			}
		}
		if r.Batches() {
			a := s.ask("POST", "/mcp", `[`+ping+`,{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"say"}}]`, append(session, "Authorization", "Bearer base")...)
			if got, _ := headers.ParseChallenge(a.header.Values("WWW-Authenticate")); a.status != 403 || got.Scope != "tools write mcp" {
				t.Errorf("%v, a batch: %+v", r, a)
			}
		}
	}
}

// A server may identify its clients in its own way: Authenticate sees the whole request, and no
// metadata is needed.
//
// rows: AUTH-005
func TestOwnScheme(t *testing.T) {
	for _, r := range protocol.AllRevisions() {
		s := open(t, r, nethttp.Options{Authenticate: func(r *http.Request) (nethttp.Principal, error) {
			if r.Header.Get("X-Api-Key") != "k" {
				return nethttp.Principal{}, &nethttp.AuthError{}
			}
			return nethttp.Principal{ID: "k"}, nil
		}})
		body, pairs := say(r)
		if !r.Stateless() {
			pairs = []string{"Mcp-Session-Id", s.initialize(r, "X-Api-Key", "k")}
			s.ask("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(pairs, "X-Api-Key", "k")...)
		}
		for key, status := range map[string]int{"k": 200, "x": 401} {
			if a := s.ask("POST", "/mcp", body, append(pairs, "X-Api-Key", key)...); a.status != status {
				t.Errorf("%v, %s: %+v", r, key, a)
			}
		}
	}
}

// kept is the Store's record of a session, as text.
func (s *site) kept(store *counted, session []string) string {
	s.t.Helper()
	if session == nil {
		return strings.Repeat("x", int(store.puts.Load()))
	}
	r, err := store.Get(context.Background(), session[1])
	if err != nil {
		s.t.Fatal(err)
	}
	return string(r.State.Snapshot())
}
