package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Texts of others about a server are shown without its secrets, and without the beginning of one where
// they were cut; those of another server, and short ones, are words.
func TestHide(t *testing.T) {
	all := secretsOf([]relay.Server{
		{Name: "a", Options: manager.Options{Endpoint: dial.Command{Args: []string{"x"}, Env: []string{"T=secret-1", "U=secret-12", "N=80"}},
			Fallbacks: []manager.Fallback{{Endpoint: dial.URL{URL: "http://a/?k=other-secret"}}}}},
		{Name: "b", Options: manager.Options{Endpoint: "no endpoint of dial"}},
	})
	for text, want := range map[string]string{
		"it says secret-1 and secret-12, 80 times": "it says ••• and •••, 80 times",
		"it was cut: secret…":                      "it was cut: •••",
		"it was cut: secret-1…":                    "it was cut: •••…",
		"k=other-secret":                           "•••",
		"a k is other-secret":                      "a k is •••",
		"secr":                                     "secr",
		"":                                         "",
	} {
		if got := hide(text, all["a"]); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		if got := hide(text, all["b"]); got != text {
			t.Errorf("%q is shown as %q of another", text, got)
		}
	}
	cause := errors.New("secret-1")
	if h := (hidden{cause, "•••"}); !errors.Is(h, cause) || strings.Contains(h.Error(), "secret") {
		t.Error(h)
	}
}

// A server that says its own secrets, in an error that the gateway logs and shows, has them shown to
// nobody: in no log, at any level, and in neither form of the status.
func TestSecretsAreNotShown(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		text, _ := json.Marshal(fmt.Sprint(r.URL.RawQuery, " ", r.Header.Get("X-Key"), " ", user, " ", password))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":%s}}`, text)
	}))
	defer echo.Close()
	var mu sync.Mutex
	var log strings.Builder
	info := protocol.Implementation{Name: "g", Version: "1"}
	g, err := New(Options{
		Relay: relay.Config{Info: info}, Server: server.Config{Info: info}, Dial: dial.Dialer{}.Dial,
		Log: slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return log.Write(b)
		}), &slog.HandlerOptions{Level: slog.LevelDebug})),
		Servers: []relay.Server{{Name: "a", Options: manager.Options{Endpoint: dial.URL{
			URL: strings.Replace(echo.URL, "//", "//secretuser:secretpass@", 1) + "/?k=secretquery", Header: http.Header{"X-Key": {"secretheader"}},
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	h, err := g.Handler(nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if session == "" {
			session = w.Header().Get("Mcp-Session-Id")
		}
		if strings.Contains(w.Body.String(), "secret") {
			t.Error(w.Body)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		st := g.Status()
		var text strings.Builder
		_, _ = st.WriteTo(&text)
		data, err := json.Marshal(st)
		mu.Lock()
		logged := log.String()
		mu.Unlock()
		if all := text.String() + string(data) + logged; err != nil || strings.Contains(all, "secret") {
			t.Fatalf("%v %s", err, all)
		}
		if strings.Contains(text.String(), "•••") && strings.Contains(string(data), "•••") && strings.Contains(logged, "•••") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the error is not shown: %s %s %s", text.String(), data, logged)
		}
	}
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
