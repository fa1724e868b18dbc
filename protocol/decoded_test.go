package protocol_test

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What came out of a decode is not read again where bodies are left alone, and everywhere else it
// is checked as what did not.
func TestDecoded(t *testing.T) {
	row := protocol.Revisions()[0].Row("tools/call")
	loose, strict := protocol.Encoding{Loose: true}, protocol.Encoding{}
	const broken = `{"name":"a","arguments":{]}`
	for _, c := range []struct {
		body string
		span jsonrpc.Span
		how  protocol.Encoding
		ok   bool
	}{
		{`{"name":"a","arguments":{"x":1}}`, jsonrpc.Span{Start: 24, End: 31}, loose, true},
		{`{"name":"a","arguments":{"x":1}}`, jsonrpc.Span{}, loose, true},
		{` {"name":"a","arguments":{"x":1}}`, jsonrpc.Span{}, loose, true},
		{"", jsonrpc.Span{}, loose, true},
		{`["a"]`, jsonrpc.Span{}, loose, false},
		{" ", jsonrpc.Span{}, loose, false},
		{`{"name":"a","Name":"b"}`, jsonrpc.Span{}, loose, false}, // two readings
		{broken, jsonrpc.Span{Start: 24, End: 26}, loose, true},   // taken at its word
		{broken, jsonrpc.Span{Start: 24, End: 26}, strict, false},
		{`{"name":1}`, jsonrpc.Span{}, strict, false},
		{`{"name":"a","arguments":{"x":1}}`, jsonrpc.Span{Start: 24, End: 31}, strict, true},
	} {
		p := protocol.RawRequest{Name: "tools/call", Body: jsonrpc.Raw(c.body), Decoded: true, Span: c.span}
		raw, info, err := row.EncodeParams(p, c.how)
		if (err == nil) != c.ok || c.ok && (raw != p.Body || c.body != "" && info.Subject != "a") {
			t.Errorf("EncodeParams(%q, %+v) = %q, %+v, %v", c.body, c.how, raw, info, err)
		}
	}
	for _, c := range []struct {
		body string
		how  protocol.Encoding
		ok   bool
	}{
		{`{"content":[]}`, loose, true},
		{`{"content":[}`, loose, true}, // taken at its word
		{`[]`, loose, false},
		{"", loose, false},
		{`{"content":[}`, strict, false},
		{`{"content":1}`, strict, false},
		{`{"content":[]}`, strict, true},
	} {
		e, err := row.EncodeResult(protocol.DecodedResult(c.body), "", c.how)
		if (err == nil) != c.ok || c.ok && string(e.Body) != c.body {
			t.Errorf("EncodeResult(%q, %+v) = %q, %v", c.body, c.how, e.Body, err)
		}
	}
	if raw, err := protocol.EncodeResult(protocol.DecodedResult("{}")); err != nil || raw != "{}" || string(protocol.DecodedResult("{}").AppendJSON(nil)) != "{}" {
		t.Error(raw, err)
	}
	if _, err := protocol.EncodeResult(protocol.DecodedResult("{")); err == nil {
		t.Error("not JSON")
	}
}
