package transcript

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/guard"
)

// Scopes are the tokens of a Site and the required scopes. It implements nethttp.Verifier.
type Scopes struct {
	Policy guard.Policy // the requirements for tokens
	tokens map[string][]string
	tools  map[string][]string
}

// scopes is an option about scopes.
func (s *Site) scopes(key string) option {
	return option{key: key, set: func(val string) error {
		if s.Scopes == nil {
			c := &Scopes{tokens: map[string][]string{}, tools: map[string][]string{}}
			c.Policy = guard.Policy{Audience: []string{audience}, Implies: map[string][]string{}, Tool: func(name string, _ jsonrpc.Raw) []string { return c.tools[name] }}
			s.Scopes = c
		}
		name, rest, named := strings.Cut(val, ":")
		list := strings.FieldsFunc(rest, func(c rune) bool { return c == '+' })
		switch {
		case key == "base":
			s.Scopes.Policy.Base = strings.Split(val, "+")
		case !named:
			return errors.New("want NAME:SCOPE+SCOPE")
		case key == "grant":
			s.Scopes.tokens[name] = list
		case key == "needs":
			s.Scopes.tools[name] = list
		case key == "implies":
			s.Scopes.Policy.Implies[name] = list
		}
		return nil
	}}
}

// audience is the audience of tokens. Those whose name begins with foreign have another one.
const audience = "https://api.example/mcp"

// Verify returns the identity of a token.
func (s *Scopes) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	list, ok := s.tokens[token]
	if !ok {
		return guard.Identity{}, errors.New("nobody issued the token")
	}
	id := guard.Identity{Subject: "somebody", Audience: []string{audience}, Scopes: list}
	if strings.HasPrefix(token, "foreign") {
		id.Audience = []string{"https://other.example"}
	}
	return id, nil
}

// authorize checks the token of a request, before its message is known or with it.
func (s *Site) authorize(now time.Time, h http.Header, method string, list ...jsonrpc.Message) *headers.Refusal {
	c := s.challenge(now, h, method, list)
	if c == nil {
		return nil
	}
	if at, err := url.Parse(s.Metadata); err == nil && s.Metadata != "" {
		at.Path = "/.well-known/oauth-protected-resource" + at.Path
		c.ResourceMetadata = at.String()
	}
	return headers.Unauthorized(*c)
}

func (s *Site) challenge(now time.Time, h http.Header, method string, list []jsonrpc.Message) *headers.Challenge {
	value := h.Get(headers.Authorization)
	token, sent := headers.Bearer(value)
	if s.Token == "" || s.Scopes == nil && token == s.Token {
		return nil
	}
	var c headers.Challenge
	if s.Scopes != nil {
		g, err := guard.New(s.Scopes.Policy)
		if err != nil {
			return &headers.Challenge{Realm: err.Error()}
		}
		if id, err := s.Scopes.Verify(context.Background(), token, nil); err == nil && len(h.Values(headers.Authorization)) == 1 {
			if bad := g.Check(now, id); bad != nil || method == http.MethodPost && list == nil {
				return bad
			}
			return g.Allow(id, list...)
		}
		c = g.Challenge()
		scheme, rest, _ := strings.Cut(value, " ")
		if len(h.Values(headers.Authorization)) > 1 {
			c.Error, c.ErrorDescription = "invalid_request", "several Authorization headers"
			return &c
		}
		if !sent && strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(rest) != "" {
			c.Error, c.ErrorDescription = "invalid_request", "the token is malformed"
		}
	}
	if sent {
		c.Error = "invalid_token"
	}
	return &c
}
