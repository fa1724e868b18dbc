package remote_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// Calls of tools that were listed repeat the arguments that those want in headers, as the newest list has them. Of
// 1,000 tools that is known, and not of more.
func TestLearned(t *testing.T) {
	const many = 1001
	tools := func(annotation string) *server.Handlers {
		h := new(server.Handlers)
		for i := range many {
			h.Tool(protocol.Tool{Name: fmt.Sprintf("t%04d", i), InputSchema: protocol.Raw(`{"type":"object","properties":{"a":{"type":"string"` + annotation + `}}}`)},
				func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
					return protocol.TextResult("called"), nil
				})
		}
		return h
	}
	handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Revisions: protocol.StatelessRevisions(), ListChanged: protocol.CapToolsListChanged},
		tools(`,"x-mcp-header":"A"`), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer handler.Close()
	s := httptest.NewServer(handler)
	defer s.Close()
	tr, err := remote.New(s.URL, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions()}, tr, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	call := func(i int) string {
		sent, err := c.Send(ctx, protocol.CallToolParams{Name: fmt.Sprintf("t%04d", i), Arguments: `{"a":"é"}`}, session.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		body, err := sent.Wait(ctx) // Request would list the tools
		return string(body) + fmt.Sprint(err)
	}
	list := func() {
		t.Helper()
		var cursor *protocol.Cursor
		for n := 0; n < many; {
			r, err := session.Do[protocol.ListToolsResult](ctx, c, protocol.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			n, cursor = n+len(r.Tools), r.NextCursor
		}
	}
	const missing = "Mcp-Param-A is missing"
	if got := call(0); !strings.Contains(got, missing) {
		t.Error("before the list:", got)
	}
	list()
	if got := call(0) + call(many-2); strings.Contains(got, missing) || strings.Count(got, "called") != 2 {
		t.Error(got)
	}
	if got := call(many - 1); !strings.Contains(got, missing) {
		t.Error("beyond the limit:", got)
	}
	if err := handler.Replace(ctx, tools("")); err != nil {
		t.Fatal(err)
	}
	list()
	if err := handler.Replace(ctx, tools(`,"x-mcp-header":"B"`)); err != nil {
		t.Fatal(err)
	}
	if got := call(0); !strings.Contains(got, "Mcp-Param-B is missing") {
		t.Error("after lists that name none:", got)
	}
	list()
	if got := call(0); !strings.Contains(got, "called") {
		t.Error(got)
	}
}
