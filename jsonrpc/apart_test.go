package jsonrpc_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
)

// A message that is a small part of a long text does not keep the text: whatever else was there,
// and in whatever order. It is the same message as without it.
func TestSmallMessagesKeepNoLongText(t *testing.T) {
	const size = 1 << 20
	junk := `"junk":"` + strings.Repeat("x", size) + `"`
	for _, tt := range []struct{ text, alone string }{
		{`{"jsonrpc":"2.0","id":"anid","method":"a/method","params":{"a":1},` + junk + `}`, `{"jsonrpc":"2.0","id":"anid","method":"a/method","params":{"a":1}}`},
		{`{` + junk + `,"jsonrpc":"2.0","method":"a/method"}`, `{"jsonrpc":"2.0","method":"a/method"}`},
		{`{"jsonrpc":"2.0","id":1e3,"result":{"a":"b"}` + strings.Repeat(" ", size) + `}`, `{"jsonrpc":"2.0","id":1e3,"result":{"a":"b"}}`},
		{`{"jsonrpc":"2.0","id":"anid","error":{"code":-1,"message":"a message","data":{"a":"b"}},` + junk + `}`, `{"jsonrpc":"2.0","id":"anid","error":{"code":-1,"message":"a message","data":{"a":"b"}}}`},
		{`{"jsonrpc":"2.0","id":"anid","error":{"code":-1},` + junk + `}`, `{"jsonrpc":"2.0","id":"anid","error":{"code":-1}}`},
		{`{"jsonrpc":"2.0","id":"anid","method":"a/method",` + junk + `} x`, `{"jsonrpc":"2.0","id":"anid","method":"a/method"} x`},
		{`[{"jsonrpc":"2.0","id":"anid","method":"a/method","params":{"a":1}},5,{` + junk + `}]`, `[{"jsonrpc":"2.0","id":"anid","method":"a/method","params":{"a":1}},5,{"junk":"x"}]`},
		{`{"jsonrpc":"2.0","id":"anid","method":"a/method","params":{"a":1},"junk":"` + strings.Repeat("x", 17<<20) + `"}`, ""},
	} {
		want := jsonrpc.DecodeString(tt.alone)
		var kept []jsonrpc.Message
		before := alive()
		const n = 8
		for range n {
			kept = append(kept, jsonrpc.Decode([]byte(tt.text)), jsonrpc.DecodeString(strings.Clone(tt.text)))
		}
		if grown := alive() - before; grown > size {
			t.Errorf("%d messages like %.70s keep %d KiB", len(kept), tt.alone, grown>>10)
		}
		for _, got := range kept {
			if tt.alone == "" {
				break
			}
			if diff := cmp.Diff(said(want), said(got)); diff != "" {
				t.Error(diff)
			}
		}
		runtime.KeepAlive(kept)
	}
}

// said is all that can be seen of a message.
func said(m jsonrpc.Message) []any {
	list := []any{m.ID.String(), m.Method, m.Body, m.Err, m.Kind, m.Fault, m.Shape, m.Spelling(), string(m.Body[m.Span.Start:m.Span.End])}
	for _, e := range m.Batch() {
		list = append(list, said(e))
	}
	return list
}

var alive = memory.Live
