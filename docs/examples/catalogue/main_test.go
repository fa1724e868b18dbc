package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/protocol"
)

// One list of names over several servers, calls by name as a batch and as those of a model; a server
// that is not there costs the others nothing.
func TestCatalogue(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir+"/", "../stdioserver", "../tool").CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	args := []string{"example=" + filepath.Join(dir, "stdioserver"), "--", "greeter=" + filepath.Join(dir, "tool"), "--", "broken=no-such-server"}
	request := func(name, arguments string) calls.Request {
		return calls.Request{Name: name, Arguments: protocol.Raw(arguments)}
	}
	for _, c := range []struct {
		calls []calls.Request
		model string
		want  []string
		fails bool
	}{
		{[]calls.Request{request("now", ""), request("greet", `{"name":"Ada"}`), request("mcp.example.sum", `{"a":1,"b":2}`)}, "",
			[]string{`now is "now"`, `sum is "sum" of "example"`, "now: \"", `greet: "Hello, Ada!`, "mcp.example.sum: "}, false},
		{[]calls.Request{request("greet", `{"name":"Ada"}`), request("greet", `{"name":5}`)}, "",
			[]string{"greet: the call of the tool \"greet\" was cancelled", "/name"}, false},
		{[]calls.Request{request("greet", `{"name":"Ada"}`), request("greet", `{"name":5}`)}, "anthropic",
			[]string{`"input_schema"`, "Hello, Ada!", `"is_error":true`}, false},
		{[]calls.Request{request("greet", `{"name":"Ada"}`), request("greet", `{"name":5}`)}, "gemini",
			[]string{`"parametersJsonSchema"`, `"functionResponse"`, "Hello, Ada!"}, false},
		{[]calls.Request{request("nobody", "")}, "anthropic", nil, true},
		{[]calls.Request{request("mcp.broken.x", "")}, "", []string{"mcp.broken.x: ", "not available"}, false},
	} {
		var out strings.Builder
		if err := run(t.Context(), &out, args, c.calls, c.model); (err != nil) != c.fails {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %q in\n%s", c.calls, want, out.String())
			}
		}
	}
	if err := run(t.Context(), new(strings.Builder), []string{"nonsense"}, nil, ""); err == nil {
		t.Error("nonsense was taken")
	}
}
