//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the owner hid is not offered, and what is written wrongly costs its entry alone, is told once
// with its name, and with -strict the start.
func TestOwner(t *testing.T) {
	path := file(t, "",
		entry(t, "one", "disabledTools", []string{"one-hang"}),
		entry(t, "two", "includeTools", []string{"two-hang"}),
		entry(t, "three", "options", map[string]any{"toolFilter": map[string]any{"mode": "block", "list": []string{"*"}}}),
		entry(t, "four", "isActive", false),
		entry(t, "five", "env", map[string]any{"X": "${GATEWAY_NOT_SET}"}),
		entry(t, "six", "readOnlyTools", true),
	)
	r := run(t, "-check", "0", path)
	p := open(t, r.url)
	p.await("one")
	for _, tool := range []string{"one-hang", "two", "three", "four", "five", "six"} {
		if text := p.fault(tool); !strings.Contains(text, "nknown tool") {
			t.Errorf("%s: %s", tool, text)
		}
	}
	receive(t, p.begin("two-hang"))
	for _, want := range []string{`server \"five\": the variable GATEWAY_NOT_SET is not set`, `server \"six\": readOnlyTools looks like a restriction`} {
		if n := strings.Count(r.said.String(), want); n != 1 {
			t.Errorf("it says %d times %s", n, want)
		}
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
	if err := refusedRun(t, "-strict", path); err == nil || !strings.Contains(err.Error(), "2 entries are refused") {
		t.Error(err)
	}
}

// An input is what a flag says, is asked once of who started it, and is in no log.
func TestInputs(t *testing.T) {
	text := `{"inputs": [{"type": "promptString", "id": "key", "password": true}, {"type": "promptString", "id": "other"}], "servers": {` +
		entry(t, "one", "env", map[string]any{"WHO": "${input:key}"}) + "," + entry(t, "two", "env", map[string]any{"WHO": "${input:other}"}) + "}}"
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, "-input", "key=s3cret=x", "-check", "0", path)
	p := open(t, r.url)
	p.await("one")
	if got := p.call("one"); got[1] != "s3cret=x" {
		t.Error(got)
	}
	r.says(`server \"two\": ${input:other}: no terminal to ask; set -input other=value`)
	if strings.Contains(r.said.String(), "s3cret") {
		t.Error("the log has a secret")
	}
	s, err := parse([]string{"-input", "a=b", "-input", "c=", "f"}, io.Discard)
	if err != nil || s.inputs["a"] != "b" || s.inputs["c"] != "" || len(s.inputs) != 2 {
		t.Error(s.inputs, err)
	}
	for _, args := range []string{"-input x f", "-input =x f", "-dialect emacs f", "-max-body 1 f", "-health -1s f", "-rest -1s f"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s is no error", args)
		}
	}
}

// Quiet, it still says that a server fails, and how often, but not each time; the lines of a server
// have its name.
func TestQuiet(t *testing.T) {
	path := file(t, "", `"bad": {"command": "sh", "args": ["-c", "echo o\u001bh >&2; exit 3"]}`, entry(t, "one"))
	r := run(t, "-quiet", "-check", "0", path)
	p := open(t, r.url)
	p.await("one")
	r.says("bad: o·h\n")
	r.says("server fails")
	r.says("times=4")
	if n := strings.Count(r.said.String(), "server fails"); n > 3 {
		t.Errorf("it says %d times that it fails", n)
	}
	if strings.Contains(r.said.String(), "level=INFO") {
		t.Error("it is not quiet")
	}
}

// The status is JSON for who asks for that, and has no control characters of others.
func TestStatusJSON(t *testing.T) {
	r := run(t, "-check", "0", file(t, "", entry(t, "one")))
	p := open(t, r.url)
	p.await("one")
	for _, ask := range []struct{ query, accept string }{{"?format=json", ""}, {"", "application/json"}} {
		req, err := http.NewRequest(http.MethodGet, r.url+"/status"+ask.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", ask.accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var st struct {
			At      time.Time
			Servers []struct {
				Name   string
				States map[string]int
			}
			Sessions []struct {
				Number  int
				Client  struct{ Name string }
				Phase   string
				Servers []struct{ Name, State string }
			}
		}
		if err := json.NewDecoder(resp.Body).Decode(&st); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if len(st.Servers) != 1 || st.Servers[0].States["ready"] != 1 || len(st.Sessions) != 1 || st.Sessions[0].Client.Name != "c" ||
			len(st.Sessions[0].Servers) != 1 || st.Sessions[0].Servers[0].State != "ready" || st.At.IsZero() || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%+v", st)
		}
	}
}

// What is too large is told with the limit.
func TestTooLarge(t *testing.T) {
	r := run(t, "-check", "0", "-max-message", "70000", "-max-body", "65536", file(t, "", entry(t, "one")))
	p := open(t, r.url)
	p.await("one")
	if text := p.fault("large"); !strings.Contains(text, "too large: more than 70000 bytes") {
		t.Error(text)
	}
	if got := p.call("one"); !slices.Contains(got, "") && len(got) < 2 {
		t.Error(got)
	}
}

// A server that is stopped counts as lost soon after it may be silent, and is started again.
func TestHealth(t *testing.T) {
	r := run(t, "-check", "0", "-health", "200ms", file(t, "", entry(t, "one")))
	p := open(t, r.url)
	p.await("one")
	pid := p.pid("one")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.says("server does not answer pings")
	r.says("server fails")
	p.await("one")
	if again := p.pid("one"); again == pid {
		t.Error("the same process")
	}
	eventually(t, "the stopped one is there still", func() bool { return !alive(pid) })
}

// The first signal lets calls finish, the second ends the program at once; what it started ends too.
func TestSecondSignal(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "gateway", "-drain", "50s", "-check", "0", file(t, "", entry(t, "one")))
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
		for {
			if line := receive(t, heard); strings.Contains(line, want) {
				return line
			}
		}
	}
	say := func(line string) { _, _ = io.WriteString(in, line+"\n") }
	say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	next(`"id":"open"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}}`)
	_, rest, _ := strings.Cut(next(`"id":1`), `"text":"`)
	var pid int
	if _, err := fmt.Sscan(rest, &pid); err != nil {
		t.Fatal(rest, err)
	}
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one-hang","_meta":{"progressToken":7}}}`)
	next("notifications/progress")
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-gone:
		t.Fatal("it did not wait for the call:", err)
	case <-time.After(300 * time.Millisecond):
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := receive(t, gone); err == nil {
		t.Error("no error")
	}
	eventually(t, "the server runs still", func() bool { return !alive(pid) })
}
