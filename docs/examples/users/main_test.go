package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// Each user has the tools that are theirs, and whoever has no token has none.
func TestUsers(t *testing.T) {
	h, err := newHandler()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s := httptest.NewServer(h)
	defer s.Close()
	connect := func(token string) (*session.Client, error) {
		tr, err := remote.New(s.URL, remote.Options{Token: func(_ context.Context, c headers.Challenge) (string, error) {
			if c != (headers.Challenge{}) {
				return "", errors.New("refused: " + c.String())
			}
			return token, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return session.Connect(t.Context(), client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, tr, session.Options{})
	}
	for token, want := range map[string][]string{"of-ada": {"shutdown", "whoami"}, "of-ben": {"whoami"}} {
		c, err := connect(token)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", token, names, want)
		}
		who, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "whoami"}, session.RequestOptions{})
		if got := protocol.TextOf(who.Content); err != nil || got != "You are "+token[len("of-"):]+"." {
			t.Errorf("%s: %q, %v", token, got, err)
		}
		if _, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "shutdown"}, session.RequestOptions{}); (err == nil) != (token == "of-ada") {
			t.Errorf("%s: shutdown: %v", token, err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, token := range []string{"of-eve", ""} {
		if _, err := connect(token); err == nil {
			t.Errorf("%q is let in", token)
		}
	}
}
