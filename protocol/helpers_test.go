package protocol_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// META-005 to -007, -009, -010.
//
// rows: META-005 META-006 META-007 META-009 META-010
func TestValidMetaKey(t *testing.T) {
	for _, key := range []string{
		"", "a", "a/", "a.b/c", "com.example-x/y", "a1/x", "a-1/x", "a/b", "a-b_c.d9", "Z", "9", "x/0", "progressToken",
	} {
		if !ValidMetaKey(key) {
			t.Errorf("refuses %q", key)
		}
	}
	for _, key := range []string{
		"/x", "/", "a./x", ".a/x", "a..b/x", "a/b/c", "1a/x", "-a/x", "a-/x", "a_b/x", "a b/x",
		"_a", "a_", "x/-b", "x/b.", "a b", "a:b", "é", "x/é", "a/b/",
	} {
		if ValidMetaKey(key) {
			t.Errorf("accepts %q", key)
		}
	}
}

// META-008, A120.
//
// revisions: all 2026-07-28
// rows: META-008 META-101
func TestReservedMetaKey(t *testing.T) {
	for key, want := range map[string][2]bool{ // until 2025-06-18, since 2025-11-25
		"io.modelcontextprotocol/": {false, true}, "dev.mcp/x": {false, true}, "org.modelcontextprotocol.api/": {true, true},
		"com.mcp.tools/": {true, true}, "com.example.mcp/": {false, false}, "mcp.dev/": {true, false}, "a.b.mcp.c/x": {true, false},
		"modelcontextprotocol/": {false, false}, "dev.mcp": {false, false},
	} {
		for r, i := range map[Revision]int{Revision20241105: 0, Revision20250618: 0, Revision20251125: 1, Revision20260728: 1} {
			if r.ReservedMetaKey(key) != want[i] {
				t.Errorf("%v: %q: %v", r, key, !want[i])
			}
		}
	}
	for _, key := range []string{
		"modelcontextprotocol.io/", "mcp.dev/x", "api.modelcontextprotocol.org/", "tools.mcp.com/y", "io.modelcontextprotocol/z", "a.b.mcp.c/",
	} {
		if !(Revision{}).ReservedMetaKey(key) {
			t.Errorf("%q is free", key)
		}
	}
	for _, key := range []string{
		"example.com/", "mcpx.dev/", "com.example.mcp/", "mcp/", "mcp.dev", "MCP.dev/", "x/mcp.dev", "progressToken", "",
	} {
		if (Revision{}).ReservedMetaKey(key) {
			t.Errorf("%q is reserved", key)
		}
	}
}

func TestMeta(t *testing.T) {
	var m Meta
	m = m.With("v/k", "[1]").With("progressToken", `"t"`)
	if m != `{"v/k":[1],"progressToken":"t"}` {
		t.Errorf("%s", m)
	}
	if v, ok := m.Get("v/k"); v != "[1]" || !ok {
		t.Errorf("Get: %s %v", v, ok)
	}
	if _, ok := m.Get("k"); ok {
		t.Error("Get finds what is not there")
	}
	if m := m.With("v/k", ""); m != `{"progressToken":"t"}` {
		t.Errorf("removed: %s", m)
	}
	for _, c := range []struct {
		m    Meta
		want jsonrpc.ID
		ok   bool
	}{
		{m, jsonrpc.String("t"), true},
		{`{"progressToken":0}`, jsonrpc.Int(0), true},
		{`{"progressToken":""}`, jsonrpc.String(""), true},
		{"", jsonrpc.ID{}, false},
		{"{}", jsonrpc.ID{}, false},
		{`{"progressToken":null}`, jsonrpc.ID{}, false},
		{`{"progressToken":1.5}`, jsonrpc.ID{}, false},
	} {
		if got, ok := c.m.ProgressToken(); got != c.want || ok != c.ok {
			t.Errorf("%s: token %v %v", c.m, got, ok)
		}
	}
	if got := string(m.AppendJSON([]byte(" "))); got != " "+string(m) {
		t.Errorf("appended %s", got)
	}
	var x struct{ M Meta }
	if b, err := json.Marshal(x); err != nil || string(b) != `{"M":{}}` {
		t.Errorf("%s %v", b, err)
	}
	if err := json.Unmarshal([]byte(`{"M":{"a":1}}`), &x); err != nil || x.M != `{"a":1}` {
		t.Errorf("%s %v", x.M, err)
	}
	if err := json.Unmarshal([]byte(`{"M":null}`), &x); err != nil || x.M != `{"a":1}` {
		t.Errorf("null: %s %v", x.M, err)
	}
	if err := json.Unmarshal([]byte(`{"M":[]}`), &x); err == nil {
		t.Error("an array is no Meta")
	}
}

// SCHEMA-009, -010.
//
// rows: SCHEMA-009 SCHEMA-010
func TestDisplayName(t *testing.T) {
	titles := &ToolAnnotations{Title: "in annotations"}
	for _, c := range []struct{ got, want string }{
		{Tool{Name: "n"}.DisplayName(), "n"},
		{Tool{Name: "n", Annotations: &ToolAnnotations{}}.DisplayName(), "n"},
		{Tool{Name: "n", Annotations: titles}.DisplayName(), "in annotations"},
		{Tool{Name: "n", Title: "t"}.DisplayName(), "t"},
		{Tool{Name: "n", Title: "t", Annotations: &ToolAnnotations{}}.DisplayName(), "t"},
		{Tool{Name: "n", Title: "t", Annotations: titles}.DisplayName(), "t"},
		{Tool{Annotations: titles}.DisplayName(), "in annotations"},
		{Tool{}.DisplayName(), ""},
		{Implementation{Name: "n"}.DisplayName(), "n"},
		{Implementation{Name: "n", Title: "t"}.DisplayName(), "t"},
		{Resource{Name: "n"}.DisplayName(), "n"},
		{Resource{Name: "n", Title: "t"}.DisplayName(), "t"},
		{ResourceTemplate{Name: "n"}.DisplayName(), "n"},
		{ResourceTemplate{Name: "n", Title: "t"}.DisplayName(), "t"},
		{Prompt{Name: "n"}.DisplayName(), "n"},
		{Prompt{Name: "n", Title: "t"}.DisplayName(), "t"},
		{PromptArgument{Name: "n"}.DisplayName(), "n"},
		{PromptArgument{Name: "n", Title: "t"}.DisplayName(), "t"},
		{PromptReference("n").DisplayName(), "n"},
		{Reference{Type: RefPrompt, Name: "n", Title: "t"}.DisplayName(), "t"},
		{ResourceReference("u:1").DisplayName(), "u:1"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TOOL-008, and case 52 of the bugs of other SDKs: a hint is true, false or
// absent, and stays so.
//
// rows: TOOL-008 TOOL-009
func TestHints(t *testing.T) {
	for _, c := range []struct {
		text string
		want [4]bool // read-only, destructive, idempotent, open world
	}{
		{`{}`, [4]bool{false, true, false, true}},
		{`{"readOnlyHint":true}`, [4]bool{true, false, true, true}},
		{`{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":false}`, [4]bool{true, false, true, true}},
		{`{"readOnlyHint":false}`, [4]bool{false, true, false, true}},
		{`{"destructiveHint":true}`, [4]bool{false, true, false, true}},
		{`{"destructiveHint":false}`, [4]bool{false, false, false, true}},
		{`{"idempotentHint":true}`, [4]bool{false, true, true, true}},
		{`{"idempotentHint":false}`, [4]bool{false, true, false, true}},
		{`{"openWorldHint":true}`, [4]bool{false, true, false, true}},
		{`{"openWorldHint":false}`, [4]bool{false, true, false, false}},
	} {
		a := decoded(t, &ToolAnnotations{}, c.text).(*ToolAnnotations)
		if got := [4]bool{a.ReadOnly(), a.Destructive(), a.Idempotent(), a.OpenWorld()}; got != c.want {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
		if got := string(a.AppendJSON(nil)); got != c.text {
			t.Errorf("%s written as %s", c.text, got)
		}
	}
	var none *ToolAnnotations
	if none.ReadOnly() || !none.Destructive() || none.Idempotent() || !none.OpenWorld() {
		t.Error("no annotations differ from empty ones")
	}
}

// SCHEMA-007, and the order of RFC 5424.
func TestLoggingLevels(t *testing.T) {
	for i, level := range []LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		if level.Severity() != i || !level.Valid() {
			t.Errorf("%s: %d", level, level.Severity())
		}
	}
	for _, level := range []LoggingLevel{"", "warn", "INFO"} {
		if level.Severity() != -1 || level.Valid() {
			t.Errorf("%s: %d", level, level.Severity())
		}
	}
}

// SCHEMA-019.
//
// rows: SCHEMA-019 RES-038
func TestAnnotationsTime(t *testing.T) {
	want := time.Date(2025, 1, 12, 15, 0, 58, 0, time.UTC)
	for text, same := range map[string]time.Time{
		"2025-01-12T15:00:58Z":      want,
		"2025-01-12T16:00:58+01:00": want,
		"2025-01-12T15:00:58.5Z":    want.Add(time.Second / 2),
		"2025-01-12T15:00:58":       want,
		"2025-01-12T15:00Z":         want.Add(-58 * time.Second),
		"2025-01-12":                want.Truncate(24 * time.Hour),
	} {
		if got, ok := (Annotations{LastModified: text}).Time(); !ok || !got.Equal(same) {
			t.Errorf("%s: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "yesterday", "12/01/2025", "2025-13-01"} {
		if got, ok := (Annotations{LastModified: text}).Time(); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The values that are too many go, and nothing else does.
//
// rows: COMPL-008
func TestLimitCompletion(t *testing.T) {
	values := func(n int) string { return "[" + strings.Repeat(`"v",`, n-1) + `"last"]` }
	whole := `{ "x":1.0,"completion":{"total":101,"values":` + values(100) + `,"y":null}}`
	if got, cut := LimitCompletion(Raw(whole)); cut || string(got) != whole {
		t.Errorf("100 values become %s", got)
	}
	for rest, want := range map[string]string{
		`,"y":null}`:                  `,"y":null,"hasMore":true}`,
		`,"hasMore":false,"y":[1.0]}`: `,"hasMore":true,"y":[1.0]}`,
	} {
		got, cut := LimitCompletion(Raw(`{"x":1.0,"completion":{"total":101,"values":` + values(101) + rest + `}`))
		if want := `{"x":1.0,"completion":{"total":101,"values":[` + strings.Repeat(`"v",`, 99) + `"v"]` + want + `}`; !cut || string(got) != want {
			t.Errorf("101 values become %s", got)
		}
	}
	for _, odd := range []string{`{}`, `{"completion":{}}`, `{"completion":{"values":{}}}`, ``} {
		if got, cut := LimitCompletion(Raw(odd)); cut || string(got) != odd {
			t.Errorf("%s becomes %s", odd, got)
		}
	}
}

// RES-034, ROOT-005, ROOT-012.
//
// rows: RES-034 ROOT-012
func TestURIs(t *testing.T) {
	for _, s := range []string{"x-y+z.1:abc", "file:///a", "u:", "a:é"} {
		if !ValidURI(s) {
			t.Errorf("refuses %q", s)
		}
	}
	for _, s := range []string{"", "1x:abc", "a b:c", "a:b c", "abc", ":x", "a_b:c", "a:\x7f", "a:\n"} {
		if ValidURI(s) {
			t.Errorf("accepts %q", s)
		}
	}
	for _, s := range []string{"file:///", "file:///a..b", "file:///a/...", "FILE:///a", "file://", "file:///100%/%zz/%2", "file://host/a/."} {
		if !ValidRootURI(s) {
			t.Errorf("root: refuses %q", s)
		}
	}
	for _, s := range []string{
		"", "file:", "https://x", "file:/a", "file:///a/../b", "file:///a/%2e%2e/b", "file:///a/%2E./b", "file:///a/..", "file:///a%2f..", `file:///a\..\b`, "file:///a b",
	} {
		if ValidRootURI(s) {
			t.Errorf("root: accepts %q", s)
		}
	}
}

// The base64 of this package is that of the standard library, read strictly.
//
// rows: RES-009
func TestBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		m := ImageContent("a/b", data).Media
		if want := base64.StdEncoding.EncodeToString(data); m.Data != want {
			t.Fatalf("%x: %s, want %s", data, m.Data, want)
		}
		if got, ok := m.Bytes(); !ok || string(got) != string(data) {
			t.Fatalf("%x reads back as %x", data, got)
		}
		text := rapid.StringMatching(`[A-Za-z0-9+/=_ -]{0,9}={0,3}`).Draw(t, "text")
		want, err := base64.StdEncoding.DecodeString(text)
		if got, ok := (Media{Data: text}).Bytes(); ok != (err == nil) || ok && string(got) != string(want) {
			t.Fatalf("%q: %x %v, want %x %v", text, got, ok, want, err)
		}
	})
}

// Every byte counts as the standard library has it, at every place of a group.
func TestBase64Bytes(t *testing.T) {
	for c := range 256 {
		for at, group := range []string{"?AAA", "A?AA", "AA?A", "AAA?", "A?==", "AA?="} {
			text := strings.Replace(group, "?", string([]byte{byte(c)}), 1)
			want, err := base64.StdEncoding.DecodeString(text)
			if c == '\r' || c == '\n' {
				want, err = nil, base64.CorruptInputError(at) // which that one skips
			}
			got, ok := Media{Data: text}.Bytes()
			if ok != (err == nil) || ok && string(got) != string(want) {
				t.Errorf("%q: %x %v, want %x %v", text, got, ok, want, err)
			}
			block := ImageContent("a/b", nil)
			if block.Media.Data = text; (block.Validate() == nil) != (err == nil) {
				t.Errorf("%q: %v, want %v", text, block.Validate(), err)
			}
		}
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		got  Raw
		want Raw
	}{
		{StringValue("a\"<\n"), `"a\"<\n"`}, {NumberValue(-0.5), "-0.5"}, {IntValue(-9007199254740993), "-9007199254740993"},
		{BoolValue(true), "true"}, {BoolValue(false), "false"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// Every params type names its own method.
func TestMethods(t *testing.T) {
	seen := map[string]string{}
	for _, v := range types {
		p, ok := v.(Params)
		if !ok {
			continue
		}
		m := p.Method()
		if !Known(m) || seen[m] != "" {
			t.Errorf("%T: method %q, as %s", v, m, seen[m])
		}
		seen[m] = typeName(v)
	}
	methods := map[string]bool{}
	for _, r := range AllRevisions() {
		for _, row := range r.Rows() {
			methods[row.Method] = true
		}
	}
	if n := len(methods); len(seen) != n {
		t.Errorf("%d methods have params, of %d", len(seen), n)
	}
	r := RawRequest{Name: "x/y", Body: `{"a":1}`}
	if r.Method() != "x/y" || string(r.AppendJSON([]byte(" "))) != ` {"a":1}` {
		t.Errorf("%+v", r)
	}
}
