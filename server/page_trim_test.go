package server_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// What a revision lacks goes from whichever page it is on, and pages that have nothing of
// the kind go out as they are.
func TestPagesByRevision(t *testing.T) {
	const object = jsonrpc.Raw(`{"type":"object"}`)
	for name, tool := range map[string]protocol.Tool{
		"none":  {Name: "b", InputSchema: object},
		"title": {Name: "b", Title: "B", InputSchema: object},
		"icons": {Name: "b", Icons: []protocol.Icon{{Src: "data:,"}}, InputSchema: object},
	} {
		items := server.Items{PageSize: 1, Schemas: schema.None{}, Tools: []protocol.Tool{{Name: "a", InputSchema: object}, tool}}
		for _, r := range protocol.Revisions() {
			s := offer(t, items, server.Config{}, r.String())
			_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			page, err := protocol.Decode[protocol.ListToolsResult](out.Send[0].Message.Body)
			if err != nil || len(page.Tools) != 1 || page.NextCursor == nil {
				t.Fatal(err, page)
			}
			_, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":%q}}`, string(*page.NextCursor))))
			want, lossy := r.Downgrade(protocol.MethodToolsList, protocol.BodyResult, `{"tools":[`+jsonrpc.Raw(tool.AppendJSON(nil))+`]}`)
			if got := out.Send[0].Message.Body; got != want || len(out.Events) > 0 != lossy {
				t.Errorf("%s in %v: %s and %d events, want %s", name, r, got, len(out.Events), want)
			}
		}
	}
}

// A State that is none has nothing to check.
func TestCheckOfNothing(t *testing.T) {
	if (server.State{}).Check() == nil {
		t.Error("the zero State is one")
	}
}
