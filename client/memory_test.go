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

// What a client that is idle keeps of a server without sessions is what that says of itself, once. Clients that are
// given one Verdict share it.
func TestIdleClientsAreSmall(t *testing.T) {
	const n, said = 1000, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench-server","version":"1.0.0"}},"ttlMs":0,"cacheScope":"private"}`
	first, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.AllRevisions()}, t0)
	if err != nil {
		t.Fatal(err)
	}
	open := func(prior client.Verdict) client.State {
		s, err := first.NewSession(t0)
		if err != nil {
			t.Fatal(err)
		}
		s, out, err := s.Connect(t0, prior)
		if err != nil {
			t.Fatal(err)
		}
		if prior == "" {
			s, _ = s.Receive(t0, jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":`+out.Send[0].Message.ID.String()+`,"result":`+said+`}`)))
		}
		if s.Verdict() != said || s.Peer().Name != "bench-server" {
			t.Fatal(s.Phase(), s.Verdict(), s.Peer())
		}
		return s
	}
	for _, c := range []struct {
		prior client.Verdict
		most  int64 // bytes
	}{{"", 490}, {said, 265}} {
		got := memory.Retained(func() any {
			kept := make([]client.State, n)
			for i := range kept {
				kept[i] = open(c.prior)
			}
			return kept
		}) / n
		if t.Logf("%d bytes", got); got > c.most {
			t.Errorf("an idle client with the Verdict %q is %d bytes, at most %d", c.prior, got, c.most)
		}
	}
}
