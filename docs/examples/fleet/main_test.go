package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// programs builds the example servers.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", "../stdioserver", "../tool").CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	return dir
}

// The page of packages shows what the program prints.
func TestPageShowsTheOutput(t *testing.T) {
	page, err := os.ReadFile("../../packages.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := programs(t)
	var out strings.Builder
	args := []string{"example=" + filepath.Join(dir, "stdioserver"), "--", "greeter=" + filepath.Join(dir, "tool"), "--", "broken=no-such-server"}
	if err := run(t.Context(), &out, args, false); err != nil {
		t.Fatal(err)
	}
	shown := "  " + strings.ReplaceAll(strings.TrimSpace(out.String()), "\n", "\n  ") // it stands in a list
	if !strings.Contains(string(page), shown+"\n  ```\n") {
		t.Errorf("docs/packages.md does not show what fleet prints; paste it in:\n%s", out.String())
	}
}

// With -watch a server that has died comes back, and nothing is left at the end.
func TestWatch(t *testing.T) {
	dir := programs(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, w, []string{"short=" + filepath.Join(dir, "tool") + "-that-is-not-there", "--", "greeter=" + filepath.Join(dir, "tool")}, true)
		_ = w.Close()
	}()
	var out strings.Builder
	buf := make([]byte, 4096)
	_ = r.SetReadDeadline(time.Now().Add(30 * time.Second))
	for strings.Count(out.String(), "short: waiting → connecting") < 1 || !strings.Contains(out.String(), "greeter  ready") {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v after\n%s", err, out.String())
		}
	}
	end()
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			break
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, line := range []string{
		`short: idle → connecting`, `short: connecting → waiting \(\w+: ".*no such file or directory"\), again in 1s`,
		`greeter: handshaking → ready`, `greeter: draining → closed`,
	} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(out.String()) {
			t.Errorf("%s is not in\n%s", line, out.String())
		}
	}
}

func TestServers(t *testing.T) {
	list, err := servers(strings.Fields("a=one two -- b=https://example.com/mcp?x=1 -- --"), false)
	if err != nil || len(list) != 2 || list[0].Name != "a" || list[1].Name != "b" {
		t.Errorf("%v, %v", list, err)
	}
	for _, bad := range []string{"one", "=one", "a="} {
		if _, err := servers([]string{bad}, false); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if list, err := servers(nil, true); err != nil || len(list) != 2 || !list[1].Options.Supervise {
		t.Errorf("%v, %v", list, err)
	}
}
