//go:build !plan9

package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// hungUpServer serves a tool that waits for the end of its call, and says so.
func hungUpServer() {
	told := make(chan bool)
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "begun")
		<-ctx.Done()
		close(told)
		return nil, nil
	})
	err := stdio.Serve(context.Background(), server.Config{Info: who}, h, os.Stdin, os.Stdout, stdio.Options{})
	<-told
	fmt.Fprintln(os.Stderr, "told, and Serve returns an error:", err != nil)
}

// A client that stops reading, as one that is gone, does not end the process in the middle of
// what its functions do: they are told first.
func TestClientHangsUp(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), hungUp+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = theirs
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
	lines := bufio.NewScanner(said)
	if !lines.Scan() || lines.Text() != "begun" {
		t.Fatal("it says ", lines.Text())
	}
	_ = out.Close()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	if got := strings.Join(rest, "\n"); got != "told, and Serve returns an error: true" {
		t.Errorf("it says %q", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Error("it ends with", err)
	}
}
