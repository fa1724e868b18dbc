package fuzz_test

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/protocol/seal"
	"github.com/sansmcp/mcp/server"
)

// FuzzStateless reads each kind of object that a peer without a session writes: an envelope, a result that asks, answers,
// a filter, the schema of a tool with arguments in headers, and a sealed state.
func FuzzStateless(f *testing.F) {
	for _, text := range []string{
		`{}`,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/logLevel":"info"}`,
		`{"io.modelcontextprotocol/protocolVersion":"\u0032026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}`,
		`{"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://a.example"}},"b":{"method":"roots/list"}},"requestState":"s"}`,
		`{"inputResponses":{"a":{"action":"accept","content":{"n":1}},"b":{"roots":[]}},"requestState":"answers {}"}`,
		`{"toolsListChanged":true,"promptsListChanged":null,"resourceSubscriptions":["a:b","a:b",""]}`,
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"C"}}}},"a":" é","b":{"c":1e2}}`,
	} {
		f.Add(text)
	}
	row := protocol.Revision20260728.Row(protocol.ToolList.Use)
	ring, err := seal.NewRing([]byte(strings.Repeat("k", seal.MinKey)))
	if err != nil {
		f.Fatal(err)
	}
	s, err := server.New(server.Config{Info: who, Revisions: protocol.AllRevisions(), Catalog: fuzzCatalog(), Subscribe: true, ListChanged: protocol.CapToolsListChanged,
		Serve: []string{"tools/call", "resources/read", "prompts/get"}}, epoch)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sealed(t, ring, text)
		if len(text) == 0 || text[0] != '{' || !rawjson.Valid(text) {
			return
		}
		raw := protocol.Raw(text)
		// An envelope means the same in any spelling.
		is, ok, err := protocol.Meta(text).Envelope()
		if again, ok2, err2 := protocol.Meta("{ " + text[1:]).Envelope(); again != is || ok2 != ok || (err2 == nil) != (err == nil) {
			t.Errorf("%s: %+v %v %v, with a blank %+v %v %v", text, is, ok, err, again, ok2, err2)
		}
		if q, needs, err := row.ReadInput(raw); err == nil {
			if out, needs2, err := row.EncodeInput(q, needs, protocol.Encoding{}); err == nil {
				again, _, err := row.ReadInput(out.Body)
				if err != nil || again.State != q.State || !slices.EqualFunc(again.Questions, q.Questions, func(a, b protocol.Question) bool { return a.Key == b.Key }) || needs2 != needs {
					t.Errorf("%s becomes %s: %v", text, out.Body, err)
				}
			}
		}
		if in, err := protocol.ReadResponses(raw, jsonrpc.Span{}); err == nil && in != nil {
			keys := slices.Sorted(maps.Keys(in.Results))
			var answers []protocol.Raw
			for _, key := range keys {
				answers = append(answers, in.Results[key])
			}
			again, err := protocol.ReadResponses(protocol.WithResponses("{}", keys, answers, in.State), jsonrpc.Span{})
			if len(keys) == 0 && in.State == "" {
				again = in // nothing is written
			}
			if err != nil || again == nil || again.State != in.State || !maps.Equal(again.Results, in.Results) {
				t.Errorf("%s: %+v, then %+v %v", text, in, again, err)
			}
		}
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		next, o := s.Receive(epoch, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":`+text+`,`+meta+`}}`))
		if err := next.Check(); err != nil || len(o.Send) != 1 {
			t.Errorf("%s: %v, %d messages", text, err, len(o.Send))
		}
		list, err := headers.Params(raw)
		if err != nil {
			return
		}
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":` + text + `,` + meta + `}}`)
		fields := headers.Mirror(m, protocol.Revision20260728, list)
		if why := headers.Differs(m, "2026-07-28", func(name string) (values []string) {
			for _, field := range fields {
				if strings.EqualFold(field.Name, name) {
					values = append(values, field.Value)
				}
			}
			return values
		}, func(string) []headers.Param { return list }); why != "" {
			t.Errorf("%s: %s, in %v", text, why, fields)
		}
	})
}

// sealed checks that only what was sealed opens.
func sealed(t *testing.T, ring seal.Ring, text string) {
	t.Helper()
	of, expires := seal.Purpose{Principal: "p", Method: "m", Params: text}, epoch.Add(time.Minute)
	if _, err := ring.Open(text, of, epoch); err == nil {
		t.Errorf("%q is forged", text)
	}
	out := ring.Seal(text, of, expires)
	if got, err := ring.Open(out, of, epoch); err != nil || got != text {
		t.Errorf("%q comes back as %q: %v", text, got, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(out)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(text)%len(raw)] ^= 1 << (len(text) % 8)
	if _, err := ring.Open(base64.RawURLEncoding.EncodeToString(raw), of, epoch); err == nil {
		t.Errorf("%q opens with another bit", text)
	}
}
