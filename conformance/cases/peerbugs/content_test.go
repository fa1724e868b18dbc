package peerbugs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// blocks are content of all kinds and of an unknown one.
const blocks = `[{"type":"text","text":"a"},{"type":"hologram","x":1e400,"y":null},{"type":"resource","resource":{"uri":"u:1","blob":""}},` +
	`{"type":"resource_link","uri":"u:2","name":"n"},{"type":"audio","data":"","mimeType":"a/b","z":9007199254740993}]`

const hologram = `{"type":"hologram","x":1e400,"y":null}`

// Case 47: a block of an unknown kind fails no result. The event has it byte for byte,
// decoding keeps it, and a relay passes it on.
//
// rows: TOOL-014 PROMPT-006
func Test47UnknownContentInResults(t *testing.T) {
	for method, result := range map[string]string{
		"tools/call":  `{"content":` + blocks + `}`,
		"prompts/get": `{"messages":[{"role":"user","content":` + hologram + `},{"role":"assistant","content":{"type":"text","text":"a"}}]}`,
	} {
		x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
		x, req := ask(x, request{name: method, params: `{"name":"t"}`}, lifecycle.RequestOptions{})
		_, out := x.Receive(x.Result(result))
		if reports(out) != "violation SCHEMA-012, response received" || out.Events[1].Req != req || string(out.Events[1].Body) != result {
			t.Fatalf("%s: events %s, %s", method, reports(out), out.Events[0].Body)
		}
		ev := out.Events[1]
		var back protocol.Result
		var err error
		if method == "tools/call" {
			var r protocol.CallToolResult
			r, err = protocol.Decode[protocol.CallToolResult](ev.Body)
			back = r
			if len(r.Content) != 5 || string(r.Content[1].Raw) != hologram || r.Content[2].Resource == nil || r.Content[2].Resource.Blob == nil {
				t.Errorf("decoded as %+v", r.Content)
			}
		} else {
			var r protocol.GetPromptResult
			r, err = protocol.Decode[protocol.GetPromptResult](ev.Body)
			back = r
			if len(r.Messages) != 2 || string(r.Messages[0].Content.Raw) != hologram {
				t.Errorf("decoded as %+v", r.Messages)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", method, err)
		}
		// Through a relay unchanged, and through one that decodes.
		s := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
		name := map[string]string{"tools/call": "t", "prompts/get": "p"}[method]
		s, out = s.Receive(line("a", method, fmt.Sprintf(`{"name":%q}`, name)))
		call := out.Opened
		_, raw, err := s.Server().Finish(s.Now, ev.Answer(call))
		if want := `{"id":"a","result":` + result + `}`; err != nil || wire(raw) != want {
			t.Errorf("%s relayed: sent %s, %v, want %s", method, wire(raw), err, want)
		}
		_, typed, err := s.Respond(call, back)
		if err != nil || len(typed.Send) != 1 || !strings.Contains(wire(typed), hologram) {
			t.Errorf("%s decoded and answered: sent %s, %v", method, wire(typed), err)
		}
	}
}

// Case 47: content for a model must be known; an unknown block
// is refused before the application sees it, and fails only that request.
// rows: SAMP-002
func Test47UnknownContentInSampling(t *testing.T) {
	x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Ready)
	for _, block := range []string{hologram, `{"type":"resource_link","uri":"u:2","name":"n"}`, `{"type":"resource","resource":{"uri":"u:1","text":""}}`, `{}`, `[]`, `null`} {
		_, out := x.Receive(line("a", "sampling/createMessage", `{"messages":[{"role":"user","content":`+block+`}],"maxTokens":1}`))
		if outcome(out) != "-32602" || reports(out) != "violation ERR-005" {
			t.Errorf("%s: %s, events %s", block, outcome(out), reports(out))
		}
	}
	s := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
	s, _ = ask(s, requestTo(protocol.Client), lifecycle.RequestOptions{})
	_, out := s.Receive(s.Result(`{"role":"assistant","model":"m","content":{"type":"text"}}`))
	if kinds := verbs.Kinds(out); len(out.Send) != 0 || kinds != "violation, request failed" {
		t.Errorf("a text without its text: sent %q, events %s", verbs.Lines(out), reports(out))
	}
}
