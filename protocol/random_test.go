package protocol_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

type rapidSource struct{ t *rapid.T }

func (s rapidSource) Intn(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "") }

// The codec of every type appends what the oracle says, and decodes it to the
// same value; encoding/json users get the same bytes (2025-06-18, schema.ts).
func TestCodecAgainstOracle(t *testing.T) {
	for _, typ := range types {
		t.Run(typeName(typ), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := fresh(typ)
				values.Drawer{Source: rapidSource{t}}.Fill(v)
				want := oracle(v)
				got := string(v.AppendJSON([]byte("before")))
				if got != "before"+want {
					t.Fatalf("appended %s\n    want %s", got, "before"+want)
				}
				if err := v.Validate(); err != nil {
					t.Fatalf("%s: Validate: %v", want, err)
				}
				w := fresh(typ)
				if err := w.DecodeJSON(Raw(want), jsonrpc.Span{}); err != nil {
					t.Fatalf("%s: %v", want, err)
				}
				if !reflect.DeepEqual(v, w) {
					t.Fatalf("%s reads back as %s", want, oracle(w))
				}
				u := fresh(typ)
				if err := json.Unmarshal([]byte(" "+want), u); err != nil || !reflect.DeepEqual(v, u) {
					t.Fatalf("%s: unmarshals as %s: %v", want, oracle(u), err)
				}
				if b, err := v.MarshalJSON(); err != nil || string(b) != want {
					t.Fatalf("marshalled %s\n    want %s: %v", b, want, err)
				}
				if !json.Valid([]byte(want)) {
					t.Fatalf("not JSON: %s", want)
				}
			})
		})
	}
}

// What is left zero is absent, or written as the empty value of its type: never
// as null but for data of any type, and always as valid JSON. Slices that are
// required are never null (case 3 of the bugs of other SDKs; 53: nor is what is
// optional).
func TestZeroValues(t *testing.T) {
	for _, v := range types {
		got := string(v.AppendJSON(nil))
		if !json.Valid([]byte(got)) {
			t.Errorf("%T: %s is not JSON", v, got)
		}
		switch v.(type) {
		case *LoggingMessageParams, *CancelledParams, *ProgressParams: // data; an id, which Validate demands
		default:
			if strings.Contains(got, "null") {
				t.Errorf("%T: %s", v, got)
			}
		}
	}
	for _, c := range []struct {
		v    codec
		want string
	}{
		{&ListToolsResult{}, `{"tools":[]}`},
		{&ListPromptsResult{}, `{"prompts":[]}`},
		{&ListResourcesResult{}, `{"resources":[]}`},
		{&ListResourceTemplatesResult{}, `{"resourceTemplates":[]}`},
		{&ListRootsResult{}, `{"roots":[]}`},
		{&CallToolResult{}, `{"content":[]}`},
		{&ReadResourceResult{}, `{"contents":[]}`},
		{&GetPromptResult{}, `{"messages":[]}`},
		{&CompleteResult{}, `{"completion":{"values":[]}}`},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":0}`},
		{&Tool{}, `{"name":"","inputSchema":{"type":"object"}}`},
		{&LoggingMessageParams{}, `{"level":"","data":null}`},
		{&ElicitSchema{}, `{"type":"object","properties":{}}`},
		{&InitializeParams{}, `{"protocolVersion":"","capabilities":{},"clientInfo":{"name":"","version":""}}`},
		{&ClientCapabilities{Roots: &RootsCapability{}, Experimental: map[string]Raw{"x": ""}}, `{"experimental":{"x":{}},"roots":{}}`},
		{&ElicitResult{Content: map[string]Raw{}}, `{"action":"","content":{}}`},
		{&GetPromptParams{Arguments: map[string]string{"b": "", "a": "1"}}, `{"name":"","arguments":{"a":"1","b":""}}`},
		{&Prompt{Arguments: []PromptArgument{}}, `{"name":"","arguments":[]}`},
	} {
		if got := string(c.v.AppendJSON(nil)); got != c.want {
			t.Errorf("%T: %s, want %s", c.v, got, c.want)
		}
	}
}

// What a value held before is forgotten when it is decoded into, in whatever form it was;
// where that fails, too, nothing is left of another form.
func TestDecodeForgets(t *testing.T) {
	n := 0
	for _, a := range shapes() {
		for _, b := range shapes() {
			if typeName(a.value) != typeName(b.value) {
				continue
			}
			texts := []string{b.text}
			for _, m := range b.members {
				if !m.required {
					texts = append(texts, rawjson.Set(b.text, m.wire, ""))
				}
			}
			for _, text := range texts {
				used, unused := fresh(a.value), fresh(a.value)
				if err := errors.Join(used.DecodeJSON(Raw(a.text), jsonrpc.Span{}), used.DecodeJSON(Raw(text), jsonrpc.Span{}), unused.DecodeJSON(Raw(text), jsonrpc.Span{})); err != nil {
					t.Fatal(a.name, text, err)
				}
				if n++; !reflect.DeepEqual(used, unused) {
					t.Errorf("%s over %s: %s, want %s", text, a.text, used.AppendJSON(nil), unused.AppendJSON(nil))
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d values", n)
	}
}
