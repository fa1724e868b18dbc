package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

func text(f func() (string, error)) server.ToolFunc {
	return func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		s, err := f()
		return protocol.TextResult(s), err
	}
}

// Two calls that want the roots at the same time lead to one roots/list, a third to
// none, and one after a change to another. Other handlers are announced and used.
func TestRootsAndReplace(t *testing.T) {
	in, peer := io.Pipe()
	lines, out := io.Pipe()
	var host *stdio.Server
	var h, other server.Handlers
	object := protocol.Raw(`{"type":"object"}`)
	h.Tool(protocol.Tool{Name: "roots", InputSchema: object}, text(func() (string, error) {
		roots, err := host.Roots(context.Background())
		return fmt.Sprint(len(roots), " roots"), err
	}))
	h.Tool(protocol.Tool{Name: "replace", InputSchema: object}, text(func() (string, error) { return "done", host.Replace(&other) }))
	other.Tool(protocol.Tool{Name: "new", InputSchema: object}, text(func() (string, error) { return "new here", nil }))
	var err error
	host, err = stdio.New(server.Config{
		Info:        protocol.Implementation{Name: "s", Version: "1"},
		ListChanged: protocol.CapToolsListChanged, ChangeDelay: -1,
	}, &h, in, out, stdio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- host.Serve(context.Background()) }()
	scan := bufio.NewScanner(lines)
	next := func(want ...string) {
		t.Helper()
		scan.Scan()
		for _, w := range want {
			if !strings.Contains(scan.Text(), w) {
				t.Fatalf("got %s, want %s", scan.Text(), w)
			}
		}
	}
	say := func(line string) { fmt.Fprintln(peer, line) }
	call := func(id int, tool string) {
		say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool))
	}

	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`)
	next(`"id":0`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	call(1, "roots")
	next(`"id":1,"method":"roots/list"`)
	call(2, "roots")
	say(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	next(`"id":9,"result"`) // and no second roots/list
	time.Sleep(20 * time.Millisecond)
	say(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"}]}}`)
	next(`"result"`, "1 roots")
	next(`"result"`, "1 roots")
	call(3, "roots")
	next(`"id":3`, "1 roots")
	say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	call(4, "roots")
	next(`"id":2,"method":"roots/list"`)
	say(`{"jsonrpc":"2.0","id":2,"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}`)
	next(`"id":4`, "2 roots")
	call(5, "replace")
	next(`"method":"notifications/tools/list_changed"`)
	next(`"id":5`, "done")
	call(6, "new")
	next(`"id":6`, "new here")
	call(7, "roots")
	next(`"id":7`, `"code":-32602`)
	peer.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
