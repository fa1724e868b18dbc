package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// Params go out as their method has them: typed ones of the method as they are, raw ones
// and those of another type by the look of their JSON. PrepareParams comes to the same,
// later.
func TestParamsAsSent(t *testing.T) {
	const invalid = "!"
	call := CallToolParams{Name: "t", Meta: `{"a":1}`}
	raw := func(method, body string) Params { return RawRequest{Name: method, Body: Raw(body)} }
	for _, c := range []struct {
		name, method string
		p            Params
		how          Encoding
		want         string // ! for an error
		subject      string
		meta         Meta
	}{
		{"typed", "tools/call", call, Encoding{}, `{"name":"t","_meta":{"a":1}}`, "t", `{"a":1}`},
		{"pointer", "tools/call", &call, Encoding{}, `{"name":"t","_meta":{"a":1}}`, "t", `{"a":1}`},
		{"invalid", "tools/call", CallToolParams{Meta: "5"}, Encoding{}, invalid, "", ""},
		{"invalid, loose", "tools/call", CallToolParams{Meta: "5"}, Encoding{Loose: true}, invalid, "", ""},
		{"invalid of another type", "logging/setLevel", SetLevelParams{Level: "loud"}, Encoding{Loose: true}, invalid, "", ""},
		{"nothing", "tools/call", nil, Encoding{}, invalid, "", ""},
		{"nil pointer", "tools/call", (*CallToolParams)(nil), Encoding{}, invalid, "", ""},
		{"nil pointer of another type", "ping", (*PingParams)(nil), Encoding{}, invalid, "", ""},
		{"empty", "tools/list", ListToolsParams{}, Encoding{}, ``, "", ""},
		{"empty of a pointer", "ping", &PingParams{}, Encoding{}, ``, "", ""},
		{"level", "logging/setLevel", SetLevelParams{Level: "info"}, Encoding{}, `{"level":"info"}`, "info", ""},
		{"raw", "tools/call", raw("tools/call", ` {"name":"t", "_meta":{"a":1}}`), Encoding{}, ` {"name":"t", "_meta":{"a":1}}`, "t", `{"a":1}`},
		{"raw, absent", "tools/list", raw("tools/list", ``), Encoding{}, ``, "", ""},
		{"raw, absent and needed", "tools/call", raw("tools/call", ``), Encoding{}, invalid, "", ""},
		{"raw, absent and needed, loose", "tools/call", raw("tools/call", ``), Encoding{Loose: true}, ``, "", ""},
		{"raw, no object", "tools/call", raw("tools/call", `[]`), Encoding{Loose: true}, invalid, "", ""},
		{"raw, no JSON", "tools/call", raw("tools/call", `{"name"`), Encoding{Loose: true}, invalid, "", ""},
		{"raw, spaces", "tools/call", raw("tools/call", `  `), Encoding{Loose: true}, invalid, "", ""},
		{"raw, of another type", "tools/call", raw("tools/call", `{"name":7}`), Encoding{}, invalid, "", ""},
		{"raw, of another type, loose", "tools/call", raw("tools/call", `{"name":7}`), Encoding{Loose: true}, `{"name":7}`, "", ""},
		{"raw, two readings", "tools/call", raw("tools/call", `{"name":"a","name":"b"}`), Encoding{}, invalid, "", ""},
		{"raw, two readings, loose", "tools/call", raw("tools/call", `{"name":"a","name":"b"}`), Encoding{Loose: true}, invalid, "", ""},
		{"raw, nulls", "tools/call", raw("tools/call", `{"name":"t","arguments":null,"_meta":null}`), Encoding{}, `{"name":"t"}`, "t", ""},
		{"raw, nulls kept", "tools/call", raw("tools/call", `{"name":"t","arguments":null}`), Encoding{KeepNulls: true}, `{"name":"t","arguments":null}`, "t", ""},
		{"raw, nulls, loose", "tools/call", raw("tools/call", `{"name":"t","arguments":null}`), Encoding{Loose: true}, `{"name":"t","arguments":null}`, "t", ""},
		{"raw, nulls of a form", "elicitation/create", raw("elicitation/create", `{"message":"m","requestedSchema":{"$schema":null,"type":"object","required":null,"properties":{"a":{"title":null,"type":"string"}}}}`), Encoding{}, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, "", ""},
		{"custom", "x/y", raw("x/y", `{"name":null,"_meta":{"a":1}}`), Encoding{}, `{"name":null,"_meta":{"a":1}}`, "", `{"a":1}`},
		{"custom, bad _meta", "x/y", raw("x/y", `{"_meta":7}`), Encoding{}, invalid, "", ""},
	} {
		row := rowOf(c.method)
		body, info, err := row.EncodeParams(c.p, c.how)
		ready, late := row.PrepareParams(c.p, c.how)
		if (err != nil) != (c.want == invalid) || (late != nil) != (err != nil) {
			t.Errorf("%s: %v, prepared %v; want %s", c.name, err, late, c.want)
		}
		if err != nil || c.want == invalid {
			continue
		}
		if string(body) != c.want || info != (ParamsInfo{Meta: c.meta, Subject: c.subject}) {
			t.Errorf("%s: %s, %+v; want %s, %q, %q", c.name, body, info, c.want, c.subject, c.meta)
		}
		if ready.Body() != body || ready.Info != info {
			t.Errorf("%s: prepared it is %s, %+v", c.name, ready.Body(), ready.Info)
		}
	}
}

// Results go out as their method has them, mended where something is to be so, if nobody
// wants them left alone.
func TestResultsAsSent(t *testing.T) {
	const invalid = "!"
	many := strings.TrimSuffix(strings.Repeat(`"v",`, 101), ",")
	loose, nulls := Encoding{Loose: true}, Encoding{KeepNulls: true}
	for _, c := range []struct {
		name, method, subject string
		r                     Result
		how                   Encoding
		want                  string
	}{
		{"typed", "tools/call", "", CallToolResult{Content: []Content{TextContent("x")}}, Encoding{}, `{"content":[{"type":"text","text":"x"}]}`},
		{"pointer", "tools/call", "", TextResult("x"), Encoding{}, `{"content":[{"type":"text","text":"x"}]}`},
		{"nil pointer", "tools/call", "", (*CallToolResult)(nil), Encoding{}, invalid},
		{"nil pointer elsewhere", "prompts/get", "", (*CallToolResult)(nil), loose, invalid},
		{"nothing", "tools/call", "", nil, loose, invalid},
		{"invalid", "tools/call", "", CallToolResult{Meta: "5"}, loose, invalid},
		{"of another method", "prompts/get", "", TextResult("x"), Encoding{}, invalid},
		{"of another method, loose", "prompts/get", "", TextResult("x"), loose, `{"content":[{"type":"text","text":"x"}]}`},
		{"raw", "tools/call", "", Raw(`{"content":[ ]}`), Encoding{}, `{"content":[ ]}`},
		{"raw, no object", "tools/call", "", Raw(`[]`), loose, invalid},
		{"raw, no JSON", "tools/call", "", Raw(`{`), loose, invalid},
		{"raw, of another type", "tools/call", "", Raw(`{}`), Encoding{}, invalid},
		{"raw, of another type, loose", "tools/call", "", Raw(`{}`), loose, `{}`},
		{"raw, nulls", "tools/call", "", Raw(`{"content":[],"isError":null}`), Encoding{}, `{"content":[]}`},
		{"raw, nulls kept", "tools/call", "", Raw(`{"content":[],"isError":null}`), nulls, `{"content":[],"isError":null}`},
		{"raw, nulls, loose", "tools/call", "", Raw(`{"content":[],"isError":null}`), loose, `{"content":[],"isError":null}`},
		{"structured", "tools/call", "", CallToolResult{StructuredContent: `{"a":1}`}, Encoding{}, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"structured, raw", "tools/call", "", Raw(`{"content":[],"structuredContent":{"a":1}}`), Encoding{}, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"structured, loose", "tools/call", "", Raw(`{"content":[],"structuredContent":{"a":1}}`), loose, `{"content":[],"structuredContent":{"a":1}}`},
		{"structured beside content", "tools/call", "", Raw(`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}`), nulls, `{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}`},
		{"values", "completion/complete", "", Raw(`{"completion":{"values":[` + many + `],"total":101,"hasMore":true}}`), Encoding{}, `{"completion":{"values":[` + many[:len(many)-4] + `],"total":101,"hasMore":true}}`},
		{"values, loose", "completion/complete", "", Raw(`{"completion":{"values":[` + many + `]}}`), loose, `{"completion":{"values":[` + many + `]}}`},
		{"form", "elicitation/create", goodForm, ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": `"xy"`}}, Encoding{}, `{"action":"accept","content":{"a":"xy"}}`},
		{"beside the form", "elicitation/create", goodForm, ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": `"x"`}}, Encoding{}, invalid},
		{"beside the form, loose", "elicitation/create", goodForm, ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": `"x"`}}, loose, `{"action":"accept","content":{"a":"x"}}`},
		{"refusal", "elicitation/create", goodForm, Raw(`{"action":"cancel","content":{"a":"x"}}`), Encoding{}, `{"action":"cancel"}`},
		{"empty", "ping", "", EmptyResult{}, Encoding{}, `{}`},
		{"empty with _meta", "ping", "", EmptyResult{Meta: `{"a":1}`}, Encoding{}, `{"_meta":{"a":1}}`},
		{"custom", "x/y", "", Raw(`{"x":null,"_meta":{}}`), Encoding{}, `{"x":null,"_meta":{}}`},
		{"custom, bad _meta", "x/y", "", Raw(`{"_meta":7}`), Encoding{}, invalid},
	} {
		a, err := rowOf(c.method).EncodeResult(c.r, c.subject, c.how)
		switch {
		case (err != nil) != (c.want == invalid):
			t.Errorf("%s: %s, %v; want %s", c.name, a.Body, err, c.want)
		case err == nil && string(a.Body) != c.want:
			t.Errorf("%s: %s, want %s", c.name, a.Body, c.want)
		}
	}
}

// What is said of a tool's result, typed or raw, is what a receiver finds in it.
func TestToldOfToolResults(t *testing.T) {
	embedded := EmbeddedContent(ResourceContents{URI: "a:b", Text: "t"})
	for _, r := range []CallToolResult{
		{}, {IsError: true}, {StructuredContent: `{"a":1}`}, {Content: []Content{TextContent("x")}},
		{Content: []Content{TextContent("x"), embedded, TextContent("y")}, IsError: true},
	} {
		row := rowOf(MethodToolsCall)
		typed, err := row.EncodeResult(r, "", Encoding{Loose: true})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := row.EncodeResult(typed.Body, "", Encoding{})
		found := row.Accept(Reply{Body: typed.Body}).Info
		want := ResultInfo{Failed: r.IsError, Bare: len(r.Content) == 0, Embeds: len(r.Content) > 1, Structured: r.StructuredContent}
		if err != nil || typed.Info != want || raw.Info != want || found != want {
			t.Errorf("%s: typed %+v, raw %+v, found %+v; want %+v; %v", typed.Body, typed.Info, raw.Info, found, want, err)
		}
	}
}

// foreign is a result, and params, of a type that others have made.
type foreign string

func (f foreign) Method() string { return "x/y" }

func (f foreign) AppendJSON(dst []byte) []byte {
	if f == "panic" {
		panic("of its own")
	}
	return append(dst, f...)
}

// A type that others have made goes out if it makes a JSON object, and breaks nothing.
func TestForeignTypes(t *testing.T) {
	for text, good := range map[foreign]bool{`{"a":1}`: true, `{}`: true, ``: false, `7`: false, `{`: false, `panic`: false, `{"_meta":7}`: false} {
		want := Raw(text)
		if a, err := rowOf("x/y").EncodeResult(text, "", Encoding{}); (err == nil) != good || good && a.Body != want {
			t.Errorf("as a result %q: %q, %v", text, a.Body, err)
		}
		body, _, err := rowOf("x/y").EncodeParams(text, Encoding{})
		if want == "{}" {
			want = "" // no params
		}
		if (err == nil) != good || good && body != want {
			t.Errorf("as params %q: %q, %v", text, body, err)
		}
	}
}

// An error of code 0, or whose data are no JSON, is not one to send.
func TestCheckError(t *testing.T) {
	for _, c := range []struct {
		e    jsonrpc.Error
		good bool
	}{
		{jsonrpc.Error{}, false}, {jsonrpc.Error{Code: 1}, true}, {jsonrpc.Error{Code: -1, Message: "m", Data: `[1]`}, true},
		{jsonrpc.Error{Code: 1, Data: `[`}, false}, {jsonrpc.Error{Data: `1`}, false},
	} {
		if err := CheckError(c.e, Encoding{}); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.e, err)
		}
	}
}
