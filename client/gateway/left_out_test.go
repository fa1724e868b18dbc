//go:build unix

package gateway_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// A tool of a server without sessions whose x-mcp-header is invalid is not listed by a gateway in front of it, to
// clients of either era (TOOL-213).
func TestInvalidAnnotations(t *testing.T) {
	cfg := config("web")
	cfg.Revisions = protocol.StatelessRevisions()
	h := handlers("web", nil)
	h.Tool(protocol.Tool{Name: "wrong", InputSchema: `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A b"}}}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("called"), nil
		})
	handler, err := serverhttp.NewHandler(cfg, h, serverhttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		s.Close()
	})
	_, url := begin(t, bothEras(fast(relay.Server{Name: "web", Definition: s.URL, Options: manager.Options{Endpoint: dial.URL{URL: s.URL}}})), serverhttp.Options{})
	for _, p := range []*peer{over(t, "ann", url), over(t, "bob", url, protocol.AllRevisions()...)} {
		p.await("web")
		if tools := p.tools(); slices.Contains(tools, "wrong") {
			t.Error(p.name, tools)
		}
	}
}
