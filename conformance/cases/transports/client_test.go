package transports_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/nethttp"
)

// recorder records the requests of a client.
type recorder struct {
	mu   sync.Mutex
	list []recorded
}

// recorded is a whole request.
type recorded struct {
	method, url, body string
	header            http.Header
	status            int
}

// RoundTrip makes and records a request.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	kept := recorded{method: req.Method, url: req.URL.String(), header: req.Header.Clone()}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		kept.body = string(body)
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		kept.status = resp.StatusCode
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, kept)
	return resp, err
}

// dialogue runs a session with a site from the handshake to the end: a call, a stream of the
// server's own messages, a DELETE. It returns the requests.
func dialogue(t *testing.T, s *site, r protocol.Revision, opt remote.Options) []recorded {
	t.Helper()
	rec := new(recorder)
	opt.Client = &http.Client{Transport: rec}
	link, err := remote.New(s.URL+"/mcp?tenant=1", opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	heard := make(chan struct{}, 1)
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, Revisions: []protocol.Revision{r}}, link, session.Options{
		Event: func(_ *session.Client, ev client.Event) {
			if ev.Method == "notifications/message" {
				heard <- struct{}{}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := c.CallTool(ctx, protocol.CallToolParams{Name: "say"}, session.RequestOptions{}); err != nil || len(answer.Content) != 1 || answer.Content[0].Text != "said" {
		t.Errorf("%v: %+v, %v", r, answer, err)
	}
	if err := s.h.Broadcast(ctx, protocol.LoggingMessageParams{Level: "error", Data: `"hi"`}); err != nil {
		t.Error(err)
	}
	select {
	case <-heard:
	case <-ctx.Done():
		t.Errorf("%v: what the server says by itself does not come", r)
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.list
}

// methods are the methods of the requests, each once.
func methods(list []recorded) (all []string) {
	for _, r := range list {
		all = append(all, r.method)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Every request of a session has the token, only in the Authorization header, including the
// first one and those for a stream and for the end.
//
// rows: AUTH-025 AUTH-026 AUTH-027
func TestToken(t *testing.T) {
	const token = "t0ken-that-nobody-else-has"
	for _, r := range protocol.Revisions() {
		s := open(t, r, nethttp.Options{Authenticate: func(r *http.Request) (nethttp.Principal, error) {
			if got, ok := headers.Bearer(r.Header.Get("Authorization")); !ok || got != token {
				return nethttp.Principal{}, &nethttp.AuthError{Code: "invalid_token"}
			}
			return nethttp.Principal{ID: "ada"}, nil
		}})
		list := dialogue(t, s, r, remote.Options{Token: func(context.Context, headers.Challenge) (string, error) { return token, nil }})
		if got := methods(list); !slices.Equal(got, []string{"DELETE", "GET", "POST"}) {
			t.Errorf("%v: %v", r, got)
		}
		for _, q := range list {
			if got := q.header.Values("Authorization"); !slices.Equal(got, []string{"Bearer " + token}) || q.status/100 != 2 {
				t.Errorf("%v: %s %s was answered %d with %q", r, q.method, q.url, q.status, got)
			}
			delete(q.header, "Authorization")
			if strings.Contains(fmt.Sprint(q), token) {
				t.Errorf("%v: the token is in %+v", r, q)
			}
		}
	}
}

// The session id is in its header in every request after the first,
// nowhere else, and not in the client's log.
//
// rows: HTTP-043 HTTP-111
func TestSessionIDStaysInItsHeader(t *testing.T) {
	for _, r := range protocol.Revisions() {
		s := open(t, r, nethttp.Options{})
		var log strings.Builder
		list := dialogue(t, s, r, remote.Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		id := ""
		for i, q := range list {
			got := q.header.Get("Mcp-Session-Id")
			if strings.Contains(q.body, `"initialize"`) != (got == "") {
				t.Errorf("%v: %s %s has the session id %q", r, q.method, q.body, got)
			}
			if i > 0 && got != "" {
				id = got
			}
			delete(q.header, "Mcp-Session-Id")
			if id != "" && strings.Contains(fmt.Sprint(q), id) {
				t.Errorf("%v: the session id is in %+v", r, q)
			}
		}
		if id == "" || strings.Contains(log.String(), id) {
			t.Errorf("%v: %q is in the log\n%s", r, id, log.String())
		}
	}
}

// A server of HTTP+SSE has two endpoints, which it names in its first event; a client
// refused by a server that has only these falls back to them, and a session runs over them.
//
// rows: HTTP-054 HTTP-055
func TestOldTransport(t *testing.T) {
	for _, r := range protocol.Revisions() {
		s := open(t, r, nethttp.Options{LegacySSE: true})
		whole := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.Method == http.MethodPost && q.URL.Query().Get("sessionId") == "" {
				http.NotFound(w, q) // like a server as old as its transport
				return
			}
			whole.ServeHTTP(w, q)
		})
		list := dialogue(t, s, r, remote.Options{})
		if len(list) < 4 || list[0].method != "POST" || list[0].status != 404 || list[1].method != "GET" {
			t.Fatalf("%v: %+v", r, list)
		}
		for _, q := range list[2:] {
			// The answer may arrive on the stream before the POST is accepted, whose wait then ends.
			if q.method != "POST" || q.status != http.StatusAccepted && q.status != 0 || !strings.Contains(q.url, "sessionId=") {
				t.Errorf("%v: %+v", r, q)
			}
		}
	}
}
