package client_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A hostile answer costs a few times its length, whatever it is made of and even if
// one item is odd.
func TestHostileAnswersCostLittle(t *testing.T) {
	for _, c := range []struct {
		p                     protocol.Params
		open, odd, item, shut string
	}{
		{protocol.ListToolsParams{}, `{"tools":[`, `5`, `{"name":"","inputSchema":{"type":"object"}}`, `]}`},
		{protocol.ListPromptsParams{}, `{"prompts":[`, `5`, `{"name":""}`, `]}`},
		{protocol.ListResourcesParams{}, `{"resources":[`, `5`, `{"uri":"","name":""}`, `]}`},
		{protocol.ListResourceTemplatesParams{}, `{"resourceTemplates":[`, `5`, `{"uriTemplate":"","name":""}`, `]}`},
		{protocol.ReadResourceParams{URI: "a:b"}, `{"contents":[`, ``, `{"uri":"","text":""}`, `]}`},
		{protocol.CallToolParams{Name: "a"}, `{"content":[`, `5`, `{"type":"text","text":""}`, `]}`},
		{protocol.CallToolParams{Name: "a"}, `{"content":[`, ``, `{"type":""}`, `]}`},
		{protocol.CallToolParams{Name: "a"}, `{"content":[`, `5`, `{"type":"resource_link","uri":"","name":""}`, `]}`},
		{protocol.GetPromptParams{Name: "a"}, `{"messages":[`, ``, `{"role":"user","content":{"type":"text","text":""}}`, `]}`},
		{protocol.CompleteParams{Ref: protocol.Reference{Type: protocol.RefPrompt, Name: "a"}}, `{"completion":{"values":[`, ``, `""`, `]}}`},
	} {
		const size = 1 << 20
		s := ready(t)
		s, out, err := s.Request(t0, c.p, client.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		body := c.open
		if c.odd != "" {
			body += c.odd + ","
		}
		line := []byte(`{"jsonrpc":"2.0","id":` + out.Send[0].Message.ID.String() + `,"result":` + body + c.item +
			strings.Repeat(","+c.item, size/(len(c.item)+1)) + c.shut + `}`)
		var got client.Output
		cost := float64(memory.Allocated(func() { _, got = s.Receive(t0, jsonrpc.Decode(line)) })) / float64(len(line))
		last := got.Events[len(got.Events)-1]
		if cost > 6 || last.Kind != lifecycle.ResponseReceived {
			t.Errorf("%s%s: %.2f times its length; %v", c.open, c.item, cost, last)
		}
	}
}
