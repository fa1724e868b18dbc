package nethttp_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
)

// The log has what a request says of its Host, its Origin and its site, up to 64 bytes of each.
func TestLogOfRefusedOrigins(t *testing.T) {
	for _, n := range []int{63, 64, 65} {
		var lines bytes.Buffer
		h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Hosts: []string{"x.example"}, Log: slog.New(slog.NewTextHandler(&lines, nil))})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://x.example/", strings.NewReader("{}"))
		r.Host = strings.Repeat("h", n)
		r.Header.Set("Origin", strings.Repeat("o", n))
		r.Header.Set("Sec-Fetch-Site", strings.Repeat("s", n))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		h.Close()
		want := `level=WARN msg="nethttp: request refused because of its Host or Origin"`
		for _, key := range []string{"host", "origin", "site"} {
			value := strings.Repeat(key[:1], min(n, 64))
			if n > 64 {
				value += "…"
			}
			want += " " + key + "=" + value
		}
		if got := lines.String(); w.Code != http.StatusForbidden || !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("%d: %s, want %s", w.Code, got, want)
		}
	}
}

// A connection on which a body is too long is closed: what is left of it is no request.
func TestConnectionsOfLongBodies(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{MaxBody: 1000})
	p := open(t, s.URL, "2025-06-18")
	for _, n := range []int{900, 1001, 2000} {
		const head = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`
		body := head + strings.Repeat("x", n-len(head)-3) + `"}}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, struct{ *strings.Reader }{strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = -1
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", p.session)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if long := n > 1000; resp.Close != long || (resp.StatusCode == http.StatusRequestEntityTooLarge) != long {
			t.Errorf("%d bytes: %d, closed %v", n, resp.StatusCode, resp.Close)
		}
	}
}
