package protocol_test

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// What 2025-11-25 has added to types that older revisions have.

// A program says what it is, where to read about it and what it looks like; what is sent has
// a uri, what is received any string.
//
// revisions: 2025-11-25..
// rows: SCHEMA-101
func TestImplementations(t *testing.T) {
	const whole = `{"name":"n","title":"t","version":"1","description":"d","websiteUrl":"https://a.example","icons":[{"src":"data:,"}]}`
	v := decoded(t, &Implementation{}, whole).(*Implementation)
	if got := string(v.AppendJSON(nil)); got != whole || v.Validate() != nil {
		t.Errorf("%s: %v", got, v.Validate())
	}
	for url, good := range map[string]bool{"": true, "https://a.example": true, "u:1": true, "a.example": false, "/a": false, "https://a b": false} {
		v.WebsiteURL = url
		if err := v.Validate(); (err == nil) != good {
			t.Errorf("websiteUrl %q: %v", url, err)
		}
		text := string(v.AppendJSON(nil))
		if got := decoded(t, &Implementation{}, text).(*Implementation); got.WebsiteURL != url {
			t.Errorf("%s reads as %q", text, got.WebsiteURL)
		}
	}
	for member, val := range map[string]string{"description": "5", "websiteUrl": "{}"} {
		if path, r := reason(t, &Implementation{}, with(whole, member, val)); path != member || r != ReasonType {
			t.Errorf("%s %s: %q %v", member, val, path, r)
		}
	}
	const lean = `{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"n","title":"t","version":"1"}}`
	for member, val := range map[string]string{"description": `"d"`, "websiteUrl": `"u:1"`} {
		for _, r := range Revisions() {
			text := Raw(lean[:len(lean)-2] + `,"` + member + `":` + val + `}}`)
			got, lossy := r.Downgrade(MethodInitialize, BodyParams, text)
			if _, there := decoded(t, &InitializeParams{}, string(got)).(*InitializeParams); !there || (got == text) != (r == Revision20251125) || lossy == (r == Revision20251125) {
				t.Errorf("%v: %s becomes %s", r, text, got)
			}
		}
	}
}

// A message to a model has _meta, which older revisions do not get and do not look at.
//
// revisions: 2025-11-25..
// rows: SCHEMA-102
func TestMetaOfSamplingMessages(t *testing.T) {
	const bare, whole = `{"role":"user","content":{"type":"text","text":"x"}}`, `{"role":"user","content":{"type":"text","text":"x"},"_meta":{"a.b/c":[1.0]}}`
	v := decoded(t, &SamplingMessage{}, whole).(*SamplingMessage)
	if got := string(v.AppendJSON(nil)); got != whole || v.Meta != `{"a.b/c":[1.0]}` {
		t.Errorf("%s, %s", got, v.Meta)
	}
	if path, r := reason(t, &SamplingMessage{}, with(whole, "_meta", "5")); path != "_meta" || r != ReasonType {
		t.Errorf("%q %v", path, r)
	}
	v.Meta = "[]"
	if v.Validate() == nil {
		t.Error("_meta may be an array")
	}
	params := func(message string) Raw { return Raw(`{"messages":[` + message + `],"maxTokens":1}`) }
	for _, r := range Revisions() {
		got, lossy := r.Downgrade(MethodSamplingCreateMessage, BodyParams, params(whole))
		if here := r == Revision20251125; here && (got != params(whole) || lossy) || !here && (got != params(bare) || !lossy) {
			t.Errorf("%v: %s, %v", r, got, lossy)
		}
		if err := r.Row(MethodSamplingCreateMessage).CheckParams(params(with(whole, "_meta", "5")), jsonrpc.Span{}); (err != nil) != (r == Revision20251125) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// A tool says whether its calls may become tasks; one that does not says forbidden.
//
// revisions: 2025-11-25..
// rows: TOOL-101 TOOL-102 TOOL-103
func TestTaskSupport(t *testing.T) {
	const bare = `{"name":"n","inputSchema":{"type":"object"}}`
	for execution, want := range map[string]TaskSupport{
		``: TaskForbidden, `{}`: TaskForbidden, `{"taskSupport":"forbidden"}`: TaskForbidden, `{"taskSupport":"optional"}`: TaskOptional, `{"taskSupport":"required"}`: TaskRequired,
	} {
		text := with(bare, "execution", execution)
		v := decoded(t, &Tool{}, text).(*Tool)
		if got := string(v.AppendJSON(nil)); got != text || v.TaskSupport() != want || v.Validate() != nil {
			t.Errorf("%s: %s, %v, %v", text, got, v.TaskSupport(), v.Validate())
		}
		for _, r := range Revisions() {
			want := bare
			if r == Revision20251125 {
				want = text
			}
			if got, lossy := r.Downgrade(MethodToolsList, BodyResult, Raw(`{"tools":[`+text+`]}`)); string(got) != `{"tools":[`+want+`]}` || lossy != (want != text) {
				t.Errorf("%v: %s becomes %s, %v", r, text, got, lossy)
			}
		}
	}
	for execution, want := range map[string]string{`{"taskSupport":"maybe"}`: "execution.taskSupport", `{"taskSupport":true}`: "execution.taskSupport", `true`: "execution", `[]`: "execution", `{"taskSupport":""}`: "execution.taskSupport"} {
		if path, r := reason(t, &Tool{}, with(bare, "execution", execution)); path != want || r == 0 {
			t.Errorf("%s: %q %v", execution, path, r)
		}
	}
	if err := (Tool{Execution: &ToolExecution{TaskSupport: "maybe"}}).Validate(); err == nil {
		t.Error("taskSupport maybe is sent")
	}
}

// The inputSchema of a tool is that of an object, and so is its outputSchema in a session: what is
// another is left out there. Null is none.
//
// revisions: all 2026-07-28
// rows: TOOL-109 TOOL-116 TOOL-204
func TestSchemasOfTools(t *testing.T) {
	const bare = `{"name":"n","inputSchema":{"type":"object"}}`
	for _, schema := range []string{`null`, `{"type":"array"}`, `{}`, `true`, `[]`, `{"type":["object"]}`, `{"type":"string"}`, `{"oneOf":[{"$ref":"#/$defs/x"}]}`} {
		if path, r := reason(t, &Tool{}, with(bare, "inputSchema", schema)); path != "inputSchema" || r == 0 {
			t.Errorf("inputSchema %s: %q %v", schema, path, r)
		}
		if (Tool{Name: "n", InputSchema: Raw(schema)}).Validate() == nil {
			t.Errorf("inputSchema %s is sent", schema)
		}
		text := with(bare, "outputSchema", schema)
		object := schema[0] == '{'
		if path, r := reason(t, &Tool{}, text); (r == 0) != (object || schema == "null") || r != 0 && path != "outputSchema" {
			t.Errorf("outputSchema %s: %q %v", schema, path, r)
		}
		if err := (Tool{Name: "n", OutputSchema: Raw(schema)}).Validate(); (err == nil) != object {
			t.Errorf("outputSchema %s is sent: %v", schema, err)
		}
		for _, r := range AllRevisions() {
			row, want := r.Row(MethodToolsList), Raw(`{"tools":[`+bare+`]}`)
			if r.Stateless() && object {
				want = Raw(`{"tools":[` + text + `]}`)
			}
			listed := row.Accept(Reply{Body: Raw(`{"tools":[` + text + `]}`)})
			if got := row.WithoutNulls(BodyResult, listed.Body); got != want || listed.Err != nil {
				t.Errorf("%v, outputSchema %s: listed as %s, %v", r, schema, got, listed.Err)
			}
			if got, _ := row.Downgrade(BodyResult, Raw(`{"tools":[`+text+`]}`)); object && got != want {
				t.Errorf("%v, outputSchema %s: sent as %s", r, schema, got)
			}
		}
	}
	if got := string(Tool{Name: "n"}.AppendJSON(nil)); got != bare {
		t.Error(got)
	}
}

// A structured result may be anything without a session, null too. In a session it is an object: what is
// none is left out of what comes and of what goes out, and the text of it stays.
//
// revisions: all 2026-07-28
// rows: TOOL-024 TOOL-203
func TestStructuredResults(t *testing.T) {
	for _, val := range []string{"5", `"x"`, "[1]", "null", "true", "{}", `{"a":null}`} {
		body := Raw(`{"content":[{"type":"text","text":"x"}],"structuredContent":` + val + `}`)
		typed := CallToolResult{Content: []Content{TextContent("x")}, StructuredContent: Raw(val)}
		for _, r := range AllRevisions() {
			row := r.Row(MethodToolsCall)
			want, structured := body, Raw(val)
			if r.Handshake() && val[0] != '{' {
				want, structured = `{"content":[{"type":"text","text":"x"}]}`, ""
			}
			came := row.Accept(Reply{Body: body})
			came.Body = row.WithoutNulls(BodyResult, came.Body)
			if came.Body != want || came.Info.Structured != structured || came.Err != nil {
				t.Errorf("%v: %s comes as %s, %q, %v", r, val, came.Body, came.Info.Structured, came.Err)
			}
			if found := structured == "" && val != "null"; found != (len(came.Found) == 1) {
				t.Errorf("%v: %s: found %+v", r, val, came.Found)
			}
			if r.Handshake() && !r.Structured() {
				want = `{"content":[{"type":"text","text":"x"}]}`
			}
			for _, result := range []Result{typed, &typed, body} {
				e, err := row.EncodeResult(result, "", Encoding{})
				if err != nil {
					t.Fatal(r, val, err)
				}
				got, lossy := row.Downgrade(BodyResult, e.Body)
				if got != want || e.Common || lossy != (e.Body != want && val != "null") {
					t.Errorf("%v: %s of type %T goes out as %s, lossy %v", r, val, result, got, lossy)
				}
			}
		}
		var back CallToolResult
		if err := back.DecodeJSON(body, jsonrpc.Span{}); err != nil || val != "null" && back.StructuredContent != Raw(val) || string(typed.AppendJSON(nil)) != string(body) {
			t.Errorf("%s: %+v, %v", val, back, err)
		}
	}
}
