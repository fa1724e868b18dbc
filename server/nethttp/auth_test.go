package nethttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// tokens authenticates by a table.
func tokens(r *http.Request) (nethttp.Principal, error) {
	token, ok := headers.Bearer(r.Header.Get("Authorization"))
	switch {
	case !ok:
		return nethttp.Principal{}, &nethttp.AuthError{Scope: "tools"}
	case token == "poor":
		return nethttp.Principal{}, &nethttp.AuthError{Status: 403, Code: "insufficient_scope", Description: "more is needed", Scope: "tools files", Err: errors.New("poor")}
	case token == "less": // the status follows from the code
		return nethttp.Principal{}, &nethttp.AuthError{Code: "insufficient_scope", Scope: "tools"}
	case token == "broken":
		return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_request"}
	case token == "nil":
		return nethttp.Principal{}, (*nethttp.AuthError)(nil)
	case token == "down":
		return nethttp.Principal{}, &nethttp.AuthError{Status: 503, Err: errors.New("the issuer does not answer")}
	case token == "odd":
		return nethttp.Principal{}, errors.New("secret detail")
	case token != "ann" && token != "bob":
		return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
	}
	return nethttp.Principal{ID: token, Value: "of " + token}, nil
}

func bearer(token string) func(*http.Request) { return set("Authorization", "Bearer "+token) }

// Who has no token is told where to get one; a session belongs to who began it.
func TestAuthentication(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{
		Authenticate: tokens,
		Metadata:     &nethttp.ResourceMetadata{Resource: "https://mcp.example/mcp", AuthorizationServers: []string{"https://auth.example"}, Scopes: []string{"tools"}},
	})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	p := newPeer(t, s.URL)
	for _, tt := range []struct {
		edit   []func(*http.Request)
		status int
		want   headers.Challenge
	}{
		{nil, 401, headers.Challenge{Scope: "tools"}},
		{[]func(*http.Request){bearer("x")}, 401, headers.Challenge{Error: "invalid_token"}},
		{[]func(*http.Request){bearer("odd")}, 401, headers.Challenge{Error: "invalid_token"}},
		{[]func(*http.Request){bearer("less")}, 403, headers.Challenge{Error: "insufficient_scope", Scope: "tools"}},
		{[]func(*http.Request){bearer("broken")}, 400, headers.Challenge{Error: "invalid_request"}},
		{[]func(*http.Request){bearer("nil")}, 401, headers.Challenge{Error: "invalid_token"}},
		{[]func(*http.Request){set("Authorization", "Basic bmlsOm5pbA==")}, 401, headers.Challenge{Scope: "tools"}},
		{[]func(*http.Request){bearer("poor")}, 403, headers.Challenge{Error: "insufficient_scope", ErrorDescription: "more is needed", Scope: "tools files"}},
		{[]func(*http.Request){bearer("down")}, 503, headers.Challenge{}},
	} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			a := p.do(p.request(context.Background(), method, map[string]string{"POST": ping}[method], tt.edit...)).want(tt.status)
			if strings.Contains(a.body, "secret") || strings.Contains(a.body, "issuer") {
				t.Error(a.body)
			}
			got, ok := headers.ParseChallenge(a.head.Values("WWW-Authenticate"))
			if tt.status == 503 {
				if ok {
					t.Error("503 with a challenge")
				}
				continue
			}
			tt.want.ResourceMetadata = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
			if !ok || got != tt.want {
				t.Errorf("%s %d: %+v, want %+v", method, tt.status, got, tt.want)
			}
		}
	}
	p.header.Set("Authorization", "Bearer ann")
	p.open("2025-06-18")
	p.call("who", `{}`).want(200, "ann of ann "+p.session)
	q := *p
	q.header = http.Header{"Authorization": {"Bearer bob"}}
	q.post(ping).want(404)
	q.do(q.request(context.Background(), "GET", "")).want(404)
	q.do(q.request(context.Background(), "DELETE", "")).want(404)
	p.post(ping).want(200)
	// A page of another site learns nothing, not even that a token is needed.
	p.post(ping, set("Origin", "https://evil.example"), unset("Authorization")).want(403)
}

// A hook that panics costs its request, and no more.
func TestHookPanics(t *testing.T) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Authenticate: func(*http.Request) (nethttp.Principal, error) { panic("oh") }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		post(t, h, "", call)
	}()
	if got := h.Status(); got.Connections != 0 {
		t.Errorf("%+v", got)
	}
}

// The metadata stand where RFC 9728 has them, for everybody.
func TestMetadata(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{
		Authenticate: tokens,
		Metadata:     &nethttp.ResourceMetadata{Resource: "https://mcp.example/mcp", AuthorizationServers: []string{"https://auth.example"}},
	})
	p := newPeer(t, s.URL)
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"} {
		p.url = s.URL + path
		a := p.do(p.request(context.Background(), "GET", "", unset("Accept"))).want(200,
			`"resource":"https://mcp.example/mcp"`, `"authorization_servers":["https://auth.example"]`, `"bearer_methods_supported":["header"]`)
		if a.head.Get("Content-Type") != "application/json" || a.head.Get("Access-Control-Allow-Origin") != "*" {
			t.Error(a.head)
		}
		if a := p.do(p.request(context.Background(), "HEAD", "")).want(200); a.body != "" || a.head.Get("Access-Control-Allow-Origin") != "*" {
			t.Error(a)
		}
		a = p.do(p.request(context.Background(), "OPTIONS", "", set("Origin", "https://page.example"), set("Access-Control-Request-Method", "GET"), set("Access-Control-Request-Headers", "mcp-protocol-version"))).want(204)
		if a.head.Get("Access-Control-Allow-Origin") != "*" || a.head.Get("Access-Control-Allow-Methods") != "GET" || a.head.Get("Access-Control-Allow-Headers") != "Mcp-Protocol-Version" {
			t.Error(a.head)
		}
		if a := p.do(p.request(context.Background(), "POST", "{}")).want(405); a.head.Get("Allow") == "" {
			t.Error(a.head)
		}
	}
	p.url = s.URL + "/.well-known/oauth-protected-resource/other"
	p.do(p.request(context.Background(), "GET", "")).want(404)
	_ = h.Metadata()
	plain, _ := start(t, newKit(), nethttp.Options{})
	none := newTLS(t, plain.Metadata())
	p.url, p.client = none.URL+"/.well-known/oauth-protected-resource", none.Client()
	p.do(p.request(context.Background(), "GET", "")).want(404)
}

// A server without a name is refused.
func TestNoName(t *testing.T) {
	cfg := serverConfig
	cfg.Info.Name = ""
	if _, err := nethttp.NewHandler(cfg, newKit().handlers(), nethttp.Options{}); err == nil {
		t.Error("a server without name")
	}
}
