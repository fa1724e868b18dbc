package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// here makes a folder with a file, beside a sibling whose name begins alike.
func here(t *testing.T) (dir string, d folder) {
	t.Helper()
	base := t.TempDir()
	for name, text := range map[string]string{"root/a.txt": "one\ntwo secretless\n", "root/sub/b.txt": "two\n", "root-secret/c.txt": "secret", "secret.txt": "secret"} {
		name = filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir = filepath.Join(base, "root")
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return dir, folder{root}
}

// Nothing outside of the folder is read: not by "..", not by an absolute path, not in a sibling
// that begins alike, not by a link.
func TestFolderEndsAtItsRoot(t *testing.T) {
	dir, d := here(t)
	for name, to := range map[string]string{"out": "..", "file": "../secret.txt", "sibling": "../root-secret", "absolute": filepath.Join(filepath.Dir(dir), "secret.txt"), "in": "sub", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	for _, name := range []string{
		"../secret.txt", "..", "sub/../../secret.txt", "/etc/passwd", filepath.Join(filepath.Dir(dir), "secret.txt"), "../root-secret/c.txt", dir + "-secret/c.txt", "../root/../secret.txt",
		"out/secret.txt", "file", "sibling/c.txt", "absolute", "loop", "", ".", "sub", "none.txt", "a.txt/x", "a\x00b", "~/x", `..\secret.txt`,
	} {
		text, err := d.read(name)
		if err == nil || strings.Contains(err.Error(), filepath.Dir(dir)) {
			t.Errorf("%q: %q, %v", name, text, err)
		}
	}
	for _, name := range []string{"..", "out", "sibling", "/", "../root-secret", "none", "a.txt"} {
		if text, err := d.list(name); err == nil {
			t.Errorf("%q: %q", name, text)
		}
		if text, err := d.search(context.Background(), "secret", name); err == nil && strings.Contains(text, "secret.txt") || strings.Contains(text, ": secret") {
			t.Errorf("%q: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{"a.txt": "one\ntwo secretless\n", "sub/b.txt": "two\n", "in/b.txt": "two\n", "./sub/../a.txt": "one\ntwo secretless\n"} {
		if text, err := d.read(name); err != nil || text != want {
			t.Errorf("%q: %q, %v", name, text, err)
		}
	}
	if text, err := d.list("."); err != nil || !strings.Contains(text, "a.txt\n") || !strings.Contains(text, "sub/\n") {
		t.Error(text, err)
	}
	if text, err := d.search(context.Background(), "secret", "."); err != nil || text != "a.txt:2: two secretless\n" {
		t.Error(text, err)
	}
}

// What one call reads is bounded, and a pipe does not hold it up.
func TestFilesAreBounded(t *testing.T) {
	dir, d := here(t)
	write := func(name string, size int) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("xy\n", size/3)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("large", maxFile+3)
	if text, err := d.read("large"); err == nil {
		t.Errorf("%d bytes", len(text))
	}
	if text, err := d.search(context.Background(), "x", "."); err != nil || strings.Count(text, "\n") != maxMatches+1 || !strings.HasSuffix(text, "ended here\n") {
		t.Errorf("%d lines, %v", strings.Count(text, "\n"), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "aline"), []byte("q\n"+strings.Repeat("z", maxFile+1)+"\nq\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := d.search(context.Background(), "q", "."); err != nil || text != "aline:1: q\naline: the rest was not searched\n" {
		t.Error(text, err)
	}
	for i := range maxSearch>>20 + 1 { // lines that are too long count too
		if err := os.Link(filepath.Join(dir, "aline"), filepath.Join(dir, fmt.Sprint("b", i))); err != nil {
			t.Skip(err)
		}
	}
	if text, err := d.search(context.Background(), "none", "."); err != nil || !strings.HasSuffix(text, "ended here\n") {
		t.Error(text, err)
	}
	for i := range maxEntries + 1 {
		write(fmt.Sprint("n", i), 0)
	}
	if text, err := d.list("."); err != nil || !strings.HasSuffix(text, "… and more\n") || strings.Count(text, "\n") != maxEntries+1 {
		t.Error(strings.Count(text, "\n"), err)
	}
	ctx, end := context.WithCancel(context.Background())
	end()
	if _, err := d.search(ctx, "x", "."); err == nil {
		t.Error("a search goes on after its call")
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero")); err == nil {
			if _, err := d.read("zero"); err == nil {
				t.Error("a device is read")
			}
		}
	}
}

// Addresses of this machine, of private networks and of those for special use are not public,
// however they are written.
func TestPublic(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "0.1.2.3", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "4000::1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fec0::1", "2001:db8::1", "2001::1",
	} {
		if public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	for _, a := range []string{"1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "172.32.0.1", "100.128.0.1", "::ffff:1.1.1.1"} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
}

// Only hosts of the list are fetched from, and none that leads into this network, be it by its
// address, by its name, or by a redirect.
func TestFetch(t *testing.T) {
	asked := map[string]int{}
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked["inner"]++ }))
	defer inner.Close()
	var outer *httptest.Server
	outer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch r.URL.Path {
		case "/to-inner":
			http.Redirect(w, r, inner.URL, http.StatusFound)
		case "/to-name":
			_, port, _ := net.SplitHostPort(outer.Listener.Addr().String())
			http.Redirect(w, r, "http://localhost:"+port+"/", http.StatusFound)
		case "/to-file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/near":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, maxFile+1))
		case "/broken":
			w.WriteHeader(http.StatusTeapot)
		default:
			_, _ = w.Write([]byte("hello"))
		}
	}))
	defer outer.Close()
	host := outer.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(host)
	open := newFetcher([]string{host}, func(netip.Addr) bool { return true })
	for path, want := range map[string]string{
		"/": "hello", "/near": "hello", "/to-inner": errHost.Error(), "/to-name": errHost.Error(), "/to-file": "only http", "/round": "too many redirects", "/large": "longer", "/broken": "418",
	} {
		text, err := open.get(context.Background(), "http://"+host+path)
		if got := text + fmt.Sprint(err); !strings.Contains(got, want) || (err == nil) != (want == "hello") {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	for _, address := range []string{"http://user:pw@" + host + "/", "ftp://" + host, "http://localhost:" + port, inner.URL, "http://" + host + ".", "http://127.0.0.1", "%", "", "http://127.1:" + port, "http://[::ffff:127.0.0.1]:" + port} {
		if text, err := open.get(context.Background(), address); err == nil {
			t.Errorf("%s: %q", address, text)
		}
	}
	if asked["inner"] != 0 {
		t.Error("a host was asked that is not on the list")
	}
	// The list names a host of this machine: its address is refused all the same.
	before := asked["/"]
	careful := newFetcher([]string{host, "localhost:" + port}, public)
	for _, address := range []string{"http://" + host + "/", "http://localhost:" + port + "/"} {
		if text, err := careful.get(context.Background(), address); err == nil || !strings.Contains(err.Error(), "not a public one") {
			t.Errorf("%s: %q, %v", address, text, err)
		}
	}
	// So is one that a redirect leads to: what is allowed is asked for each connection.
	dialled := 0
	turning := newFetcher([]string{host, "localhost:" + port}, func(netip.Addr) bool { dialled++; return dialled == 1 })
	if text, err := turning.get(context.Background(), "http://"+host+"/to-name"); err == nil || dialled < 2 {
		t.Errorf("%q, %d dialled", text, dialled)
	}
	if asked["/"] != before {
		t.Error("it was asked")
	}
}

// Only what is on the list is run, as it is there.
func TestShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of unix")
	}
	dir := t.TempDir()
	t.Setenv("SECRET_TOKEN", "secret")
	s := shell{allowed: []string{"echo $(id) ; *", "env", "false", "no-such-program-here", "", "yes"}, dir: dir}
	for command, want := range map[string]string{"echo $(id) ; *": "$(id) ; *\n"} {
		if text, err := s.run(context.Background(), command); err != nil || text != want {
			t.Errorf("%q: %q, %v", command, text, err)
		}
	}
	if text, err := s.run(context.Background(), "env"); err != nil || strings.Contains(text, "secret") {
		t.Error(text, err)
	}
	for _, command := range []string{"echo", "env ", " env", "env;id", "env\nid", "false", "no-such-program-here", "", "ENV", "/usr/bin/env"} {
		if text, err := s.run(context.Background(), command); err == nil {
			t.Errorf("%q: %q", command, text)
		}
	}
	ctx, end := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer end()
	begun := time.Now()
	if _, err := s.run(ctx, "yes"); err == nil || time.Since(begun) > 10*time.Second {
		t.Error(err)
	}
	b := &bounded{left: 3}
	if n, err := b.Write([]byte("abcd")); n != 4 || err != nil || b.text.String() != "abc" || !b.more {
		t.Error(n, err)
	}
}

// The groups are those that the lists allow, and answer over a session.
func TestGroups(t *testing.T) {
	dir, _ := here(t)
	r, err := groups(dir, []string{"example.org"}, []string{"echo hello"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.View().Names()); got != "[builtin files web commands]" {
		t.Error(got)
	}
	state := verbs.NewServer(t, r.View().Config(server.Config{})).Open(protocol.Revision20251125, "{}").Server()
	for tool, c := range map[string]struct{ arguments, want string }{
		"read_file": {`{"path":"a.txt"}`, `two secretless`}, "list_files": {`{"path":"sub"}`, `b.txt`}, "search_files": {`{"text":"two"}`, `sub/b.txt:1: two`},
		"fetch": {`{"url":"http://127.0.0.1/"}`, `not on the list`}, "run_command": {`{"command":"rm -r"}`, `isError`}, "calculate": {`{"expression":"6*7"}`, `42`},
	} {
		_, out := r.View().Handlers().Receive(state, verbs.Epoch, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, c.arguments)))
		if got := verbs.Lines(out)[0]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if r, err := groups("", nil, nil); err != nil || len(r.Status()) != 1 {
		t.Error(err)
	}
	if _, err := groups(filepath.Join(dir, "none"), nil, nil); err == nil {
		t.Error("a folder that is not there is served")
	}
}

// What a model is told of a page that cannot be fetched has no address of this network in it.
func TestReasonsHaveNoAddresses(t *testing.T) {
	for want, err := range map[string]error{
		"the host is not known": &url.Error{Op: "Get", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Name: "x", Server: "10.1.2.3:53", Err: "no such host"}}},
		"refused":               &url.Error{Op: "Get", Err: &net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3)}, Err: errors.New("refused")}},
		"this host":             &url.Error{Op: "Get", Err: errors.New("this host")},
		"other":                 errors.New("other"),
	} {
		if got := reason(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The list has each group and each tool, with its time.
func TestList(t *testing.T) {
	r, err := groups(t.TempDir(), nil, []string{"go version"})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	show(&out, r)
	for _, want := range []string{"builtin 1.0.0: 4 tools\n", "files 1.0.0: ", "commands 1.0.0: 1 tools\n", "calculate of builtin, 30s\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
