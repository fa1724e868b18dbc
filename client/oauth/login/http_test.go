package login

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// What a name resolves to is looked at when a request connects.
//
// rows: SEC-104
// revisions: 2025-11-25 2026-07-28
func TestReach(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	named := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1) // stands for any name that leads here
	for reach, hc := range newClients(nil) {
		for _, at := range []string{srv.URL, named} {
			resp, err := hc.Get(at)
			if err == nil {
				_ = resp.Body.Close()
			}
			if (err == nil) != (oauth.Reach(reach) != oauth.Public) || err != nil && !strings.Contains(err.Error(), "Config.Trusted") {
				t.Error(reach, at, err)
			}
		}
	}
}

// A request follows no redirect, keeps no cookie, and reads no more than it may.
//
// rows: SEC-105 AUTH-062
// revisions: 2025-11-25 2026-07-28
func TestRequest(t *testing.T) {
	var calls int
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if calls++; len(req.Cookies()) != 0 || req.URL.Path != "/a" || req.Header.Get("X") != "y" {
			t.Error(req.URL, req.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		w.Header().Set("Location", "/b")
		w.Header().Set("Retry-After", "7")
		w.Header().Set("DPoP-Nonce", "n")
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = w.Write([]byte(strings.Repeat("x", 100)))
	}))
	defer srv.Close()
	r, err := New(oauth.Config{}, srv.URL, Options{Transport: srv.Client().Transport})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, method := range []string{"GET", "POST"} {
		call := oauth.HTTPRequest{Method: method, URL: srv.URL + "/a", MaxBytes: 10, Body: "secret"}

		call.Fields = append(call.Fields, headers.Field{Name: "X", Value: "y"})
		a, err := r.do(call)
		if err != nil || a.Status != 307 || a.Location != "/b" || a.RetryAfter != 7*time.Second || a.Nonce != "n" || string(a.Body) != strings.Repeat("x", 11) {
			t.Error(a, err)
		}
	}
	if calls != 2 {
		t.Error(calls, "requests")
	}
	r.end()
	if _, err := r.do(oauth.HTTPRequest{Method: "GET", URL: srv.URL + "/a"}); err == nil || strings.Contains(err.Error(), srv.URL) || errors.Is(err, errClosed) {
		t.Error(err)
	}
}
