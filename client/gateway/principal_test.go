//go:build unix

package gateway_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// byUser takes the principal from a header.
func byUser(r *http.Request) (serverhttp.Principal, error) {
	return serverhttp.Principal{ID: r.Header.Get("User"), Value: "value of " + r.Header.Get("User")}, nil
}

// user opens a session as a principal.
func user(t *testing.T, url, name string) *peer {
	t.Helper()
	tr, err := remote.New(url, remote.Options{Header: http.Header{"User": {name}}})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, name, tr)
}

// Each principal has servers, filters and credentials of its own, and sees its own sessions alone.
// When they are to be others, sessions ask again; servers that are refused change nothing.
func TestServersOf(t *testing.T) {
	web := overHTTP(t, "web")
	seen := make(chan string, 100)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("X-Key")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer front.Close()
	var extra atomic.Bool
	opt := fast()
	opt.Relay.Naming = naming.Policy{Names: naming.Always}
	opt.ServersOf = func(p server.Peer) []relay.Server {
		if p.Value != "value of "+p.Principal || p.Session == "" {
			t.Errorf("%+v", p)
		}
		mine := command(t, p.Principal)
		mine.Filter = catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: p.Principal + "-hang"}}}
		keyed := relay.Server{Name: "keyed", Options: manager.Options{Endpoint: dial.URL{URL: front.URL, Header: http.Header{"X-Key": {"key-of-" + p.Principal}}}}}
		switch {
		case p.Principal == "bad":
			return []relay.Server{mine, mine}
		case extra.Load():
			return []relay.Server{mine, keyed, web}
		}
		return []relay.Server{mine, keyed}
	}
	g, url := begin(t, opt, serverhttp.Options{Authenticate: byUser})
	ann, bob := user(t, url, "ann"), user(t, url, "bob")
	for _, p := range []*peer{ann, bob} {
		p.await("mcp." + p.name + "." + p.name)
		if tools := p.tools(); slices.Contains(tools, "mcp."+p.name+"."+p.name+"-hang") || slices.ContainsFunc(tools, func(s string) bool { return !strings.Contains(s, p.name) }) {
			t.Error(p.name, tools)
		}
	}
	keys := map[string]bool{}
	for len(keys) < 2 {
		keys[receive(t, seen)] = true
	}
	if !keys["key-of-ann"] || !keys["key-of-bob"] {
		t.Error(keys)
	}
	if _, err := ann.try("mcp.bob.bob", `{}`); err == nil {
		t.Error("ann calls what bob has")
	}
	extra.Store(true)
	if err := g.SetServers(nil); err != nil {
		t.Fatal(err)
	}
	ann.await("mcp.web.web")
	bad := user(t, url, "bad")
	if tools := bad.tools(); len(tools) > 0 {
		t.Error(tools)
	}
	h := g.StatusHandler(serverhttp.Options{Authenticate: byUser})
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/status?format=json", nil)
	r.Header.Set("User", "bob")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var st struct {
		Servers  []any
		Sessions []struct{ Client struct{ Name string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &st); err != nil || len(st.Sessions) != 1 || st.Sessions[0].Client.Name != "bob" || len(st.Servers) != 0 {
		t.Errorf("%v %s", err, w.Body)
	}
}

// What an endpoint has of secrets is in no error, log or status.
func TestSecretsAreNotTold(t *testing.T) {
	refused := relay.Server{Name: "refused", Options: manager.Options{Endpoint: dial.URL{
		URL: "http://user:s3cret@127.0.0.1:1/mcp?key=s3cret", Header: http.Header{"Authorization": {"Bearer s3cret"}},
	}}}
	missing := relay.Server{Name: "missing", Options: manager.Options{Endpoint: dial.Command{Args: []string{"/nowhere", "--key=s3cret"}, Env: []string{"KEY=s3cret"}}}}
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusTeapot) }))
	defer failing.Close()
	odd := relay.Server{Name: "odd", Options: manager.Options{Endpoint: dial.URL{URL: failing.URL + "/s3cret?key=s3cret"}}}
	opt := fast(refused, missing, odd)
	var b await.Buffer
	opt.Log = slog.New(slog.NewTextHandler(&b, nil))
	g, url := begin(t, opt, serverhttp.Options{})
	p := over(t, "ann", url)
	var text string
	eventually(t, "not all have failed", func() bool {
		text = status(t, g)
		return strings.Count(text, "last failure") == 3
	})
	js, err := json.Marshal(g.Status())
	if err != nil {
		t.Fatal(err)
	}
	_, called := p.try("mcp.refused.x", `{}`)
	if called == nil || !strings.Contains(called.Error(), "next attempt in") {
		t.Error(called)
	}
	for name, text := range map[string]string{"status": text, "JSON": string(js), "log": b.String(), "error": called.Error()} {
		if strings.Contains(text, "s3cret") {
			t.Errorf("the %s has a secret: %s", name, text)
		}
	}
	if !strings.Contains(b.String(), "level=WARN msg=\"gateway: server fails\"") {
		t.Error(b.String())
	}
}

// Retry opens what is not ready in the sessions of one principal, and nothing else.
func TestRetry(t *testing.T) {
	web := overHTTP(t, "web")
	target, err := neturl.Parse(web.Options.Endpoint.(dial.URL).URL)
	if err != nil {
		t.Fatal(err)
	}
	var open atomic.Bool
	through := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.URL.Path = target.Path }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !open.Load() {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	opt := fast(command(t, "one"), relay.Server{Name: "web", Options: manager.Options{Supervise: true, Endpoint: dial.URL{URL: front.URL}}})
	opt.Relay.Manager.Backoff = backoff.Policy{Base: time.Hour, Cap: time.Hour}
	g, url := begin(t, opt, serverhttp.Options{Authenticate: byUser})
	ann, bob := user(t, url, "ann"), user(t, url, "bob")
	waits := func(p string) bool {
		for _, x := range g.Status().Sessions {
			for _, s := range x.Servers {
				if x.Principal == p && s.Link.Server == "web" {
					return s.Condition == manager.Waiting
				}
			}
		}
		return false
	}
	for name, p := range map[string]*peer{"ann": ann, "bob": bob} {
		p.await("one")
		eventually(t, "not refused", func() bool { return waits(name) })
	}
	was := ann.pid("one")
	open.Store(true)
	g.Retry("ann", "one") // is ready
	g.Retry("ann", "nobody")
	g.Retry("ann", "web")
	ann.await("web", "one")
	if ann.pid("one") != was {
		t.Error("a server that was ready is another one")
	}
	if !waits("bob") {
		t.Error("of another principal too")
	}
}
