package gateway_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/sansmcp/mcp/server/guard"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// spoken verifies tokens that are the scope that they have.
type spoken struct{}

// Verify implements nethttp.Verifier.
func (spoken) Verify(_ context.Context, token string, _ *http.Request) (guard.Identity, error) {
	return guard.Identity{Issuer: "i", Subject: "s", Scopes: []string{token}}, nil
}

// Each option of the rules holds for the status page, and each by itself; headers of the answer
// keep a browser from storing the page and from guessing what it is.
func TestStatusRules(t *testing.T) {
	g, _ := begin(t, fast(), serverhttp.Options{})
	const host, origin = "mcp.example", "https://page.example"
	ask := func(opt serverhttp.Options, local string, edit func(*http.Request)) *httptest.ResponseRecorder {
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(local), Port: 80})
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/status", nil)
		if edit != nil {
			edit(r)
		}
		w := httptest.NewRecorder()
		g.StatusHandler(opt).ServeHTTP(w, r)
		return w
	}
	from := func(r *http.Request) { r.Header.Set("Origin", origin) }
	for name, tt := range map[string]struct {
		opt   serverhttp.Options
		local string
		edit  func(*http.Request)
		code  int
	}{
		"a name of a loopback address":         {serverhttp.Options{}, "127.0.0.1", nil, 403},
		"a name of another address":            {serverhttp.Options{}, "192.0.2.1", nil, 200},
		"one of Hosts":                         {serverhttp.Options{Hosts: []string{host}}, "127.0.0.1", nil, 200},
		"none of Hosts":                        {serverhttp.Options{Hosts: []string{"x.example"}}, "192.0.2.1", nil, 403},
		"AnyHost":                              {serverhttp.Options{AnyHost: true}, "127.0.0.1", nil, 200},
		"AnyHost is not AnyOrigin":             {serverhttp.Options{AnyHost: true}, "127.0.0.1", from, 403},
		"one of Origins":                       {serverhttp.Options{Origins: []string{origin}}, "192.0.2.1", from, 200},
		"none of Origins":                      {serverhttp.Options{}, "192.0.2.1", from, 403},
		"AnyOrigin":                            {serverhttp.Options{AnyOrigin: true}, "192.0.2.1", from, 200},
		"AnyOrigin is not AnyHost":             {serverhttp.Options{AnyOrigin: true}, "127.0.0.1", from, 403},
		"a page of another site, without name": {serverhttp.Options{}, "192.0.2.1", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
	} {
		if w := ask(tt.opt, tt.local, tt.edit); w.Code != tt.code {
			t.Errorf("%s: %d, want %d", name, w.Code, tt.code)
		}
	}
	// A token has to have the scopes of each request.
	authenticate, err := serverhttp.Verified(spoken{}, guard.Policy{AnyAudience: true, Base: []string{"status"}})
	if err != nil {
		t.Fatal(err)
	}
	for token, code := range map[string]int{"status": 200, "tools": 403, "": 401} {
		w := ask(serverhttp.Options{Authenticate: authenticate}, "192.0.2.1", func(r *http.Request) {
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		})
		if w.Code != code {
			t.Errorf("with a token for %q: %d, want %d", token, w.Code, code)
		}
	}
	for _, tt := range []struct {
		kind, query, accept string
	}{
		{"text/plain; charset=utf-8", "", ""},
		{"text/plain; charset=utf-8", "format=text", "text/html"},
		{"application/json", "", "text/html, application/json"},
		{"application/json", "format=json", ""},
	} {
		w := ask(serverhttp.Options{}, "192.0.2.1", func(r *http.Request) {
			r.URL.RawQuery = tt.query
			r.Header.Set("Accept", tt.accept)
		})
		for name, want := range map[string]string{"Content-Type": tt.kind, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%+v: %s is %q, want %q", tt, name, got, want)
			}
		}
	}
	w := ask(serverhttp.Options{}, "192.0.2.1", func(r *http.Request) { r.Method = http.MethodDelete })
	if got := w.Header().Get("Allow"); w.Code != 405 || got != "GET, HEAD" {
		t.Errorf("DELETE: %d, Allow %q", w.Code, got)
	}
}
