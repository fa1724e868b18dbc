package dial_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	servernethttp "github.com/sansmcp/mcp/server/nethttp"
)

func startSleeper() error {
	c := command("sleeper")
	cmd := exec.Command(c.Args[0])
	cmd.Env, cmd.Stdout = append(os.Environ(), c.Env...), os.Stdout
	return cmd.Start()
}

// begin dials, and closes what came of it at the end of the test.
func begin(t *testing.T, d dial.Dialer, endpoint any) links.Transport {
	t.Helper()
	tr, err := d.Dial(t.Context(), endpoint)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(tr) })
	return tr
}

func stop(tr links.Transport) {
	ctx, end := context.WithCancel(context.Background())
	end()
	_ = tr.Close(ctx)
}

// where is what a server of that kind says of itself.
func where(t *testing.T, c dial.Command) (dir string, env []string) {
	t.Helper()
	a, err := begin(t, dial.Dialer{}, c).Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Dir string
		Env []string
	}
	if err := unmarshal(string(a.Message.Body), &body); err != nil {
		t.Fatal(err)
	}
	return body.Dir, body.Env
}

// A server runs in the directory that its definition names, or in ours (B5), with the
// variables of its definition beside ours, or with those alone.
func TestCommandPlace(t *testing.T) {
	t.Setenv("SANSMCP_TEST_A", "ours")
	t.Setenv("SANSMCP_TEST_B", "ours")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c := command("where")
	c.Env = append(c.Env, "SANSMCP_TEST_B=its own")
	dir, env := where(t, c)
	if dir != here || !slices.Contains(env, "SANSMCP_TEST_A=ours") || !slices.Contains(env, "SANSMCP_TEST_B=its own") ||
		slices.Contains(env, "SANSMCP_TEST_B=ours") {
		t.Errorf("%s, %q", dir, env)
	}
	if c.Dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	c.Clean = true
	if dir, env = where(t, c); dir != c.Dir || len(slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PWD=") })) != len(c.Env) {
		t.Errorf("%s, %q", dir, env)
	}
	var text await.Buffer
	c = command("stderr")
	c.Stderr = &text
	if _, err := begin(t, dial.Dialer{}, &c).Receive(t.Context()); err == nil {
		t.Error("no end")
	}
	if text.String() != "this is the log" {
		t.Errorf("%q", text.String())
	}
}

// What a url says of a user goes nowhere in the clear, and into no error; an error says what is
// wrong with it.
func TestURLOfUser(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer x"}}
	for _, c := range []struct {
		url      string
		header   http.Header
		insecure bool // it is refused for that
		bad      bool // it is refused for something else
	}{
		{"http://user:hush@192.0.2.1/mcp", nil, true, false},
		{"HTTP://user@192.0.2.1/mcp", nil, true, false},
		{"http://@192.0.2.1/mcp", nil, true, false},
		{"http://192.0.2.1/mcp", nil, false, false},
		{"https://user:hush@192.0.2.1/mcp", secret, false, false},
		{"http://user:hush@localhost/mcp", secret, false, false},
		{"http://user:hush@[::1]/mcp", nil, false, false},
		{"http://user:hush@192.0.2.1:port/mcp", secret, false, true},
		{"http://user:hush@/mcp", secret, false, true},
		{"http:", secret, false, true},
		{"ftp://user:hush@192.0.2.1/mcp", secret, false, true},
	} {
		_, err := dial.Dialer{}.Dial(t.Context(), dial.URL{URL: c.url, Header: c.header})
		if errors.Is(err, remote.ErrInsecure) != c.insecure || (err != nil) != (c.insecure || c.bad) || strings.Contains(fmt.Sprint(err), "hush") {
			t.Errorf("%s: %v", c.url, err)
		}
		d := dial.Dialer{HTTP: remote.Options{InsecureToken: true}}
		if _, err := d.Dial(t.Context(), dial.URL{URL: c.url, Header: c.header}); (err != nil) != c.bad {
			t.Errorf("%s, allowed: %v", c.url, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	_, err := dial.Dialer{}.Dial(t.Context(), dial.Command{Args: command("good").Args, Dir: none})
	if err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("of a directory that is not there: %v", err)
	}
}

func TestErrors(t *testing.T) {
	gone, end := context.WithCancelCause(t.Context())
	end(os.ErrDeadlineExceeded)
	for _, c := range []struct {
		ctx      context.Context
		endpoint any
		want     error
	}{
		{t.Context(), nil, lifecycle.ErrConfig},
		{t.Context(), "server", lifecycle.ErrConfig},
		{t.Context(), (*dial.Command)(nil), lifecycle.ErrConfig},
		{t.Context(), (*dial.URL)(nil), lifecycle.ErrConfig},
		{t.Context(), dial.Command{}, lifecycle.ErrConfig},
		{t.Context(), dial.Command{Args: []string{"", "x"}}, lifecycle.ErrConfig},
		{t.Context(), dial.Command{Args: []string{"sansmcp-there-is-no-such-program"}}, exec.ErrNotFound},
		{t.Context(), dial.Command{Args: []string{filepath.Join(t.TempDir(), "none")}}, os.ErrNotExist},
		{t.Context(), dial.Command{Args: command("good").Args, Dir: filepath.Join(t.TempDir(), "none")}, os.ErrNotExist},
		{gone, command("good"), os.ErrDeadlineExceeded},
		{t.Context(), dial.URL{URL: "http://192.0.2.1/mcp", Header: http.Header{"Authorization": {"Bearer x"}}}, remote.ErrInsecure},
		{t.Context(), dial.URL{URL: "HTTP://192.0.2.1/mcp", Header: http.Header{"cookie": {"x"}}}, remote.ErrInsecure},
		{t.Context(), dial.URL{URL: "http://user@localhost.example/mcp", Header: http.Header{"Proxy-Authorization": {"x"}}}, remote.ErrInsecure},
	} {
		tr, err := dial.Dialer{}.Dial(c.ctx, c.endpoint)
		if tr != nil || !errors.Is(err, c.want) {
			t.Errorf("%v: %v, %v, want %v", c.endpoint, tr, err, c.want)
		}
	}
	for _, tt := range []struct {
		endpoint any
		want     string
	}{
		{"server", "dial: endpoint is string: want a Command or a URL"},
		{nil, "dial: endpoint is <nil>: want a Command or a URL"},
		{(*dial.URL)(nil), "dial: endpoint is *dial.URL: want a Command or a URL"},
		{dial.Command{Args: []string{"", "x"}}, `dial: Command.Args is ["" "x"]: want a program to start`},
	} {
		if _, err := (dial.Dialer{}).Dial(t.Context(), tt.endpoint); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	for _, url := range []string{"", "ftp://example.com", "http://", "http://a b/", "http://[::1"} {
		if tr, err := (dial.Dialer{}).Dial(t.Context(), dial.URL{URL: url, Header: http.Header{"Authorization": {"x"}}}); err == nil || tr != nil {
			t.Errorf("%q: %v", url, tr)
		}
	}
	for _, url := range []string{"http://localhost/mcp", "http://127.0.0.1:1/", "http://[::1]/", "https://example.com/mcp"} {
		tr, err := dial.Dialer{}.Dial(t.Context(), &dial.URL{URL: url, Header: http.Header{"Authorization": {"x"}}})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		stop(tr)
	}
	insecure := dial.Dialer{HTTP: remote.Options{InsecureToken: true}}
	begin(t, insecure, dial.URL{URL: "http://192.0.2.1/mcp", Header: http.Header{"Authorization": {"x"}}})
}

// over is a server over HTTP that notes the header of each request.
func over(t *testing.T, start func(http.Handler) *httptest.Server) (*httptest.Server, func() []http.Header) {
	t.Helper()
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	handler, err := servernethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}}, h, servernethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []http.Header
	s := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s, func() []http.Header {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

var config = client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}

// greets connects by an endpoint and calls the tool.
func greets(t *testing.T, d dial.Dialer, endpoint any) error {
	t.Helper()
	tr, err := d.Dial(t.Context(), endpoint)
	if err != nil {
		return err
	}
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	c, err := session.Connect(ctx, config, tr, session.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	_, err = c.CallTool(ctx, protocol.CallToolParams{Name: "greet"}, session.RequestOptions{})
	return err
}

// The header of the Dialer and of the URL, and the token, go with each request.
func TestHeader(t *testing.T) {
	s, seen := over(t, httptest.NewServer)
	d := dial.Dialer{HTTP: remote.Options{Header: http.Header{"X-All": {"a"}, "X-Key": {"of all"}}}}
	u := dial.URL{URL: s.URL, Header: http.Header{"x-key": {"its own"}}, Token: func(context.Context, headers.Challenge) (string, error) { return "secret", nil }}
	if err := greets(t, d, u); err != nil {
		t.Fatal(err)
	}
	if len(d.HTTP.Header) != 2 || d.HTTP.Header.Get("X-Key") != "of all" {
		t.Error("the Dialer has changed")
	}
	if len(seen()) < 3 {
		t.Errorf("%d requests", len(seen()))
	}
	for _, h := range seen() {
		if h.Get("X-All") != "a" || !slices.Equal(h.Values("X-Key"), []string{"its own"}) || h.Get("Authorization") != "Bearer secret" {
			t.Errorf("%v", h)
		}
	}
}

// pass is an Authorizer with one token, passes is one that cannot be compared.
type (
	pass   string
	passes []string
)

func (k pass) Authorize(context.Context, oauth.Need) (oauth.Token, error) {
	return oauth.Token{Access: oauth.Secret(k), Type: "Bearer"}, nil
}
func (pass) Prove(context.Context, oauth.Proof) (string, error) { return "", nil }

func (k passes) Authorize(ctx context.Context, n oauth.Need) (oauth.Token, error) {
	return pass(k[0]).Authorize(ctx, n)
}
func (passes) Prove(context.Context, oauth.Proof) (string, error) { return "", nil }

// Whoever authorizes requests to a URL takes the place of who does so for the Dialer, in both forms.
func TestAuth(t *testing.T) {
	s, seen := over(t, httptest.NewServer)
	token := func(text string) func(context.Context, headers.Challenge) (string, error) {
		return func(context.Context, headers.Challenge) (string, error) { return text, nil }
	}
	of := map[string]remote.Options{"no": {}, "auth": {Auth: pass("dialer")}, "token": {Token: token("dialer")}}
	for name, opt := range of {
		for want, u := range map[string]dial.URL{
			"Bearer auth": {Auth: pass("auth")}, "Bearer token": {Token: token("token")}, "Bearer both": {Auth: pass("both"), Token: token("token")}, "Bearer dialer": {},
		} {
			u.URL = s.URL
			if name == "no" && want == "Bearer dialer" {
				want = ""
			}
			if err := greets(t, dial.Dialer{HTTP: opt}, u); err != nil {
				t.Fatal(name, want, err)
			}
			if all := seen(); all[len(all)-1].Get("Authorization") != want {
				t.Errorf("%s: %q, want %q", name, all[len(all)-1].Get("Authorization"), want)
			}
		}
	}
}

// A server whose certificate nobody vouches for is not talked to (E28); the http.Client of
// a URL says who does.
func TestTLS(t *testing.T) {
	s, seen := over(t, httptest.NewTLSServer)
	s.Config.ErrorLog = nil
	u := dial.URL{URL: s.URL, Header: http.Header{"Authorization": {"Bearer secret"}}}
	if err := greets(t, dial.Dialer{}, u); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
	if n := len(seen()); n != 0 {
		t.Errorf("%d requests came through", n)
	}
	u.Client = s.Client()
	if err := greets(t, dial.Dialer{}, u); err != nil {
		t.Fatal(err)
	}
	for _, h := range seen() {
		if h.Get("Authorization") != "Bearer secret" {
			t.Errorf("%v", h)
		}
	}
}

func TestEqual(t *testing.T) {
	type uncomparable struct {
		*await.Buffer
		_ []int
	}
	var text await.Buffer
	c := dial.Command{Args: []string{"a", "b"}, Env: []string{"A=1"}, Dir: "/", Stderr: &text}
	u := dial.URL{URL: "http://localhost", Header: http.Header{"A": {"1"}}, Client: http.DefaultClient}
	token := func(context.Context, headers.Challenge) (string, error) { return "", nil }
	for i, x := range []struct {
		a    interface{ Equal(any) bool }
		b    any
		want bool
	}{
		{c, c, true},
		{c, &c, true},
		{c, dial.Command{Args: []string{"a", "b"}, Env: []string{"A=1"}, Dir: "/", Stderr: &text}, true},
		{c, dial.Command{Args: []string{"a", "c"}, Env: []string{"A=1"}, Dir: "/", Stderr: &text}, false},
		{c, dial.Command{Args: []string{"a", "b"}, Env: []string{"A=2"}, Dir: "/", Stderr: &text}, false},
		{c, dial.Command{Args: []string{"a", "b"}, Env: []string{"A=1"}, Dir: "/a", Stderr: &text}, false},
		{c, dial.Command{Args: []string{"a", "b"}, Env: []string{"A=1"}, Dir: "/"}, false},
		{c, dial.Command{Args: []string{"a", "b"}, Env: []string{"A=1"}, Dir: "/", Clean: true, Stderr: &text}, false},
		{dial.Command{Stderr: uncomparable{}}, dial.Command{Stderr: uncomparable{}}, false},
		{c, u, false},
		{c, nil, false},
		{c, (*dial.Command)(nil), false},
		{u, u, true},
		{u, &u, true},
		{u, dial.URL{URL: "http://localhost", Header: http.Header{"A": {"1"}}, Client: http.DefaultClient}, true},
		{u, dial.URL{URL: "http://localhost", Header: http.Header{"A": {"2"}}, Client: http.DefaultClient}, false},
		{u, dial.URL{URL: "http://localhost", Header: http.Header{"B": {"1"}}, Client: http.DefaultClient}, false},
		{u, dial.URL{URL: "http://localhost", Header: http.Header{"A": {"1"}}}, false},
		{u, dial.URL{URL: "http://localhost", Client: http.DefaultClient}, false},
		{dial.URL{Token: token}, dial.URL{Token: token}, false},
		{dial.URL{Auth: pass("a")}, dial.URL{Auth: pass("a")}, true},
		{dial.URL{Auth: pass("a")}, dial.URL{Auth: pass("b")}, false},
		{dial.URL{Auth: pass("a")}, dial.URL{}, false},
		{dial.URL{Auth: passes{"a"}}, dial.URL{Auth: passes{"a"}}, false},
		{dial.URL{}, dial.URL{Header: http.Header{}}, true},
		{u, c, false},
		{u, (*dial.URL)(nil), false},
	} {
		if x.a.Equal(x.b) != x.want {
			t.Errorf("%d: %v and %v", i, x.a, x.b)
		}
	}
}
