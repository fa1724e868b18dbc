package protocol_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// reason decodes text as the type of v and returns what is wrong with which
// member; "" and 0 if nothing is.
func reason(t *testing.T, v codec, text string) (path string, r Reason) {
	t.Helper()
	err := fresh(v).DecodeJSON(Raw(text), jsonrpc.Span{})
	if err == nil {
		return "", 0
	}
	var e *DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("%T: %s: error of type %T", v, text, err)
	}
	if e.Type != typeName(v) {
		t.Errorf("%T: %s: type %s", v, text, e.Type)
	}
	return e.Path, e.Reason
}

// one is a value of each JSON type.
var one = map[byte]string{'s': `"zz"`, 'i': "7", 'f': "1.5", 'b': "true", 'o': "{}", 'a': "[]", 'n': "null"}

// rowsOf are the rows that list the members of a type; SCHEMA-008 is about the seven
// types with a name.
var rowsOf = map[string]string{
	"Implementation": "SCHEMA-011", "TextContent": "SCHEMA-013", "ImageContent": "SCHEMA-014", "AudioContent": "SCHEMA-014",
	"ResourceLink": "SCHEMA-015", "EmbeddedResource": "SCHEMA-016", "Annotations": "SCHEMA-018",
	"TextResourceContents": "SCHEMA-017", "BlobResourceContents": "SCHEMA-017",
	"Tool": "TOOL-004", "ToolAnnotations": "TOOL-007", "ListToolsResult": "TOOL-003", "CallToolParams": "TOOL-012", "CallToolResult": "TOOL-014",
	"Resource": "RES-004", "ResourceTemplate": "RES-011", "ListResourcesResult": "RES-003", "ReadResourceParams": "RES-005",
	"ReadResourceResult": "RES-006", "ListResourceTemplatesResult": "RES-010",
	"Prompt": "PROMPT-003", "PromptArgument": "PROMPT-004", "ListPromptsResult": "PROMPT-002", "GetPromptParams": "PROMPT-005", "GetPromptResult": "PROMPT-006",
	"Root": "ROOT-004", "ListRootsResult": "ROOT-003", "CreateMessageParams": "SAMP-002", "ModelPreferences": "SAMP-007", "CreateMessageResult": "SAMP-008",
	"ElicitRequestFormParams": "ELIC-002", "ElicitSchema": "ELIC-003", "StringSchema": "ELIC-005", "NumberSchema": "ELIC-007", "BooleanSchema": "ELIC-008",
	"LegacyTitledEnumSchema": "ELIC-009", "ElicitResult": "ELIC-011", "CompleteParams": "COMPL-002", "CompleteResult": "COMPL-007",
}

var baseMetadata = []string{"Implementation", "Resource", "ResourceTemplate", "Prompt", "PromptArgument", "PromptReference", "Tool"}

// SCHEMA-003, -020, -024 and all rows that list members: for every member of
// every type, what happens if it is missing, null, of another type or repeated.
//
// rows: SCHEMA-003 SCHEMA-008 SCHEMA-020 SCHEMA-024 JRPC-025 SCHEMA-011 SCHEMA-013 SCHEMA-014 SCHEMA-015 SCHEMA-016 SCHEMA-018 SCHEMA-017 TOOL-004 TOOL-007 TOOL-003
// rows: TOOL-012 TOOL-014 RES-004 RES-011 RES-003 RES-005 RES-006 RES-010 PROMPT-003 PROMPT-004 PROMPT-002 PROMPT-005 PROMPT-006 ROOT-004 ROOT-003
// rows: SAMP-002 SAMP-007 SAMP-008 ELIC-002 ELIC-003 ELIC-005 ELIC-007 ELIC-008 ELIC-009 ELIC-011 COMPL-002 COMPL-007
func TestMembers(t *testing.T) {
	var found cases.Findings
	for _, s := range shapes() {
		full := decoded(t, s.value, s.text)
		row := rowsOf[s.name]
		same := func(row, what, text string, want codec) {
			got := fresh(s.value)
			if err := got.DecodeJSON(Raw(text), jsonrpc.Span{}); err != nil || !reflect.DeepEqual(got, want) {
				found.Add(row, "%s: %s: %s reads as %s: %v", s.name, what, text, got.AppendJSON(nil), err)
			}
		}
		same("SCHEMA-003", "extra member", with(s.text, "x-extra", `{"type":1}`), full)
		same("JRPC-025", "members in other case", with(with(with(s.text, "Type", "1"), "NAME", "1"), "_Meta", "1"), full)
		same(row, "white space", " "+strings.NewReplacer(`{"`, "{ \n\"", `":`, `" : `).Replace(s.text), decoded(t, s.value, spaced(s.text)))
		for _, m := range s.members {
			if m.required && (m.wire == "enum" || m.wire == "oneOf") || s.name == "ElicitRequestURLParams" && m.wire == "mode" {
				continue // without it, it is one of the others
			}
			rows := row
			if (m.wire == "name" || m.wire == "title") && slices.Contains(baseMetadata, s.name) {
				rows = strings.TrimSpace(row + " SCHEMA-008")
			}
			without, null := with(s.text, m.wire, ""), with(s.text, m.wire, "null")
			if m.required {
				// Either of two may be there: the first is asked for.
				path, r := reason(t, s.value, without)
				if want := strings.Replace(m.wire, "blob", "text", 1); r != ReasonMissing || path != want {
					found.Add(rows, "%s without %s: %q %d", s.name, m.wire, path, r)
				} else if _, r := reason(t, s.value, null); (r == ReasonType || m.wire == "blob" && r == ReasonMissing) == strings.Contains(m.kinds, "n") {
					found.Add("SCHEMA-024", "%s with %s null: %d", s.name, m.wire, r)
				}
			} else {
				same("SCHEMA-024", "null for "+m.wire, null, decoded(t, s.value, without))
				same("SCHEMA-024", "null for a repeated "+m.wire, `{`+quote(m.wire)+`:7,`+null[1:], decoded(t, s.value, without))
			}
			same(row, "wrong, then right "+m.wire, `{`+quote(m.wire)+`:[[]],`+s.text[1:], full)
			for kind, val := range one {
				if kind == 'n' || strings.IndexByte(m.kinds, kind) >= 0 {
					continue
				}
				want, rows := ReasonType, rows
				if kind == 'f' && strings.Contains(m.kinds, "i") {
					want, rows = ReasonInteger, strings.TrimSpace(row+" SCHEMA-020")
				}
				if path, r := reason(t, s.value, with(s.text, m.wire, val)); r != want || path != m.wire {
					found.Add(rows, "%s with %s %s: %q %d", s.name, m.wire, val, path, r)
				}
			}
		}
	}
	found.Report(t, slices.Collect(maps.Values(rowsOf))...)
}

// spaced puts white space between the tokens of text, as the test above does.
func spaced(text string) string {
	return strings.NewReplacer(`{"`, "{ \n\"", `":`, `" : `).Replace(text)
}

// What is no object is a fault of the whole, and so is text that is cut off,
// which only a conversion to Raw can bring here.
func TestNoObject(t *testing.T) {
	for _, s := range shapes() {
		for _, text := range []string{"[]", "5", `"x"`, "true", "null", " ", "x"} {
			if path, r := reason(t, s.value, text); r != ReasonType || path != "" {
				t.Errorf("%s: %q: %q %d", s.name, text, path, r)
			}
		}
		for i := 1; i < len(s.text); i++ {
			if _, r := reason(t, s.value, s.text[:i]); r == 0 {
				t.Errorf("%s: accepts %s", s.name, s.text[:i])
			}
			// Whatever stands there: no panic.
			reason(t, s.value, s.text[:i]+"}"+s.text[i:])
			reason(t, s.value, s.text[:i]+s.text[i+1:])
		}
		if err := fresh(s.value).UnmarshalJSON([]byte(s.text[1:])); !errors.Is(err, jsonrpc.ErrRaw) {
			t.Errorf("%s: UnmarshalJSON of %s: %v", s.name, s.text[1:], err)
		}
		v := decoded(t, s.value, s.text)
		if err := v.UnmarshalJSON([]byte(" null ")); err != nil || !reflect.DeepEqual(v, decoded(t, s.value, s.text)) {
			t.Errorf("%s: null changes the value: %v", s.name, err)
		}
	}
}

// Absent params read as an empty object.
func TestAbsentParams(t *testing.T) {
	for _, s := range shapes() {
		path, r := reason(t, s.value, "")
		path2, r2 := reason(t, s.value, "{}")
		if path != path2 || r != r2 {
			t.Errorf("%s: %q %d, {}: %q %d", s.name, path, r, path2, r2)
		}
	}
}

// The faults that the types of the members do not say.
//
// rows: CAP-004 CAP-005 CAP-007 CAP-008 COMPL-003 COMPL-005 COMPL-007 ELIC-006 ELIC-011 ELIC-012 LOG-009 META-004 PROMPT-005 RES-033 SAMP-002
// rows: SAMP-006 SAMP-007 SAMP-009 SCHEMA-001 SCHEMA-004 SCHEMA-005 SCHEMA-006 SCHEMA-007 SCHEMA-018 SCHEMA-024 TOOL-005 TOOL-007
func TestFaults(t *testing.T) {
	var found cases.Findings
	for _, c := range []struct {
		rows string
		v    codec
		text string
		path string
		r    Reason
	}{
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{}}`, "inputSchema", ReasonMissing},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"array"}}`, "inputSchema", ReasonValue},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":["object"]}}`, "inputSchema", ReasonType},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":{"a":1}}}`, "inputSchema", ReasonType},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":[]}}`, "inputSchema", ReasonType},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"object","required":[1]}}`, "inputSchema", ReasonType},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"object","required":{}}}`, "inputSchema", ReasonType},
		{"SCHEMA-024", &Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":null,"required":null}}`, "", 0},
		{"TOOL-005", &Tool{}, `{"name":"n","inputSchema":{"type":"object"},"outputSchema":["string"]}`, "outputSchema", ReasonType},
		{"TOOL-007", &Tool{}, `{"name":"n","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, "annotations.readOnlyHint", ReasonType},
		{"SCHEMA-018", &Annotations{}, `{"priority":1.1}`, "priority", ReasonRange},
		{"SCHEMA-018", &Annotations{}, `{"priority":-0.1}`, "priority", ReasonRange},
		{"SCHEMA-018", &Annotations{}, `{"priority":1}`, "", 0},
		{"SCHEMA-018", &Annotations{}, `{"priority":0,"audience":[]}`, "", 0},
		{"SCHEMA-018", &Annotations{}, `{"audience":["x"]}`, "audience", ReasonValue},
		{"SCHEMA-018", &Annotations{}, `{"audience":[1]}`, "audience", ReasonType},
		{"SAMP-007", &ModelPreferences{}, `{"costPriority":1.1}`, "costPriority", ReasonRange},
		{"SAMP-007", &ModelPreferences{}, `{"speedPriority":-0.1}`, "speedPriority", ReasonRange},
		{"SAMP-007", &ModelPreferences{}, `{"intelligencePriority":2}`, "intelligencePriority", ReasonRange},
		{"SAMP-007", &ModelPreferences{}, `{"hints":[{},{"x":1},{"name":"a"}]}`, "", 0},
		{"SAMP-007", &ModelPreferences{}, `{"hints":[{},{"name":1}]}`, "hints[1].name", ReasonType},
		{"SCHEMA-005", &PromptMessage{}, `{"role":"system","content":{"type":"text","text":""}}`, "role", ReasonValue},
		{"SCHEMA-007", &SetLevelParams{}, `{"level":"warn"}`, "level", ReasonValue},
		{"SCHEMA-007", &SetLevelParams{}, `{"level":"INFO"}`, "level", ReasonValue},
		{"SCHEMA-007", &SetLevelParams{}, `{"level":""}`, "level", ReasonValue},
		{"SAMP-006", &CreateMessageParams{}, `{"messages":[],"maxTokens":0,"includeContext":"all"}`, "includeContext", ReasonValue},
		{"SAMP-006", &CreateMessageParams{}, `{"messages":[],"maxTokens":0,"includeContext":""}`, "includeContext", ReasonValue},
		{"SAMP-002", &CreateMessageParams{}, `{"messages":[],"maxTokens":1e30}`, "maxTokens", ReasonRange},
		{"SAMP-002", &CreateMessageParams{}, `{"messages":[],"maxTokens":1e3}`, "", 0},
		{"SAMP-002", &CreateMessageParams{}, `{"messages":[],"maxTokens":1,"temperature":1e999}`, "temperature", ReasonRange},
		{"SAMP-002", &CreateMessageParams{}, `{"messages":[],"maxTokens":1,"stopSequences":[1]}`, "stopSequences", ReasonType},
		{"SAMP-002", &CreateMessageParams{}, `{"messages":[{"role":"user","content":5}],"maxTokens":1}`, "messages[0].content", ReasonType},
		{"ELIC-006", &PrimitiveSchema{}, `{"type":"string","format":"phone"}`, "format", ReasonValue},
		{"ELIC-011", &ElicitResult{}, `{"action":"reject"}`, "action", ReasonValue},
		{"ELIC-012 SCHEMA-001", &ElicitResult{}, `{"action":"accept","content":{"a":1.5,"b":"","c":false,"d":-1}}`, "", 0},
		{"ELIC-012", &ElicitResult{}, `{"action":"accept","content":{"a":[1]}}`, "content", ReasonType},
		{"ELIC-012", &ElicitResult{}, `{"action":"accept","content":{"a":null}}`, "content", ReasonType},
		{"ELIC-012", &ElicitResult{}, `{"action":"accept","content":{"a":{}}}`, "content", ReasonType},
		{"SCHEMA-004", &ProgressParams{}, `{"progressToken":"\ud800","progress":1}`, "progressToken", ReasonSurrogate},
		{"SCHEMA-004", &ProgressParams{}, `{"progressToken":1e2000000,"progress":1}`, "progressToken", ReasonRange},
		{"SCHEMA-004", &ProgressParams{}, `{"progressToken":0,"progress":0.25,"total":1e2}`, "", 0},
		{"SCHEMA-004", &CancelledParams{}, `{"requestId":""}`, "", 0},
		{"SCHEMA-004", &CancelledParams{}, `{"requestId":-3}`, "", 0},
		{"SCHEMA-006", &ListToolsParams{}, `{"cursor":"\ud800"}`, "cursor", ReasonSurrogate},
		{"SCHEMA-006", &ListToolsParams{}, `{"cursor":""}`, "", 0},
		{"SCHEMA-004", &PingParams{}, `{"_meta":{"progressToken":1.5}}`, "_meta.progressToken", ReasonInteger},
		{"SCHEMA-004", &PingParams{}, `{"_meta":{"progressToken":true}}`, "_meta.progressToken", ReasonType},
		{"SCHEMA-004", &PingParams{}, `{"_meta":{"progressToken":{}}}`, "_meta.progressToken", ReasonType},
		{"SCHEMA-004", &PingParams{}, `{"_meta":{"progressToken":"\udc00"}}`, "_meta.progressToken", ReasonSurrogate},
		{"SCHEMA-024", &PingParams{}, `{"_meta":{"progressToken":null}}`, "", 0},
		{"", &PingParams{}, `{"_meta":{"progressToken":true,"progressToken":1}}`, "", 0},
		{"", &InitializedParams{}, `{"_meta":{"progressToken":true}}`, "", 0}, // no request
		{"", &EmptyResult{}, `{"_meta":{"progressToken":true},"more":1}`, "", 0},
		{"META-004", &PingParams{}, `{"_meta":{"modelcontextprotocol.io/x":[1],"mcp.dev/y":null,"!!":1,"/x":2,"-a":3}}`, "", 0},
		{"CAP-004", &ClientCapabilities{}, `{"foo":{},"roots":{"bar":1},"experimental":{"x":{}}}`, "", 0},
		{"CAP-005", &ClientCapabilities{}, `{"experimental":{"x":1}}`, "experimental", ReasonType},
		{"CAP-007", &ClientCapabilities{}, `{"roots":{"listChanged":"yes"}}`, "roots.listChanged", ReasonType},
		{"CAP-008", &ServerCapabilities{}, `{"tools":{"listChanged":1}}`, "tools.listChanged", ReasonType},
		{"PROMPT-005", &GetPromptParams{}, `{"name":"p","arguments":{"a":1}}`, "arguments", ReasonType},
		{"PROMPT-005", &GetPromptParams{}, `{"name":"p","arguments":{"a":null}}`, "arguments", ReasonType},
		{"COMPL-003", &Reference{}, `{"type":"ref/tool","name":"x"}`, "type", ReasonValue},
		{"COMPL-003", &CompleteParams{}, `{"ref":{"type":"ref/prompt"},"argument":{"name":"a","value":""}}`, "ref.name", ReasonMissing},
		{"COMPL-005", &CompleteParams{}, `{"ref":{"type":"ref/resource","uri":""},"argument":{"name":"a","value":""},"context":{}}`, "", 0},
		{"COMPL-005", &CompleteParams{}, `{"ref":{"type":"ref/resource","uri":""},"argument":{"name":"a","value":""},"context":{"arguments":{"a":1}}}`, "context.arguments", ReasonType},
		{"COMPL-007", &CompleteResult{}, `{"completion":{"values":[1]}}`, "completion.values", ReasonType},
		{"COMPL-007", &CompleteResult{}, `{"completion":{"values":[],"total":1.5}}`, "completion.total", ReasonInteger},
		{"LOG-009", &LoggingMessageParams{}, `{"level":"info","data":null}`, "", 0},
		{"SAMP-009", &CreateMessageResult{}, `{"role":"assistant","content":{"type":"text","text":""},"model":"m","stopReason":"weird"}`, "", 0},
		{"RES-033", &Resource{}, `{"uri":"file:///d","name":"d","mimeType":"inode/directory"}`, "", 0},
		// names and texts may have unpaired surrogates, which read as U+FFFD
		{"", &CallToolParams{}, `{"name":"\ud800"}`, "", 0},
	} {
		if !rawjson.Valid(c.text) {
			t.Fatalf("%s is not JSON", c.text)
		}
		if path, r := reason(t, c.v, c.text); path != c.path || r != c.r {
			found.Add(c.rows, "%T: %s: %q %d, want %q %d", c.v, c.text, path, r, c.path, c.r)
		}
	}
	found.Report(t)
}

// A fault names the place and holds nothing that the peer sent.
func TestDecodeError(t *testing.T) {
	_, err := Decode[CallToolResult](`{"content":[{"type":"text","text":""},{"type":"image","data":"secret","mimeType":5}]}`)
	if got, want := err.Error(), "protocol: CallToolResult.content[1].mimeType has the wrong type"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err = Decode[PingParams]("[]")
	if got, want := err.Error(), "protocol: PingParams has the wrong type"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, err = Decode[ElicitParams](`{"message":"","requestedSchema":{"type":"object","properties":{"secret":{"type":"object"}}}}`)
	if got, want := err.Error(), "protocol: ElicitParams.requestedSchema.properties[0].type has no allowed value; want a string, a number, an integer, a boolean, or an array of strings with an enum"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	seen := map[string]bool{}
	for r := ReasonMissing; r <= ReasonRevision; r++ {
		seen[r.String()] = true
	}
	if len(seen) != int(ReasonRevision) || Reason(0).String() != Reason(200).String() {
		t.Errorf("texts of reasons: %v", seen)
	}
}

// What few know is said: the form of a schema, and of a uri.
func TestWanted(t *testing.T) {
	for want, err := range map[string]error{
		`protocol: Tool.inputSchema has no allowed value; want the schema of an object, as {"type":"object"}`: Tool{Name: "t", InputSchema: `{"type":"string"}`}.Validate(),
		"protocol: Resource.uri has no allowed value; want a URI with a scheme, as notes://1":                 Resource{URI: "1", Name: "r"}.Validate(),
		"protocol: Content.type has no allowed value":                                                         Content{Type: "x"}.Validate(),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
