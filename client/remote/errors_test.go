package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// What a server says in the body of an error is in the error, quoted and cut, whatever form it has.
func TestErrorBodies(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		status      int
		contentType string
		body, want  string
	}{
		{401, "text/plain", "API key missing\n", `status 401: "API key missing"`},
		{403, "text/html", "<b>no</b>", `status 403: "<b>no</b>"`},
		{400, "application/json", `{"message":"API key missing"}`, `status 400: "{\"message\":\"API key missing\"}"`},
		{500, "text/plain", "a\x1b[31m\r\nb\xff\u202e", `status 500: "a\x1b[31m\r\nb\xff\u202e"`},
		{502, "text/plain", long, `status 502: "` + long[:200] + `"`},
		{503, "application/json", `"` + long + `"`, `status 503: "\"` + long[:199] + `"`},
		{500, "application/json", "{", `status 500: "{"`},
		{500, "text/plain", " \n", "status 500"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			m := newMock(t)
			m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
				if msg.Method != "resources/read" {
					return false
				}
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
				return true
			}
			err := read(m.connect(Options{NoListen: true}, session.Options{}))
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%d: %v", tt.status, err)
			}
			// The outcome of a call has it too, for who reads that alone.
			if e := attempt.FromError("t", err).Err; (e.Text != "") != strings.Contains(tt.want, ": ") || !strings.Contains(tt.want, e.Text) || e.Kind == toolerror.Execution {
				t.Errorf("%d: %+v", tt.status, e)
			}
		})
	}
	m := newMock(t)
	m.post = func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) bool {
		http.Error(w, "API key missing", http.StatusBadRequest)
		return true
	}
	m.get = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }
	tr, err := New(m.url, Options{})
	wantErr(t, err, nil)
	_, err = session.Connect(context.Background(), config(), tr, session.Options{})
	wantText(t, err, `not a server of Streamable HTTP, status 400: "API key missing"`)
}

// Where there is no token to be had, no request goes out without it: not the first, nor one that was
// refused before, nor the end of the session.
func TestNothingWithoutToken(t *testing.T) {
	no := errors.New("no token")
	m := newMock(t)
	tr, err := New(m.url, Options{Token: func(context.Context, headers.Challenge) (string, error) { return "", no }})
	wantErr(t, err, nil)
	_, err = session.Connect(context.Background(), config(), tr, session.Options{})
	wantErr(t, err, no)
	if heard := m.heard(); heard != "" {
		t.Error(heard)
	}
}

// TestNoOtherToken is the same of one that was refused later.
func TestNoOtherToken(t *testing.T) {
	no := errors.New("no token")
	m := newMock(t)
	var refused atomic.Bool
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" || !refused.Load() {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	c := m.connect(Options{Token: func(context.Context, headers.Challenge) (string, error) {
		if refused.Load() {
			return "", no
		}
		return "one", nil
	}}, session.Options{})
	wantErr(t, read(c), nil)
	refused.Store(true)
	before := m.count("POST resources/read")
	wantErr(t, read(c), no)
	if n := m.count("POST resources/read"); n != before+1 {
		t.Errorf("%d requests", n-before)
	}
	wantErr(t, c.Close(context.Background()), nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, r := range m.heads {
		if got := r.Header.Get("Authorization"); got != "Bearer one" {
			t.Errorf("%s %s: %q", r.Method, m.messages[i].Method, got)
		}
	}
}
