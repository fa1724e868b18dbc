package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/docs/examples/gateway/config"
)

// A command is looked for where the PATH of its definition says, and where that has no such
// program, by the PATH of the gateway.
func TestCommandOfItsOwnPath(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	name := "sansmcp-test-program"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	program := filepath.Join(dir, name)
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, name), nil, 0o644); err != nil { // cannot be run
		t.Fatal(err)
	}
	list := string(filepath.ListSeparator)
	for _, tt := range []struct {
		command string
		env     []string
		want    string
	}{
		{name, nil, name},
		{name, []string{"PATH=" + dir}, program},
		{name, []string{"A=1", "PATH=" + list + "." + list + t.TempDir() + list + dir}, program},
		{name, []string{"PATH="}, name},
		{name, []string{"XPATH=" + dir}, name},
		{"./" + name, []string{"PATH=" + dir}, "./" + name},
		{"another", []string{"PATH=" + dir}, "another"},
	} {
		p := commandOf(config.Server{Name: "s", Command: tt.command, Args: []string{"x"}, Env: tt.env})
		if got := p.Args; len(got) != 2 || got[0] != tt.want || got[1] != "x" {
			t.Errorf("%q, %q: %q", tt.command, tt.env, got)
		}
	}
	if runtime.GOOS != "windows" {
		if got := lookUp(name, []string{"PATH=" + other + list + dir}); got != program {
			t.Error(got)
		}
	}
}

// commandOf is how the gateway starts a server.
func commandOf(s config.Server) dial.Command {
	list := (&program{}).servers(config.Config{Servers: []config.Server{s}}, "")
	c, _ := list[0].Options.Endpoint.(dial.Command)
	return c
}
