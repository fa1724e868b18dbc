package nethttp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`

// modernCall is call without a session, and modernHead the headers that it has.
var (
	modernCall = strings.Replace(call, `}}}`, `},`+modernMeta+`}}`, 1)
	modernHead = []func(*http.Request){set("Mcp-Protocol-Version", "2026-07-28"), set("Mcp-Method", "tools/call"), set("Mcp-Name", "echo")}
)

// session begins a session of a handler without a socket, and returns its id.
func session(t testing.TB, h http.Handler) string {
	t.Helper()
	w := post(t, h, "", `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":`+caps+`,"clientInfo":{"name":"c","version":"1"}}}`)
	id := w.Header().Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal(w.Code, w.Body)
	}
	post(t, h, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return id
}

// post sends a message without a socket.
func post(t testing.TB, h http.Handler, id, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Session-Id", id)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code >= 300 {
		t.Fatal(w.Code, w.Body)
	}
	return w
}

// sink is a ResponseWriter that costs as little as one can.
type sink struct {
	head   http.Header
	status int
	n      int
}

func (s *sink) Header() http.Header    { return s.head }
func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Flush()                           {}
func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }

// One small call, by the handler alone: in a session, and without one.
func BenchmarkCall(b *testing.B) {
	for _, of := range []struct {
		method, text string
		edit         []func(*http.Request)
	}{
		{"tools/call", call, nil},
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil},
		{"modern tools/call", modernCall, modernHead},
		{"server/discover", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`, []func(*http.Request){set("Mcp-Protocol-Version", "2026-07-28"), set("Mcp-Method", "server/discover")}},
	} {
		b.Run(of.method, func(b *testing.B) {
			cfg := serverConfig
			cfg.Revisions = protocol.AllRevisions()
			h, err := nethttp.NewHandler(cfg, newKit().handlers(), nethttp.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer h.Close()
			send := sender(h, session(b, h), of.text, of.edit...)
			b.ReportAllocs()
			for b.Loop() {
				if status := send(); status != http.StatusOK {
					b.Fatal(status)
				}
			}
		})
	}
}

// sender returns what sends a message again and again, at the least cost.
func sender(h http.Handler, id, text string, edit ...func(*http.Request)) func() (status int) {
	body := strings.NewReader(text)
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", id)
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	for _, e := range edit {
		e(r)
	}
	w := &sink{head: http.Header{}}
	return func() int {
		body.Reset(text)
		clear(w.head)
		w.status, w.n = 0, 0
		h.ServeHTTP(w, r)
		return w.status
	}
}

// One small call over a loopback socket, beside a handler that echoes the body.
func BenchmarkLoopback(b *testing.B) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	id := session(b, h)
	for _, tt := range []struct {
		name string
		h    http.Handler
	}{
		{"mcp", h},
		{"echo", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		})},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s := httptest.NewServer(tt.h)
			defer s.Close()
			c := s.Client()
			text := []byte(call)
			b.ReportAllocs()
			for b.Loop() {
				r, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL, bytes.NewReader(text))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				r.Header.Set("Mcp-Session-Id", id)
				resp, err := c.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					b.Fatal(resp.StatusCode)
				}
			}
		})
	}
}

// What a Store outside of the process costs for each turn: a record written out and read back.
func BenchmarkRecord(b *testing.B) {
	store := &kept{Store: nethttp.NewMemory()}
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Store: store})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	id := session(b, h)
	r, err := store.Get(context.Background(), id)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		data := r.Snapshot()
		if _, err := nethttp.RestoreRecord(h.Config(), streams.Options{}, data, time.Now()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(r.Snapshot())), "bytes")
}
