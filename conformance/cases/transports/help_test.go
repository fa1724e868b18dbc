package transports_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// site is a server of Streamable HTTP on a socket of the loopback interface.
type site struct {
	*httptest.Server
	t *testing.T
	h *nethttp.Handler
}

// open makes a site with one tool, "say".
func open(t *testing.T, r protocol.Revision, opt nethttp.Options) *site {
	t.Helper()
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "say", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("said"), nil
	})
	cfg := server.Config{Info: protocol.Implementation{Name: "site", Version: "1"}, Revisions: []protocol.Revision{r}, Logging: true}
	handler, err := nethttp.NewHandler(cfg, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{httptest.NewServer(handler), t, handler}
	s.Client().Timeout = 20 * time.Second // a stream instead of a refusal does not end
	t.Cleanup(s.Server.Close)
	t.Cleanup(handler.Close)
	return s
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask makes a request; headers are pairs.
func (s *site) ask(method, path, body string, headers ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"peer","version":"1"}}}`
	ping  = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
)

// initialize begins a session and returns its id.
func (s *site) initialize(r protocol.Revision, headers ...string) string {
	s.t.Helper()
	a := s.ask("POST", "/mcp", strings.Replace(hello, "%s", r.String(), 1), headers...)
	id := a.header.Get("Mcp-Session-Id")
	if a.status != http.StatusOK || id == "" {
		s.t.Fatalf("initialize: %+v", a)
	}
	return id
}
