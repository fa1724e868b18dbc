package protocol_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// Case 47 of the bugs of other SDKs, SCHEMA-012: a block of an unknown type does
// not fail the result; it is kept, an empty blob stays a blob, and everything is
// written back as it came.
func TestUnknownContent(t *testing.T) {
	const text = `{"content":[{"type":"text","text":"one"},{"type":"smell","note":[ 1.0 ],"type2":null},` +
		`{"type":"resource","resource":{"uri":"mem:1","blob":""}},{"type":"resource_link","uri":"mem:2","name":"two"}]}`
	r, err := Decode[CallToolResult](text)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Content); n != 4 {
		t.Fatalf("%d blocks", n)
	}
	if c := r.Content[1]; c.Type != "smell" || c.Raw != `{"type":"smell","note":[ 1.0 ],"type2":null}` {
		t.Errorf("unknown block: %+v", c)
	}
	if c := r.Content[2].Resource; c.Blob == nil || *c.Blob != "" {
		t.Errorf("empty blob: %+v", c)
	}
	if got := string(r.AppendJSON(nil)); got != text {
		t.Errorf("writes %s\n  want %s", got, text)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

// What is wrong with blocks of content, and where (A111).
//
// rows: PROMPT-007 SAMP-004 SCHEMA-016 SCHEMA-017 SCHEMA-018
func TestContentFaults(t *testing.T) {
	var found cases.Findings
	for _, c := range []struct {
		rows string
		v    codec
		text string
		path string
		r    Reason
	}{
		{"SCHEMA-016", &Content{}, `{"type":5}`, "type", ReasonType},
		{"SCHEMA-016 SCHEMA-017", &Content{}, `{"type":"resource","resource":{"uri":"u:1"}}`, "resource.text", ReasonMissing},
		{"SCHEMA-016 SCHEMA-017", &Content{}, `{"type":"resource","resource":{"text":""}}`, "resource.uri", ReasonMissing},
		{"SCHEMA-018", &Content{}, `{"type":"resource","resource":{"uri":"u:1","text":"","annotations":{"priority":2}}}`, "annotations.priority", ReasonRange},
		{"SCHEMA-018", &Content{}, `{"type":"resource_link","uri":"u:1","name":"n","annotations":{"priority":2}}`, "annotations.priority", ReasonRange},
		{"PROMPT-007", &PromptMessage{}, `{"role":"user","content":[{"type":"text","text":""}]}`, "content", ReasonType},
		{"PROMPT-007", &PromptMessage{}, `{"role":"user","content":{"type":"text"}}`, "content.text", ReasonMissing},
		{"PROMPT-007", &PromptMessage{}, `{"role":"user","content":{"type":"hologram"}}`, "", 0},
		{"SAMP-004", &SamplingMessage{}, `{"role":"user","content":{"type":"resource","resource":{"uri":"u:1","text":""}}}`, "content.type", ReasonValue},
		{"SAMP-004", &SamplingMessage{}, `{"role":"user","content":{"type":"resource_link","uri":"u:1","name":"n"}}`, "content.type", ReasonValue},
		{"SAMP-004", &SamplingMessage{}, `{"role":"user","content":{"type":"hologram"}}`, "content.type", ReasonValue},
		{"SAMP-004", &SamplingMessage{}, `{"role":"user","content":{"type":"text"}}`, "content.text", ReasonMissing},
		{"SAMP-004", &CreateMessageResult{}, `{"role":"user","content":{"type":"hologram"},"model":""}`, "content.type", ReasonValue},
	} {
		if path, r := reason(t, c.v, c.text); path != c.path || r != c.r {
			found.Add(c.rows, "%T: %s: %q %d, want %q %d", c.v, c.text, path, r, c.path, c.r)
		}
	}
	found.Report(t)
}

// SCHEMA-023: annotations on every block, Resource and ResourceTemplate; those of
// an embedded resource may come on the block and inside, and go on the block.
//
// rows: SCHEMA-023
func TestAnnotations(t *testing.T) {
	const a = `"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}`
	for _, c := range []struct {
		v        codec
		in, want string
	}{
		{&Content{}, `{"type":"text","text":"",` + a + `}`, ""},
		{&Content{}, `{"type":"image","data":"","mimeType":"a/b",` + a + `}`, ""},
		{&Content{}, `{"type":"audio","data":"","mimeType":"a/b",` + a + `}`, ""},
		{&Content{}, `{"type":"resource_link","uri":"u:1","name":"",` + a + `}`, ""},
		{&Content{}, `{"type":"resource","resource":{"uri":"u:1","text":""},` + a + `}`, ""},
		{&Content{}, `{"type":"resource","resource":{"uri":"u:1","text":"",` + a + `}}`, `{"type":"resource","resource":{"uri":"u:1","text":""},` + a + `}`},
		{&Content{}, `{"type":"resource","resource":{"uri":"u:1","text":"","annotations":{"priority":1}},` + a + `}`, `{"type":"resource","resource":{"uri":"u:1","text":""},` + a + `}`},
		{&Resource{}, `{"uri":"u:1","name":"",` + a + `}`, ""},
		{&ResourceTemplate{}, `{"uriTemplate":"u:{x}","name":"",` + a + `}`, ""},
	} {
		if got := string(decoded(t, c.v, c.in).AppendJSON(nil)); got != cmpOr(c.want, c.in) {
			t.Errorf("%s\nwritten as %s", c.in, got)
		}
	}
}

// SCHEMA-017: both text and blob read as text; never both are written.
//
// rows: SCHEMA-017
func TestTextAndBlob(t *testing.T) {
	v := decoded(t, &ResourceContents{}, `{"uri":"u:1","blob":"QQ==","text":"x"}`).(*ResourceContents)
	if v.Blob != nil || v.Text != "x" {
		t.Errorf("%+v", v)
	}
	v.Blob = Ptr("QQ==")
	if got := string(v.AppendJSON(nil)); got != `{"uri":"u:1","blob":"QQ=="}` {
		t.Errorf("written as %s", got)
	}
}

func TestConstructors(t *testing.T) {
	data := []byte{0, 0xff, 0x10}
	for _, c := range []struct {
		v    codec
		want string
	}{
		{Ptr(TextContent("<a>")), `{"type":"text","text":"<a>"}`},
		{Ptr(ImageContent("image/png", data)), `{"type":"image","data":"AP8Q","mimeType":"image/png"}`},
		{Ptr(AudioContent("audio/wav", data[:1])), `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`},
		{Ptr(LinkContent(Resource{URI: "u:1", Name: "n"})), `{"type":"resource_link","uri":"u:1","name":"n"}`},
		{Ptr(EmbeddedContent(TextResource("u:1", "text/plain", "x"))), `{"type":"resource","resource":{"uri":"u:1","mimeType":"text/plain","text":"x"}}`},
		{Ptr(EmbeddedContent(BlobResource("u:1", "", data[:2]))), `{"type":"resource","resource":{"uri":"u:1","blob":"AP8="}}`},
		{TextResult("x"), `{"content":[{"type":"text","text":"x"}]}`},
		{ErrorResult("x"), `{"content":[{"type":"text","text":"x"}],"isError":true}`},
		{Ptr(PromptReference("p")), `{"type":"ref/prompt","name":"p"}`},
		{Ptr(ResourceReference("u:{x}")), `{"type":"ref/resource","uri":"u:{x}"}`},
	} {
		if got := string(c.v.AppendJSON(nil)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if err := c.v.Validate(); err != nil {
			t.Errorf("%s: %v", c.want, err)
		}
		if got := decoded(t, c.v, c.want); !reflect.DeepEqual(got, c.v) {
			t.Errorf("%s reads back as %+v", c.want, got)
		}
	}
	r := TextResult("one")
	r.Content = append(r.Content, TextContent("two"))
	if got := string(r.AppendJSON(nil)); got != `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}` {
		t.Errorf("appended block: %s", got)
	}
}

// RES-009: the data comes back as it went in.
func TestBytes(t *testing.T) {
	for n := range 7 {
		data := []byte("\x00\xffabc\x80\x7f")[:n]
		if got, ok := ImageContent("a/b", data).Media.Bytes(); !ok || string(got) != string(data) {
			t.Errorf("image: %x, want %x", got, data)
		}
		if got, ok := BlobResource("u:1", "", data).Bytes(); !ok || string(got) != string(data) {
			t.Errorf("blob: %x, want %x", got, data)
		}
	}
	if got, ok := TextResource("u:1", "", "é").Bytes(); !ok || string(got) != "é" {
		t.Errorf("text: %q", got)
	}
	if _, ok := (Media{Data: "***"}).Bytes(); ok {
		t.Error("*** is no base64")
	}
}

// A block of another kind than its fields, which only a mistake can build, is
// still written as JSON, and found by Validate.
func TestHalfContent(t *testing.T) {
	for _, kind := range []string{"", ContentImage, ContentAudio, ContentLink, ContentEmbedded, "other"} {
		c := Content{Type: kind}
		if got := c.AppendJSON(nil); !json.Valid(got) {
			t.Errorf("%q: %s", kind, got)
		}
		if c.Validate() == nil {
			t.Errorf("%q: valid", kind)
		}
	}
}

// The sizes and allocations that the dispatchers count on.
func TestAllocations(t *testing.T) {
	if n := unsafe.Sizeof(Content{}); n > 112 {
		t.Errorf("a Content is %d bytes", n)
	}
	result := TextResult("some text with \"quotes\"")
	const params Raw = `{"name":"echo","arguments":{"text":"a","n":[1,2,3]},"_meta":{"progressToken":7}}`
	call := CallToolParams{Name: "echo", Arguments: `{"text":"a"}`, Meta: `{"progressToken":7}`}
	var sink *CallToolResult
	for _, c := range []struct {
		name string
		want float64
		f    func()
	}{
		{"TextResult", 1, func() { sink = TextResult("x") }},
		{"CallToolResult.AppendJSON", 0, func() {
			var buf [256]byte
			if len(result.AppendJSON(buf[:0])) == 0 {
				t.Fatal("nothing appended")
			}
		}},
		{"CallToolParams.AppendJSON", 0, func() {
			var buf [256]byte
			if len(call.AppendJSON(buf[:0])) == 0 {
				t.Fatal("nothing appended")
			}
		}},
		{"CallToolParams.DecodeJSON", 0, func() {
			var p CallToolParams
			if err := p.DecodeJSON(params, jsonrpc.Span{}); err != nil {
				t.Fatal(err)
			}
		}},
		{"CallToolResult.Validate", 0, func() {
			if err := result.Validate(); err != nil {
				t.Fatal(err)
			}
		}},
		{"CallToolParams.Validate", 0, func() {
			if err := call.Validate(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		if got := testing.AllocsPerRun(100, c.f); got != c.want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, c.want)
		}
	}
	_ = sink
}

// The span of the largest member is not read again: it may hold anything.
func TestSpan(t *testing.T) {
	const raw = `{"name":"n","arguments":{"a":1},"_meta":{}}`
	const bad = `{"name":"n","arguments":{"a":?},"_meta":{}}`
	span := jsonrpc.Span{Start: 24, End: 31}
	for _, text := range []Raw{raw, bad} {
		var p CallToolParams
		if err := p.DecodeJSON(text, span); err != nil {
			t.Fatal(err)
		}
		if p.Arguments != text[24:31] || p.Meta != "{}" {
			t.Errorf("%+v", p)
		}
	}
	var p CallToolParams
	if p.DecodeJSON(bad, jsonrpc.Span{}) == nil {
		t.Error("accepts what is no JSON")
	}
	// Unless the content matters.
	var tool Tool
	var e *DecodeError
	err := tool.DecodeJSON(`{"name":"n","inputSchema":{"type":?}}`, jsonrpc.Span{Start: 26, End: 36})
	if !errors.As(err, &e) || e.Path != "inputSchema" || e.Reason != ReasonSyntax {
		t.Errorf("a schema that is no JSON: %v", err)
	}
}
