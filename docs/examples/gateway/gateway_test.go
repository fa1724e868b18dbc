//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/server/nethttp"
)

// What the file says of a server holds: variables, environment, folder, url, header.
func TestDefinitions(t *testing.T) {
	t.Setenv("GATEWAY_WHO", "me")
	dir := t.TempDir()
	a, err := app.New()
	if err != nil {
		t.Fatal(err)
	}
	h, err := nethttp.NewHandler(app.Config("web"), a.Handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k-me" {
			http.Error(w, "no key", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	}))
	defer web.Close()
	r := run(t, file(t, "",
		entry(t, "one", "env", map[string]any{"WHO": "${GATEWAY_WHO}-${NOT_SET:-x}"}, "cwd", dir),
		entry(t, "off", "disabled", true),
		fmt.Sprintf(`"web": {"type": "http", "url": %q, "headers": {"X-Key": "k-${GATEWAY_WHO}"}, "autoApprove": ["x"]}`, web.URL)))
	p := open(t, r.url)
	eventually(t, "no echo", func() bool {
		tools := p.tools()
		return slices.Contains(tools, "echo") && slices.Contains(tools, "one")
	})
	if got := p.call("one"); got[1] != "me-x" || filepath.Base(got[2]) != filepath.Base(dir) {
		t.Error(got)
	}
	if slices.Contains(p.tools(), "off") {
		t.Error("a server that is disabled runs")
	}
	r.says(`mcp.json:5:`)
	r.says(`"web\": autoApprove has no effect`)
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// The file is read again when it has changed, and when the program is told to; a bad one changes
// nothing.
func TestReload(t *testing.T) {
	one, two := entry(t, "one"), entry(t, "two")
	path := file(t, "", one)
	r := run(t, "-check", "20ms", path)
	a, b := open(t, r.url), open(t, r.url)
	pids, before := map[*peer]int{}, map[*peer]int{}
	var calls []<-chan error
	for _, p := range []*peer{a, b} {
		p.await("one")
		pids[p] = p.pid("one")
		calls = append(calls, p.hang("one-hang"))
	}
	for _, p := range []*peer{a, b} {
		before[p] = p.changes()
	}
	file(t, path, one, two)
	r.says("servers=2 new=1 changed=0 gone=0")
	for _, p := range []*peer{a, b} {
		eventually(t, "not told", func() bool { return p.changes() > before[p] })
		p.await("one", "two")
	}
	if err := os.WriteFile(path, []byte("{\"mcpServers\": }"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.says("mcp.json:1:16: unexpected")
	a.await("one", "two")
	file(t, path, two, entry(t, "three"))
	r.reload <- syscall.SIGHUP
	r.says("servers=2 new=1 changed=0 gone=1")
	for _, p := range []*peer{a, b} {
		p.await("three", "two")
	}
	for _, c := range calls {
		if err := receive(t, c); err == nil {
			t.Error("a call of a server that is gone has no error")
		}
	}
	for _, pid := range pids {
		eventually(t, "it runs still", func() bool { return !alive(pid) })
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.says("mcp.json: no such file")
	a.await("three", "two")
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// A server that is killed comes back in its session, and the status says so.
func TestKilled(t *testing.T) {
	r := run(t, "-status", "50ms", file(t, "", entry(t, "one"), entry(t, "two")))
	p := open(t, r.url)
	p.await("one", "two")
	pid := p.pid("one")
	call, other := p.hang("one-hang"), p.hang("two-hang")
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, call); err == nil {
		t.Error("no error")
	}
	p.await("one", "two")
	if p.pid("one") == pid {
		t.Error("the same process")
	}
	select {
	case err := <-other:
		t.Error(err)
	default:
	}
	resp, err := http.Get(r.url + "/status")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(b), "server one: 1 ready") || !strings.Contains(string(b), "opened 2 times") {
		t.Errorf("%s %v", b, err)
	}
	r.says("2 servers, 1 sessions")
	r.show <- syscall.SIGUSR1
	r.says("  two: ready for")
	if err := r.end(); err != nil { // an end in good order, in spite of the hanging call
		t.Error(err)
	}
	r.says("calls did not finish in time")
}

// Names are as the flags say.
func TestNaming(t *testing.T) {
	exe := entry(t, "one")
	path := file(t, "", exe, strings.Replace(exe, `"one":`, `"two":`, 1))
	for args, want := range map[string][]string{
		"":                                    {"mcp.two.one", "one"},
		"-names=auto":                         {"mcp.one.one", "mcp.two.one"},
		"-names=qualified":                    {"mcp.one.one", "mcp.two.one"},
		"-names=plain-hidden":                 {"one"},
		"-names=auto -form=provider":          {"mcp__one__one", "mcp__two__one"},
		"-away=keep -uris=qualified -check=0": {"mcp.two.one", "one"},
		"-sse -quiet -idle=1m -sessions=1":    {"mcp.two.one", "one"},
	} {
		r := run(t, append(strings.Fields(args), path)...)
		p := open(t, r.url)
		p.await(want...)
		if err := r.end(); err != nil {
			t.Error(err)
		}
	}
}

// The first list has the tools of servers that take their time, if it is to wait for them.
func TestSettle(t *testing.T) {
	r := run(t, "-settle", "1m", file(t, "", entry(t, "one"), entry(t, "late")))
	if got := strings.Join(open(t, r.url).tools(), " "); got != "late one" {
		t.Error(got)
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

// A session too many is refused.
func TestSessionsAreBounded(t *testing.T) {
	r := run(t, "-sessions", "1", file(t, "", entry(t, "one")))
	open(t, r.url).await("one")
	resp, err := http.Post(r.url+"/mcp", "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	req, err := http.NewRequest(http.MethodPost, r.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if resp, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Error(resp.Status)
	}
}

// What cannot be begun is told.
func TestRefuses(t *testing.T) {
	good := file(t, "", entry(t, "one"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no file":         {nil, "want one configuration file"},
		"two files":       {[]string{good, good}, "want one configuration file"},
		"a bad flag":      {[]string{"-nope", good}, "bad flags"},
		"a bad naming":    {[]string{"-naming", "odd", good}, "bad flags"},
		"a negative time": {[]string{"-check", "-1s", good}, "too small"},
		"a missing file":  {[]string{filepath.Join(t.TempDir(), "x.json")}, "x.json: no such file"},
		"a bad file":      {[]string{file(t, "", `"a": `)}, `mcp.json:4:3: unexpected '}'`},
		"a taken address": {[]string{"-http", l.Addr().String(), good}, "address already in use"},
	} {
		said := new(await.Buffer)
		s, err := parse(tt.args, said)
		if err == nil {
			p := &program{settings: s, in: strings.NewReader(""), out: io.Discard, log: newLossy(said)}
			err = p.run(context.Background())
			p.log.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parse([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// Over standard input and output, as a process: signals do what they say, and at its end nothing
// is left, however it comes to that.
func TestProcess(t *testing.T) {
	for name, leave := range map[string]func(cmd *exec.Cmd, in io.Closer){
		"the end of input": func(_ *exec.Cmd, in io.Closer) { _ = in.Close() },
		"SIGTERM":          func(cmd *exec.Cmd, _ io.Closer) { _ = cmd.Process.Signal(syscall.SIGTERM) },
		"both":             func(cmd *exec.Cmd, in io.Closer) { _ = in.Close(); _ = cmd.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := file(t, "", entry(t, "one"), entry(t, "stubborn"))
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd, said := exec.Command(exe, "gateway", "-drain", "100ms", "-check", "0", path), new(await.Buffer)
			cmd.Stderr, cmd.WaitDelay = said, time.Second
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			heard := lines(out)
			next := func(want string) string {
				t.Helper()
				for {
					if line := receive(t, heard); strings.Contains(line, want) {
						return line
					}
				}
			}
			say := func(format string, args ...any) { fmt.Fprintf(in, format+"\n", args...) }
			say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			next(`"id":"open"`)
			say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			var pids []int
			for _, tool := range []string{"one", "stubborn"} {
				say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp.%s.%[1]s"}}`, tool) // waits for its server
				_, rest, _ := strings.Cut(next(`"id":1`), `"text":"`)
				var pid int
				if _, err := fmt.Sscan(rest, &pid); err != nil || !alive(pid) {
					t.Fatal(rest, err)
				}
				pids = append(pids, pid)
			}
			say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`) // who never asked is not told of changes
			next(`"id":2`)
			_ = cmd.Process.Signal(syscall.SIGUSR1)
			eventually(t, "no status", func() bool { return strings.Contains(said.String(), "session 1, stdio") })
			file(t, path, entry(t, "stubborn"))
			_ = cmd.Process.Signal(syscall.SIGHUP)
			next("list_changed")
			eventually(t, "one runs still", func() bool { return !alive(pids[0]) })
			leave(cmd, in)
			gone := make(chan error, 1)
			go func() { gone <- cmd.Wait() }()
			if err := receive(t, gone); err != nil {
				t.Error(err, said)
			}
			for _, pid := range pids {
				if alive(pid) {
					t.Error("a server runs still")
				}
			}
		})
	}
}

// A file that has the gateway itself in it does not start one after another.
func TestWithinItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file(t, path, entry(t, "one"), fmt.Sprintf(`"self": {"command": %q, "args": ["gateway", %q]}`, exe, path))
	r := run(t, path)
	p := open(t, r.url)
	p.await("one")
	r.says("server=self from=handshaking to=waiting")
	t.Setenv(withinName, "/a"+string(filepath.ListSeparator)+"/b")
	if v, err := nested(path); err != nil || !strings.HasPrefix(v, withinName+"=/a") {
		t.Error(v, err)
	}
	t.Setenv(withinName, strings.TrimPrefix(mustNest(t, path), withinName+"="))
	if _, err := nested(path); err == nil {
		t.Error("no error")
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

func mustNest(t *testing.T, path string) string {
	t.Helper()
	v, err := nested(path)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Somebody who does not read what is logged holds nothing up.
func TestLossy(t *testing.T) {
	r, w := io.Pipe()
	l := newLossy(w)
	for i := range 3 * lossyLines {
		if n, err := fmt.Fprintf(l, "line %d\n", i); err != nil || n == 0 {
			t.Fatal(n, err)
		}
	}
	heard := lines(r)
	var got []string
	for len(got) == 0 || got[len(got)-1] != "line 256" && len(got) < lossyLines+1 {
		got = append(got, receive(t, heard))
	}
	fmt.Fprintln(l, "last")
	for line := ""; line != "last"; line = receive(t, heard) {
		got = append(got, line)
	}
	if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "lines dropped") }) {
		t.Errorf("%q", got[len(got)-5:])
	}
	l.Close()
	fmt.Fprintln(l, "after the end")
	l.Close()
	closed := newLossy(closedWriter{})
	fmt.Fprintln(closed, "x")
	fmt.Fprintln(closed, "y")
	closed.Close()
	_ = r.Close()
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
