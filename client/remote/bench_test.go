package remote

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// BenchmarkCall is a small request over loopback, beside what net/http takes for a POST of
// the same size.
func BenchmarkCall(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m := jsonrpc.Decode(body)
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			reply(w, m, initialized)
		case m.Kind != jsonrpc.KindRequest:
			w.WriteHeader(http.StatusAccepted)
		default:
			reply(w, m, `{"content":[]}`)
		}
	}))
	defer srv.Close()
	b.Run("client", func(b *testing.B) {
		t, err := New(srv.URL, Options{})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		c, err := session.Connect(ctx, config(), t, session.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close(ctx)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.CallTool(ctx, protocol.CallToolParams{Name: "x"}, session.RequestOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("net/http", func(b *testing.B) {
		text := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`)
		b.ReportAllocs()
		for b.Loop() {
			resp, err := srv.Client().Post(srv.URL, "application/json", bytes.NewReader(text))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
}
