package relay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

func TestFirst(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	for _, l := range w.lines {
		t.Log(l)
	}
	if got := w.list("tools/list"); !slices.Equal(got, []string{"both", "left", "left-slow", "mcp.right.both", "right", "right-slow"}) {
		t.Error(got)
	}
	args := jsonrpc.Raw(`{"id":9007199254740993, "f":1e400,"s":"<a>&\u0062"}`)
	body := w.result(w.request(protocol.CallToolParams{Name: "right", Arguments: args}, client.RequestOptions{}))
	if !strings.Contains(body, string(args)) {
		t.Error(body)
	}
}
