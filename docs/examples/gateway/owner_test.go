//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	r.says(`server \"two\": ${input:other}: nobody can be asked for it; say -input other=value`)
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
