package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// Of params that nobody checks this much is told: their _meta and what they are about. It
// is a fault that two readers may take a member that says so for two things, and nothing
// else is.
func TestLooseParams(t *testing.T) {
	type want struct {
		meta, subject string
		two           bool // two readings
	}
	two := want{two: true}
	for _, c := range []struct {
		method, params string
		want           want
	}{
		{"tools/call", ``, want{}},
		{"tools/call", `{}`, want{}},
		{"tools/call", `{"name":"t","arguments":{"name":"x","NAME":"y"},"_meta":{"a":1}}`, want{`{"a":1}`, "t", false}},
		{"tools/call", `{"n\u0061me":"\u0074"}`, want{subject: "t"}},
		{"tools/call", `{"name":7,"_meta":7}`, want{}},
		{"tools/call", `{"name":null,"_meta":null}`, want{}},
		{"tools/call", `{"name":"\ud800"}`, want{}},
		{"tools/call", `{"name":"a","name":"b"}`, two},
		{"tools/call", `{"name":"a","name":"a"}`, two},
		{"tools/call", `{"Name":"a"}`, two},
		{"tools/call", `{"name":"a","NAME":"a"}`, two},
		{"tools/call", `{"n\u0061me":"a","name":"b"}`, two},
		{"tools/call", `{"arguments":{},"arguments":{}}`, two},
		{"tools/call", `{"Arguments":{}}`, two},
		{"tools/call", `{"_meta":{},"_meta":{}}`, two},
		{"tools/call", `{"_META":{}}`, two},
		{"tools/call", `{"_meta":{"progressToken":1,"progressToken":2}}`, two},
		{"tools/call", `{"_meta":{"progresstoken":1}}`, two},
		{"tools/call", `{"_meta":{"a":1,"a":2,"A":3}}`, want{meta: `{"a":1,"a":2,"A":3}`}},
		{"tools/call", `{"uri":"a","uri":"b","URI":"c","name":"t"}`, want{subject: "t"}},
		{"tools/call", `{"ref":{"type":1,"type":2},"name":"t"}`, want{subject: "t"}},
		{"tools/call", `{"names":"a","nam":"b","name":"t"}`, want{subject: "t"}},
		{"prompts/get", `{"name":"p","arguments":{}}`, want{subject: "p"}},
		{"prompts/get", `{"name":"p","arguments":{},"arguments":{}}`, two},
		{"resources/read", `{"uri":"a:b","name":1,"name":2}`, want{subject: "a:b"}},
		{"resources/read", `{"uri":"a:b","URI":"a:b"}`, two},
		{"resources/subscribe", `{"uri":"a:b","uri":"a:b"}`, two},
		{"resources/unsubscribe", `{"Uri":"a:b"}`, two},
		{"logging/setLevel", `{"level":"info"}`, want{subject: "info"}},
		{"logging/setLevel", `{"level":"info","Level":"debug"}`, two},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p","x":1,"x":2}}`, want{}},
		{"completion/complete", `{"ref":{},"ref":{}}`, two},
		{"completion/complete", `{"REF":{}}`, two},
		{"completion/complete", `{"ref":{"type":"a","type":"b"}}`, two},
		{"completion/complete", `{"ref":{"name":"a","Name":"b"}}`, two},
		{"completion/complete", `{"ref":{"uri":"a","uri":"b"}}`, two},
		{"completion/complete", `{"ref":{"URI":"a"}}`, two},
		{"completion/complete", `{"ref":"type"}`, want{subject: "type"}},
		{"tools/list", `{"cursor":"a","cursor":"b","name":"c","_meta":{}}`, want{meta: `{}`}},
		{"x/y", `{"name":"a","name":"b","_meta":{"progressToken":1}}`, want{meta: `{"progressToken":1}`}},
		{"x/y", `{"_meta":{"progressToken":1,"progressToken":1}}`, two},
	} {
		row := rowOf(c.method)
		for _, span := range []bool{false, true} {
			var where jsonrpc.Span
			if span {
				where = jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + c.params + `}`).Span
			}
			info, err := row.LooseParams(Raw(c.params), where)
			switch {
			case c.want.two:
				if err == nil || info != (ParamsInfo{}) {
					t.Errorf("%s %s: %+v, %v; there are two readings", c.method, c.params, info, err)
				}
			case err != nil || string(info.Meta) != c.want.meta || info.Subject != c.want.subject:
				t.Errorf("%s %s: %+v, %v; want %+v", c.method, c.params, info, err, c.want)
			}
			p, told := RawRequest{Name: c.method, Body: Raw(c.params), Decoded: true, Span: where}.Read(row)
			if told != info {
				t.Errorf("%s %s: read as %+v; want %+v", c.method, c.params, told, info)
			}
			body, sent, fault := row.EncodeParams(p, Encoding{Loose: true})
			if (fault != nil) != c.want.two || fault == nil && (string(body) != c.params || sent.Meta != info.Meta) || row.Setting != SettingNone && sent != info {
				t.Errorf("%s %s: once read it goes out as %s, %+v, %v", c.method, c.params, body, sent, fault)
			}
		}
	}
}

// What is told of good params is what their check finds.
func TestLooseIsStrict(t *testing.T) {
	large := `"` + strings.Repeat("x", 5000) + `"`
	for _, c := range [][2]string{
		{"tools/call", `{"arguments":{"a":` + large + `},"name":"t","_meta":{"progressToken":"p"}}`},
		{"tools/call", `{"name":"t","_meta":{"a":` + large + `,"progressToken":"p"}}`},
		{"prompts/get", `{"name":"t","arguments":{"a":` + large + `}}`},
		{"resources/read", `{"uri":"a:b","x":` + large + `}`},
		{"resources/subscribe", `{"x":` + large + `,"uri":"a:b"}`},
		{"logging/setLevel", `{"level":"error","_meta":{"x":` + large + `}}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":` + large + `}}`},
		{"sampling/createMessage", `{"messages":[],"maxTokens":1,"systemPrompt":` + large + `,"_meta":{}}`},
		{"ping", `{"_meta":{"x":` + large + `}}`},
		{"x/y", `{"name":"t","_meta":{"x":` + large + `}}`},
	} {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + c[1] + `}`)
		row := rowOf(c[0])
		want, err := row.ReadParams(m.Body, m.Span)
		if err != nil {
			t.Fatalf("%.80s: %v", c[1], err)
		}
		if got, err := row.LooseParams(m.Body, m.Span); err != nil || got != want {
			t.Errorf("%s %.80s: %+v, %v; want %+v", c[0], c[1], got, err, want)
		}
	}
}
