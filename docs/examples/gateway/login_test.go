//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/authz"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/server/nethttp"
)

const (
	annSecret = "secret-of-ann-0123"
	bobSecret = "secret-of-bob-0123"
)

// guarded is a server that wants a token of an authorization server at the same address.
func guarded(t *testing.T) (url string, _ *authz.Handler) {
	t.Helper()
	a, err := app.New()
	if err != nil {
		t.Fatal(err)
	}
	h, err := nethttp.NewHandler(app.Config("web"), a.Handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	world, s := authz.Serve(h)
	t.Cleanup(s.Close)
	return s.URL + "/mcp", world
}

// freePort returns an address of this machine that is free.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// web is a browser with cookies.
type web struct {
	*http.Client
	t            *testing.T
	user, secret string
}

func newWeb(t *testing.T, user, secret string) web {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return web{&http.Client{Jar: jar}, t, user, secret}
}

func (w web) do(method, at string, form url.Values) (status int, text string) {
	w.t.Helper()
	req, err := http.NewRequest(method, at, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if w.user != "" {
		req.SetBasicAuth(w.user, w.secret)
		w.CheckRedirect = func(r *http.Request, _ []*http.Request) error { // as browsers do for one origin
			r.SetBasicAuth(w.user, w.secret)
			return nil
		}
	}
	resp, err := w.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

var formValue = regexp.MustCompile(`name="value" value="([^"]*)"`)

// login opens a page, agrees, and follows all redirects.
func (w web) login(at string) (status int, text string) {
	w.t.Helper()
	status, text = w.do(http.MethodGet, at, nil)
	m := formValue.FindStringSubmatch(text)
	if m == nil {
		return status, text
	}
	return w.do(http.MethodPost, at, url.Values{"value": {m[1]}})
}

// Each user logs in at a server that wants a token, and has a token of its own.
//
// rows: AUTH-053
// revisions: all 2026-07-28
func TestLogin(t *testing.T) {
	at, world := guarded(t)
	users := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(users, []byte("# who\n\nann "+annSecret+"\nbob "+bobSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := freePort(t)
	pages, tokens := "http://"+addr+"/login", filepath.Join(t.TempDir(), "tokens")
	r := run(t, "-http", addr, "-users", users, "-login", pages, "-tokens", tokens, "-status", "50ms", file(t, "", entry(t, "one"), fmt.Sprintf(`"notes": {"type": "http", "url": %q}`, at)))
	ann, bob := openAs(t, r.url, annSecret), openAs(t, r.url, bobSecret)
	r.says("open " + pages + "/notes in a browser to log in")
	for _, p := range []*peer{ann, bob} {
		if tools := p.tools(); !slices.Equal(tools, []string{"one"}) {
			t.Error(tools)
		}
	}
	if status, text := newWeb(t, "ann", bobSecret).login(pages + "/notes"); status != http.StatusUnauthorized {
		t.Error(status, text)
	}
	status, text := newWeb(t, "ann", annSecret).login(pages + "/notes")
	if status != http.StatusOK || !strings.Contains(text, "You are logged in") {
		t.Fatal(status, text)
	}
	eventually(t, "not logged in", func() bool { return slices.Contains(ann.tools(), "echo") })
	if slices.Contains(bob.tools(), "echo") {
		t.Error("another user has the token")
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
	again := run(t, "-http", freePort(t), "-users", users, "-login", pages, "-tokens", tokens, file(t, "", fmt.Sprintf(`"notes": {"type": "http", "url": %q}`, at)))
	eventually(t, "the token is not kept", func() bool { return slices.Contains(openAs(t, again.url, annSecret).tools(), "echo") })
	_ = openAs(t, again.url, bobSecret)
	again.says("open " + pages)
	world.Lock()
	defer world.Unlock()
	for _, seen := range world.World.Seen { // nothing that proves a user to the gateway goes on
		for name, v := range seen.Header {
			if strings.Contains(v, annSecret) || strings.Contains(v, bobSecret) {
				t.Errorf("%s: %s", name, v)
			}
		}
	}
	if list := world.World.Misplaced(0); len(list) > 0 {
		t.Error(list)
	}
}

// Without users there is one for all; over standard input and output the pages are served all the same. A server
// with a header for its key gets no token.
func TestLoginAlone(t *testing.T) {
	at, world := guarded(t)
	addr := freePort(t)
	pages := "http://" + addr + "/login"
	r := run(t, "-http", addr, "-login", pages, file(t, "", fmt.Sprintf(`"notes": {"type": "http", "url": %q}`, at),
		fmt.Sprintf(`"keyed": {"type": "http", "url": %q, "headers": {"Authorization": "Bearer key"}}`, at)))
	p := open(t, r.url)
	r.says("open " + pages + "/notes in a browser")
	if status, text := newWeb(t, "", "").login(pages + "/notes"); status != http.StatusOK || !strings.Contains(text, "You are logged in") {
		t.Fatal(status, text)
	}
	eventually(t, "not logged in", func() bool { return slices.Contains(p.tools(), "echo") })
	world.Lock()
	defer world.Unlock()
	keyed, registered := 0, 0
	for _, seen := range world.World.Seen {
		if seen.Header["Authorization"] == "Bearer key" {
			keyed++
		}
		if seen.Place == authz.Register {
			registered++
		}
	}
	if keyed == 0 || registered != 1 {
		t.Error(keyed, registered)
	}
}

// A client hears at which page its user has to log in: of what nobody lists, and of a call that the server refuses.
func TestLoginIsTold(t *testing.T) {
	at, world := guarded(t)
	addr := freePort(t)
	pages := "http://" + addr + "/login"
	r := run(t, "-http", addr, "-login", pages, file(t, "", fmt.Sprintf(`"notes": {"type": "http", "url": %q}`, at)))
	p := open(t, r.url)
	want := "open " + pages + "/notes in a browser"
	eventually(t, "an unknown tool does not name the page", func() bool { return strings.Contains(p.fault("who"), want) })
	if status, text := newWeb(t, "", "").login(pages + "/notes"); status != http.StatusOK {
		t.Fatal(status, text)
	}
	eventually(t, "not logged in", func() bool { return slices.Contains(p.tools(), "who") })
	p.call("who")
	world.Lock()
	for _, issued := range world.World.Issued {
		issued.Dead = true
	}
	world.Unlock()
	if got := p.fault("who"); !strings.Contains(got, want) {
		t.Error(got)
	}
}

// openAs is a client of a user.
func openAs(t *testing.T, url, secret string) *peer {
	t.Helper()
	return openWith(t, url, http.Header{"Authorization": {"Bearer " + secret}})
}

// Who is no user is not served, and files that are not understood end the start.
func TestUsers(t *testing.T) {
	for text, want := range map[string]string{
		"ann\n": "want a name, a secret", "ann x y z\n": "want a name", "ann short\n": "16 bytes", "a:b " + annSecret + "\n": "colon", "# nobody\n": "no users",
		"ann " + annSecret + "\nann " + bobSecret + "\n": "users:2: duplicate name", "ann " + annSecret + "\nbob " + annSecret + "\n": "same secret",
	} {
		if _, err := parseUsers("users", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	u, err := parseUsers("users", strings.NewReader("ann "+annSecret+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{"Bearer " + annSecret: "ann", "Bearer " + bobSecret: "", "": "", "Basic " + annSecret: "", "Bearer ann": ""} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", header)
		if who, err := u.client(r); who.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q: %+v, %v", header, who, err)
		}
	}
	for _, args := range [][]string{
		{"-users", "x"}, {"-login", "http://h/login"}, {"-http", "127.0.0.1:0", "-login", "https://h/login"}, {"-http", "127.0.0.1:0", "-login", "login"},
		{"-http", "127.0.0.1:0", "-tokens", "x"}, {"-http", ":0", "-login", "http://127.0.0.1:1/login"}, {"-http", "0.0.0.0:0", "-login", "http://127.0.0.1:1/login"},
		{"-http", "127.0.0.1:0", "-login", "http://127.0.0.1:1/login", "-exchange", "x"}, {"-http", "127.0.0.1:0", "-users", "x", "-exchange", "x"},
		{"-http", "[::]:0", "-login", "http://127.0.0.1:1/login"},
	} {
		if _, err := parse(append(args, "x.json"), io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
