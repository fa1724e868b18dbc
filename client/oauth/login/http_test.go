package login

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
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

// A connection is for one request, speaks HTTP/2 where the server does, and brings neither compressed bodies, which
// would be larger than they may, nor headers without end.
func TestConnections(t *testing.T) {
	var got *http.Request
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got = req
		n, _ := strconv.Atoi(req.URL.RawQuery)
		w.Header().Set("X", strings.Repeat("x", n))
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	plain := httptest.NewServer(srv.Config.Handler)
	defer plain.Close()
	tr := newTransport(oauth.Local)
	tr.TLSClientConfig = srv.Client().Transport.(*http.Transport).TLSClientConfig
	defer tr.CloseIdleConnections()
	hc := http.Client{Transport: tr}
	for _, tt := range []struct {
		url   string
		proto string // "" where it fails
	}{
		{srv.URL, "HTTP/2.0"},
		{plain.URL, "HTTP/1.1"},
		{plain.URL + "?60000", "HTTP/1.1"},
		{plain.URL + "?70000", ""},
	} {
		resp, err := hc.Get(tt.url)
		if (err == nil) != (tt.proto != "") {
			t.Errorf("%s: %v", tt.url, err)
		}
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.Proto != tt.proto || got.Header.Get("Accept-Encoding") != "" || tt.proto == "HTTP/1.1" && !got.Close {
			t.Errorf("%s by %s, kept %v, %v", tt.url, resp.Proto, !got.Close, got.Header)
		}
	}
	if tr.TLSHandshakeTimeout != connectTime || connectTime >= requestTime {
		t.Error("a connection may take", tr.TLSHandshakeTimeout)
	}
}

// The redirect comes to its own path and host alone, as they are written, with a slash where there is no path.
func TestCallbackPath(t *testing.T) {
	for _, tt := range []struct {
		redirect, host, target string
		ours                   bool
	}{
		{"http://127.0.0.1:8000", "127.0.0.1:8000", "/?code=a", true},
		{"http://127.0.0.1:8000/", "127.0.0.1:8000", "/", true},
		{"http://127.0.0.1:8000", "127.0.0.1:8000", "/callback", false},
		{"http://127.0.0.1:8000/callback", "127.0.0.1:8000", "/", false},
		{"http://127.0.0.1:8000/a%2Fb", "127.0.0.1:8000", "/a%2Fb", true},
		{"http://127.0.0.1:8000/a%2Fb", "127.0.0.1:8000", "/a/b", false},
		{"http://localhost:8000/a", "LOCALHOST:8000", "/a", true},
		{"http://localhost:8000/a", "localhost:8001", "/a", false},
	} {
		to, err := url.Parse(tt.redirect)
		if err != nil {
			t.Fatal(err)
		}
		req, w := httptest.NewRequest(http.MethodGet, tt.target, nil), httptest.NewRecorder()
		req.Host = tt.host
		new(Runner).callback(to).ServeHTTP(w, req)
		want := http.StatusNotFound
		if tt.ours {
			want = http.StatusBadRequest // nobody waits for it
		}
		if w.Code != want {
			t.Errorf("%s at %s to %s: %d, want %d", tt.target, tt.host, tt.redirect, w.Code, want)
		}
	}
}
