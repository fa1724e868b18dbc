package protocol_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

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

// SCHEMA-003, -020, -024 and all rows that list members: for every member of
// every type, what happens if it is missing, null, of another type or repeated.
//
// rows: SCHEMA-003 SCHEMA-008 SCHEMA-011 SCHEMA-013 SCHEMA-014 SCHEMA-015 SCHEMA-020 SCHEMA-024 TOOL-004 TOOL-007 RES-004 RES-011 PROMPT-003 PROMPT-004 ROOT-004
func TestMembers(t *testing.T) {
	for _, s := range shapes() {
		full := decoded(t, s.value, s.text)
		same := func(what, text string, want codec) {
			t.Helper()
			if got := decoded(t, s.value, text); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: %s reads as %s", s.name, what, text, got.AppendJSON(nil))
			}
		}
		same("extra member", with(s.text, "x-extra", `{"type":1}`), full)
		same("members in other case", with(with(with(s.text, "Type", "1"), "NAME", "1"), "_Meta", "1"), full)
		same("white space", " "+strings.NewReplacer(`{"`, "{ \n\"", `":`, `" : `).Replace(s.text), decoded(t, s.value, spaced(s.text)))
		for _, m := range s.members {
			without, null := with(s.text, m.wire, ""), with(s.text, m.wire, "null")
			path, r := reason(t, s.value, without)
			if m.required && m.wire == "enum" {
				continue // without enum it is a StringSchema
			}
			if m.required {
				// Either of two may be there: the first is asked for.
				if want := strings.Replace(m.wire, "blob", "text", 1); r != ReasonMissing || path != want {
					t.Errorf("%s without %s: %q %d", s.name, m.wire, path, r)
				}
				_, r := reason(t, s.value, null)
				if bad := r == ReasonType || m.wire == "blob" && r == ReasonMissing; bad == strings.Contains(m.kinds, "n") {
					t.Errorf("%s with %s null: %d", s.name, m.wire, r)
				}
			} else {
				same("null for "+m.wire, null, decoded(t, s.value, without))
				same("null for a repeated "+m.wire, `{`+quote(m.wire)+`:7,`+null[1:], decoded(t, s.value, without))
			}
			same("wrong, then right "+m.wire, `{`+quote(m.wire)+`:[[]],`+s.text[1:], full)
			for kind, val := range one {
				if kind == 'n' || strings.IndexByte(m.kinds, kind) >= 0 {
					continue
				}
				want := ReasonType
				if kind == 'f' && strings.Contains(m.kinds, "i") {
					want = ReasonInteger
				}
				if path, r := reason(t, s.value, with(s.text, m.wire, val)); r != want || path != m.wire {
					t.Errorf("%s with %s %s: %q %d", s.name, m.wire, val, path, r)
				}
			}
		}
	}
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
// rows: SCHEMA-001 SCHEMA-004 SCHEMA-005 SCHEMA-006 SCHEMA-007 SCHEMA-018 TOOL-005 SAMP-007 ELIC-012
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		v    codec
		text string
		path string
		r    Reason
	}{
		// TOOL-005, SCHEMA-024
		{&Tool{}, `{"name":"n","inputSchema":{}}`, "inputSchema", ReasonMissing},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"array"}}`, "inputSchema", ReasonValue},
		{&Tool{}, `{"name":"n","inputSchema":{"type":["object"]}}`, "inputSchema", ReasonType},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":{"a":1}}}`, "inputSchema", ReasonType},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":[]}}`, "inputSchema", ReasonType},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object","required":[1]}}`, "inputSchema", ReasonType},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object","required":{}}}`, "inputSchema", ReasonType},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object","properties":null,"required":null}}`, "", 0},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}`, "outputSchema", ReasonValue},
		{&Tool{}, `{"name":"n","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, "annotations.readOnlyHint", ReasonType},
		// SCHEMA-018, SAMP-007
		{&Annotations{}, `{"priority":1.1}`, "priority", ReasonRange},
		{&Annotations{}, `{"priority":-0.1}`, "priority", ReasonRange},
		{&Annotations{}, `{"priority":1}`, "", 0},
		{&Annotations{}, `{"priority":0,"audience":[]}`, "", 0},
		{&Annotations{}, `{"audience":["x"]}`, "audience", ReasonValue},
		{&Annotations{}, `{"audience":[1]}`, "audience", ReasonType},
		{&ModelPreferences{}, `{"costPriority":1.1}`, "costPriority", ReasonRange},
		{&ModelPreferences{}, `{"speedPriority":-0.1}`, "speedPriority", ReasonRange},
		{&ModelPreferences{}, `{"intelligencePriority":2}`, "intelligencePriority", ReasonRange},
		{&ModelPreferences{}, `{"hints":[{},{"x":1},{"name":"a"}]}`, "", 0},
		{&ModelPreferences{}, `{"hints":[{},{"name":1}]}`, "hints[1].name", ReasonType},
		// SCHEMA-005, -007, SAMP-006, ELIC-006, ELIC-011
		{&PromptMessage{}, `{"role":"system","content":{"type":"text","text":""}}`, "role", ReasonValue},
		{&SetLevelParams{}, `{"level":"warn"}`, "level", ReasonValue},
		{&SetLevelParams{}, `{"level":"INFO"}`, "level", ReasonValue},
		{&SetLevelParams{}, `{"level":""}`, "level", ReasonValue},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":0,"includeContext":"all"}`, "includeContext", ReasonValue},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":0,"includeContext":""}`, "includeContext", ReasonValue},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":1e30}`, "maxTokens", ReasonRange},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":1e3}`, "", 0},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":1,"temperature":1e999}`, "temperature", ReasonRange},
		{&CreateMessageParams{}, `{"messages":[],"maxTokens":1,"stopSequences":[1]}`, "stopSequences", ReasonType},
		{&CreateMessageParams{}, `{"messages":[{"role":"user","content":[]}],"maxTokens":1}`, "messages[0].content", ReasonType},
		{&PrimitiveSchema{}, `{"type":"string","format":"phone"}`, "format", ReasonValue},
		{&ElicitResult{}, `{"action":"reject"}`, "action", ReasonValue},
		// ELIC-012, SCHEMA-001
		{&ElicitResult{}, `{"action":"accept","content":{"a":1.5,"b":"","c":false,"d":-1}}`, "", 0},
		{&ElicitResult{}, `{"action":"accept","content":{"a":[1]}}`, "content", ReasonType},
		{&ElicitResult{}, `{"action":"accept","content":{"a":null}}`, "content", ReasonType},
		{&ElicitResult{}, `{"action":"accept","content":{"a":{}}}`, "content", ReasonType},
		// SCHEMA-004, SCHEMA-006, A80
		{&ProgressParams{}, `{"progressToken":"\ud800","progress":1}`, "progressToken", ReasonSurrogate},
		{&ProgressParams{}, `{"progressToken":1e2000000,"progress":1}`, "progressToken", ReasonRange},
		{&ProgressParams{}, `{"progressToken":0,"progress":0.25,"total":1e2}`, "", 0},
		{&CancelledParams{}, `{"requestId":""}`, "", 0},
		{&CancelledParams{}, `{"requestId":-3}`, "", 0},
		{&ListToolsParams{}, `{"cursor":"\ud800"}`, "cursor", ReasonSurrogate},
		{&ListToolsParams{}, `{"cursor":""}`, "", 0},
		{&PingParams{}, `{"_meta":{"progressToken":1.5}}`, "_meta.progressToken", ReasonInteger},
		{&PingParams{}, `{"_meta":{"progressToken":true}}`, "_meta.progressToken", ReasonType},
		{&PingParams{}, `{"_meta":{"progressToken":{}}}`, "_meta.progressToken", ReasonType},
		{&PingParams{}, `{"_meta":{"progressToken":"\udc00"}}`, "_meta.progressToken", ReasonSurrogate},
		{&PingParams{}, `{"_meta":{"progressToken":null}}`, "", 0},
		{&PingParams{}, `{"_meta":{"progressToken":true,"progressToken":1}}`, "", 0},
		{&InitializedParams{}, `{"_meta":{"progressToken":true}}`, "", 0}, // no request
		{&EmptyResult{}, `{"_meta":{"progressToken":true},"more":1}`, "", 0},
		// META-004, META-013
		{&PingParams{}, `{"_meta":{"modelcontextprotocol.io/x":[1],"mcp.dev/y":null,"!!":1,"/x":2,"-a":3}}`, "", 0},
		// CAP-004, -005, -007, -008
		{&ClientCapabilities{}, `{"foo":{},"roots":{"bar":1},"experimental":{"x":{}}}`, "", 0},
		{&ClientCapabilities{}, `{"experimental":{"x":1}}`, "experimental", ReasonType},
		{&ClientCapabilities{}, `{"roots":{"listChanged":"yes"}}`, "roots.listChanged", ReasonType},
		{&ServerCapabilities{}, `{"tools":{"listChanged":1}}`, "tools.listChanged", ReasonType},
		// PROMPT-005, COMPL-003, -005, -007
		{&GetPromptParams{}, `{"name":"p","arguments":{"a":1}}`, "arguments", ReasonType},
		{&GetPromptParams{}, `{"name":"p","arguments":{"a":null}}`, "arguments", ReasonType},
		{&Reference{}, `{"type":"ref/tool","name":"x"}`, "type", ReasonValue},
		{&CompleteParams{}, `{"ref":{"type":"ref/prompt"},"argument":{"name":"a","value":""}}`, "ref.name", ReasonMissing},
		{&CompleteParams{}, `{"ref":{"type":"ref/resource","uri":""},"argument":{"name":"a","value":""},"context":{}}`, "", 0},
		{&CompleteParams{}, `{"ref":{"type":"ref/resource","uri":""},"argument":{"name":"a","value":""},"context":{"arguments":{"a":1}}}`, "context.arguments", ReasonType},
		{&CompleteResult{}, `{"completion":{"values":[1]}}`, "completion.values", ReasonType},
		{&CompleteResult{}, `{"completion":{"values":[],"total":1.5}}`, "completion.total", ReasonInteger},
		// LOG-009, SAMP-009, RES-033
		{&LoggingMessageParams{}, `{"level":"info","data":null}`, "", 0},
		{&CreateMessageResult{}, `{"role":"assistant","content":{"type":"text","text":""},"model":"m","stopReason":"weird"}`, "", 0},
		{&Resource{}, `{"uri":"file:///d","name":"d","mimeType":"inode/directory"}`, "", 0},
		// names and texts may have unpaired surrogates, which read as U+FFFD
		{&CallToolParams{}, `{"name":"\ud800"}`, "", 0},
	} {
		if !rawjson.Valid(c.text) {
			t.Fatalf("%s is not JSON", c.text)
		}
		if path, r := reason(t, c.v, c.text); path != c.path || r != c.r {
			t.Errorf("%T: %s: %q %d, want %q %d", c.v, c.text, path, r, c.path, c.r)
		}
	}
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
	if got, want := err.Error(), "protocol: ElicitParams.requestedSchema.properties.*.type has no allowed value"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	seen := map[string]bool{}
	for r := ReasonMissing; r <= ReasonConflict; r++ {
		seen[r.String()] = true
	}
	if len(seen) != int(ReasonConflict) || Reason(0).String() != Reason(200).String() {
		t.Errorf("texts of reasons: %v", seen)
	}
}
