package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server without sessions offers what its Config has, in pages whose cursors any State takes, in one
// order, and answers initialize with the revisions that it has.
//
// rows: DISC-004 ERA-006 ERA-024 CAP-203 PAGE-201 PAGE-202 CACH-005 TOOL-202 TOOL-211 LOG-206 REQM-017 META-201 RSLT-003 SUBS-025
// revisions: 2026-07-28
func TestOffers(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`
	h := &server.Handlers{}
	for i := range 5 {
		h.Tool(protocol.Tool{Name: fmt.Sprint("t", 4-i), InputSchema: schema}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(string(p.Meta)), nil
		})
	}
	items := h.Items()
	items.PageSize = 2
	catalog, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	cfg := server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: append(h.Serve(), "x/y"), Revisions: protocol.StatelessRevisions(),
		ListChanged: protocol.CapToolsListChanged, Limits: lifecycle.Limits{Text: 100},
	}
	s, err := server.New(cfg, began)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(s server.State, method, params string) (server.State, string, server.Output) {
		s, o := h.Receive(s, began, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`))
		return s, texts(o), o
	}
	_, got, _ := ask(s, "server/discover", modern("{}"))
	if !strings.Contains(got, `"capabilities":{"tools":{"listChanged":true}}`) || !strings.Contains(got, `"supportedVersions":["2026-07-28"]`) {
		t.Errorf("%s", got)
	}
	for method, code := range map[string]string{"prompts/list": "-32601", "resources/list": "-32601", "resources/read": "-32601", "completion/complete": "-32601", "resources/subscribe": "-32601", "tools/list": "result"} {
		if _, got, _ := ask(s, method, modern("{}")); !strings.Contains(got, code) {
			t.Errorf("%s is answered %s, want %s", method, got, code)
		}
	}
	if _, got, _ := ask(s, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`); !strings.Contains(got, `-32601`) || !strings.Contains(got, `"supported":["2026-07-28"],"requested":"2025-11-25"`) {
		t.Errorf("initialize is answered %s", got)
	}
	cursor, names := "", ""
	for page := 0; page == 0 || cursor != ""; page++ {
		one, err := server.New(cfg, began) // each page from another State
		if err != nil || page > 3 {
			t.Fatal(err, page)
		}
		_, got, o := ask(one, "tools/list", cursor+modern("{}"))
		if !strings.Contains(got, `"ttlMs":0,"cacheScope":"private"`) || !strings.Contains(got, schema) {
			t.Errorf("page %d: %s", page, got)
		}
		r, err := protocol.Decode[protocol.ListToolsResult](o.Send[0].Message.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range r.Tools {
			names += tool.Name
		}
		if cursor = ""; r.NextCursor != nil {
			cursor = `"cursor":"` + string(*r.NextCursor) + `",`
		}
	}
	if names != "t0t1t2t3t4" {
		t.Errorf("the tools are %s", names)
	}
	if _, got, _ := ask(s, "tools/list", `"cursor":"",`+modern("{}")); !strings.Contains(got, `"error":{"code":-32602`) {
		t.Errorf("the cursor that is empty is answered %s", got)
	}
	if _, got, _ := ask(s, "tools/call", `"name":"t0",`+modern("{}", `"io.modelcontextprotocol/x":{"y":1}`)); !strings.Contains(got, `io.modelcontextprotocol/x\":{\"y\":1}`) {
		t.Errorf("a reserved key is lost: %s", got)
	}
	// What the application writes itself is not written twice, and who asks may have a long name.
	long := strings.Repeat("n", 10_000)
	s, _, o := ask(s, "x/y", modern("{}", `"io.modelcontextprotocol/clientInfo":{"name":"`+long+`","version":"1"}`))
	if ev := o.Events[0]; ev.Kind != lifecycle.RequestReceived || ev.Revision != protocol.Revision20260728 || len(s.Client(ev.Call).Info.Name) > 100 {
		t.Errorf("%+v", o.Events)
	}
	_, o, err = s.Respond(began, o.Events[0].Call, protocol.Raw(`{"a":1,"resultType":"complete"}`))
	if got := texts(o); err != nil || strings.Count(got, "resultType") != 1 || !strings.Contains(got, `"a":1`) || !strings.Contains(got, "serverInfo") {
		t.Errorf("%v %s", err, got)
	}
	// A change right after the acknowledgement is told.
	l, _ := s.NewSession(began)
	l, _ = l.Receive(began, listen("1", `{"toolsListChanged":true}`))
	h.Tool(protocol.Tool{Name: "more"}, nil)
	if catalog, err = h.Catalog(); err != nil {
		t.Fatal(err)
	}
	l, _, err = l.SetCatalog(began, catalog)
	at, ok := l.NextDeadline()
	if _, o := l.Tick(at); texts(o) != told("1", "notifications/tools/list_changed", "") || !ok || err != nil {
		t.Errorf("%v %s", err, texts(o))
	}
}
