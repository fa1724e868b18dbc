package protocol_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/cases"
	"github.com/sansmcp/mcp/conformance/model/values"
	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// Validate finds what a program can build and must not send.
//
// rows: ELIC-004 ELIC-006 ELIC-010 ELIC-012 PROMPT-008 PROMPT-009 PROMPT-010 RES-008 RES-034 ROOT-005 ROOT-012 SAMP-004 SCHEMA-005 SCHEMA-007 SCHEMA-018
// rows: TOOL-005
func TestValidate(t *testing.T) {
	image := func(mime, data string) Content {
		return Content{Type: ContentImage, Media: &Media{Data: data, MIMEType: mime}}
	}
	audio := func(mime, data string) Content {
		return Content{Type: ContentAudio, Media: &Media{Data: data, MIMEType: mime}}
	}
	prompt := func(c Content) *GetPromptResult {
		return &GetPromptResult{Messages: []PromptMessage{{RoleUser, TextContent("")}, {RoleAssistant, c}}}
	}
	form := func(s PrimitiveSchema) *ElicitParams {
		return &ElicitParams{RequestedSchema: ElicitSchema{Properties: []Property{{"a", s}}}}
	}
	var found cases.Findings
	for _, c := range []struct {
		rows string
		v    codec
		path string
		r    Reason
	}{
		{"", &CallToolParams{Arguments: "[]"}, "arguments", ReasonType},
		{"", &CallToolParams{Arguments: `{"a":}`}, "arguments", ReasonSyntax},
		{"", &CallToolParams{Arguments: " {} "}, "", 0},
		{"", &CallToolParams{Meta: "5"}, "_meta", ReasonType},
		{"", &CallToolParams{Meta: `{"progressToken":1.5}`}, "_meta.progressToken", ReasonInteger},
		{"", &CallToolParams{Meta: ` {"progressToken":"t"}`}, "", 0},
		{"", &InitializedParams{Meta: `{"progressToken":1.5}`}, "", 0},
		{"", &CallToolResult{StructuredContent: `x`}, "structuredContent", ReasonSyntax},
		{"", &CallToolResult{Content: []Content{{}}}, "content[0].type", ReasonMissing},
		{"", &CallToolResult{Content: []Content{{Type: "new"}}}, "content[0].type", ReasonValue},
		{"", &CallToolResult{Content: []Content{{Type: "new", Raw: `{"type":"old"}`}}}, "content[0].type", ReasonConflict},
		{"", &CallToolResult{Content: []Content{{Type: "new", Raw: `{}`}}}, "content[0].type", ReasonMissing},
		{"", &CallToolResult{Content: []Content{{Type: "new", Raw: `[]`}}}, "content[0]", ReasonType},
		{"", &CallToolResult{Content: []Content{{Type: "new", Raw: `{`}}}, "content[0]", ReasonSyntax},
		{"", &CallToolResult{Content: []Content{{Type: ContentText, Meta: "1"}}}, "content[0]._meta", ReasonType},
		{"", &CallToolResult{Content: []Content{{Type: ContentText, Annotations: &Annotations{Priority: Ptr(2.0)}}}}, "content[0].annotations.priority", ReasonRange},
		{"", &CallToolResult{Content: []Content{LinkContent(Resource{URI: "no scheme"})}}, "content[0].uri", ReasonValue},
		{"PROMPT-008", prompt(image("image/png", "***")), "messages[1].content.data", ReasonValue},
		{"PROMPT-008", prompt(image("", "QQ==")), "messages[1].content.mimeType", ReasonValue},
		{"PROMPT-008", prompt(image("png", "QQ==")), "messages[1].content.mimeType", ReasonValue},
		{"PROMPT-008", prompt(image("image/svg+xml; charset=utf-8", "QQ==")), "", 0},
		{"PROMPT-009", prompt(audio("audio/ogg", "***")), "messages[1].content.data", ReasonValue},
		{"PROMPT-009", prompt(audio("", "QQ==")), "messages[1].content.mimeType", ReasonValue},
		{"PROMPT-009", prompt(audio("ogg", "QQ==")), "messages[1].content.mimeType", ReasonValue},
		{"PROMPT-009", prompt(audio("audio/ogg", "QQ==")), "", 0},
		{"PROMPT-010", prompt(EmbeddedContent(TextResource("", "", "x"))), "messages[1].content.resource.uri", ReasonValue},
		{"PROMPT-010 RES-008", prompt(EmbeddedContent(TextResource("u:1", "", "\xff"))), "messages[1].content.resource.text", ReasonValue},
		{"PROMPT-010", prompt(EmbeddedContent(ResourceContents{URI: "u:1", Blob: Ptr("***")})), "messages[1].content.resource.blob", ReasonValue},
		{"PROMPT-010 RES-008", prompt(EmbeddedContent(ResourceContents{URI: "u:1", Text: "x", Blob: Ptr("")})), "messages[1].content.resource.blob", ReasonConflict},
		{"PROMPT-010", prompt(EmbeddedContent(ResourceContents{URI: "u:1", Meta: "[]"})), "messages[1].content.resource._meta", ReasonType},
		{"PROMPT-010", prompt(EmbeddedContent(TextResource("u:1", "", "x"))), "", 0},
		{"RES-034", &ReadResourceResult{Contents: []ResourceContents{TextResource("1x:abc", "", "")}}, "contents[0].uri", ReasonValue},
		{"SCHEMA-005", &PromptMessage{Role: "system", Content: TextContent("")}, "role", ReasonValue},
		{"SAMP-004", &SamplingMessage{Role: RoleUser, Content: []Content{LinkContent(Resource{URI: "u:1"})}}, "content[0].type", ReasonValue},
		{"SAMP-004", &SamplingMessage{Role: RoleUser, Content: []Content{{Type: ContentAudio}}}, "content[0].data", ReasonMissing},
		{"", &CreateMessageParams{IncludeContext: "all"}, "includeContext", ReasonValue},
		{"", &CreateMessageParams{Temperature: Ptr(math.NaN())}, "temperature", ReasonRange},
		{"", &CreateMessageParams{Metadata: "1"}, "metadata", ReasonType},
		{"", &CreateMessageParams{ModelPreferences: &ModelPreferences{CostPriority: Ptr(math.NaN())}}, "modelPreferences.costPriority", ReasonRange},
		{"", &ProgressParams{}, "progressToken", ReasonMissing},
		{"", &ProgressParams{ProgressToken: jsonrpc.Null}, "progressToken", ReasonType},
		{"", &ProgressParams{ProgressToken: jsonrpc.Int(0), Progress: math.Inf(1)}, "progress", ReasonRange},
		{"SCHEMA-007", &SetLevelParams{Level: "warn"}, "level", ReasonValue},
		{"", &LoggingMessageParams{Level: LevelInfo, Data: "{"}, "data", ReasonSyntax},
		{"", &LoggingMessageParams{Level: LevelInfo}, "", 0},
		{"SCHEMA-018", &Annotations{Audience: []Role{RoleUser, ""}}, "audience[1]", ReasonValue},
		{"TOOL-005", &Tool{}, "", 0},
		{"TOOL-005", &Tool{InputSchema: `{"type":"array"}`}, "inputSchema", ReasonValue},
		{"TOOL-005", &Tool{InputSchema: `{"type":"object"`}, "inputSchema", ReasonSyntax},
		{"TOOL-005", &Tool{OutputSchema: " []"}, "outputSchema", ReasonType},
		{"", &ClientCapabilities{Experimental: map[string]Raw{"x": "", "y": "1"}}, "experimental", ReasonType},
		{"", &ClientCapabilities{Experimental: map[string]Raw{"x": "", "y": "{}"}}, "", 0},
		{"ROOT-005", &Root{URI: "https://x"}, "uri", ReasonValue},
		{"ROOT-012", &Root{URI: "file:///a/../b"}, "uri", ReasonValue},
		{"ROOT-012", &Root{URI: "file:///a..b"}, "", 0},
		{"", &Reference{}, "type", ReasonValue},
		{"", &Reference{Type: RefPrompt, URI: "u:1"}, "uri", ReasonConflict},
		{"", &Reference{Type: RefResource, Name: "x"}, "name", ReasonConflict},
		{"", &Reference{Type: RefResource, Title: "x"}, "name", ReasonConflict},
		{"", &Reference{Type: RefResource, URI: "u:\xff"}, "uri", ReasonUTF8},
		{"", &Reference{Type: RefPrompt, Name: "\xff"}, "name", ReasonUTF8},
		{"", &ResourceContents{URI: "u:1", MIMEType: "\xff"}, "mimeType", ReasonUTF8},
		{"", &ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeBoolean}}, {"\xff", PrimitiveSchema{Type: TypeBoolean}}}}, "properties[1]", ReasonUTF8},
		{"", &PrimitiveSchema{Type: TypeString, Enum: []string{"a", "\xff"}}, "enum[1]", ReasonUTF8},
		{"ELIC-004", form(PrimitiveSchema{Type: "object"}), "requestedSchema.properties[0].type", ReasonValue},
		{"ELIC-004", form(PrimitiveSchema{}), "requestedSchema.properties[0].type", ReasonValue},
		{"ELIC-006", form(PrimitiveSchema{Type: TypeString, Format: "phone"}), "requestedSchema.properties[0].format", ReasonValue},
		{"ELIC-010", &PrimitiveSchema{Type: TypeString, Enum: []string{"a", "b"}, EnumNames: []string{"A", "B", "C"}}, "enumNames", ReasonConflict},
		{"ELIC-010", &PrimitiveSchema{Type: TypeString, EnumNames: []string{"A"}}, "enumNames", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeNumber, Enum: []string{}}, "enum", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeBoolean, MinLength: Ptr[int64](1)}, "minLength", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeString, Enum: []string{}, MaxLength: Ptr[int64](1)}, "maxLength", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeInteger, Format: FormatURI}, "format", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeString, Minimum: Ptr(1.0)}, "minimum", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeBoolean, Maximum: Ptr(1.0)}, "maximum", ReasonConflict},
		{"", &PrimitiveSchema{Type: TypeNumber, Default: "true"}, "default", ReasonType},
		{"", &PrimitiveSchema{Type: TypeNumber, Minimum: Ptr(math.Inf(-1))}, "minimum", ReasonRange},
		{"", &PrimitiveSchema{Type: TypeNumber, Maximum: Ptr(math.NaN())}, "maximum", ReasonRange},
		{"", &ElicitSchema{Properties: []Property{{"a", PrimitiveSchema{Type: TypeBoolean}}, {"a", PrimitiveSchema{Type: TypeBoolean}}}}, "properties[1]", ReasonConflict},
		{"", &ElicitSchema{Required: []string{"a"}}, "required[0]", ReasonConflict},
		{"ELIC-012", &ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": ""}}, "content", ReasonMissing},
		{"ELIC-012", &ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": "x"}}, "content", ReasonSyntax},
		{"ELIC-012", &ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": "null"}}, "content", ReasonType},
		{"ELIC-012", &ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": StringValue("x"), "b": NumberValue(0.5), "c": IntValue(-1), "d": BoolValue(true)}}, "", 0},
		{"", &ElicitResult{}, "action", ReasonValue},
	} {
		err := c.v.Validate()
		if c.r == 0 {
			if err != nil {
				found.Add(c.rows, "%T %s: %v", c.v, c.v.AppendJSON(nil), err)
			}
			continue
		}
		var e *DecodeError
		if !errors.As(err, &e) || e.Path != c.path || e.Reason != c.r || e.Type != typeName(c.v) {
			found.Add(c.rows, "%T %s: %v, want %q %d", c.v, c.v.AppendJSON(nil), err, c.path, c.r)
		}
	}
	found.Report(t)
}

// ELIC-003 to -010, A107: what a form may hold.
func TestElicitationForms(t *testing.T) {
	field := func(s string) string { return `{"type":"object","properties":{"f":` + s + `}}` }
	const at = "properties[0]"
	for _, c := range []struct {
		text string
		path string
		r    Reason
	}{
		{`{"type":"object","properties":{}}`, "", 0},
		{`{"type":"array","properties":{}}`, "type", ReasonValue},
		{`{"type":"object","properties":[]}`, "properties", ReasonType},
		{`{"type":"object","properties":{},"required":[1]}`, "required", ReasonType},
		{`{"type":"object","properties":{},"required":["later"],"additionalProperties":false}`, "", 0},
		{field(`{"type":"string","default":"x","x-note":{"type":"object"}}`), "", 0},
		{field(`{"type":"number","minimum":0.5,"minLength":"any"}`), "", 0},
		{field(`{"type":"string","enum":["a"],"enumNames":["A","B"]}`), "", 0},
		{field(`{"type":"object","properties":{}}`), at + ".type", ReasonValue},
		{field(`{"type":"array","items":{"type":"string"}}`), at + ".items.enum", ReasonMissing},
		{field(`{"type":["string","null"]}`), at + ".type", ReasonType},
		{field(`{"anyOf":[{"type":"string"}]}`), at + ".type", ReasonMissing},
		{field(`{"$ref":"#/x","type":"string"}`), at + ".$ref", ReasonValue},
		{field(`{"type":"string","format":"phone"}`), at + ".format", ReasonValue},
		{field(`{"type":"string","format":null,"enum":null}`), "", 0},
		{field(`{"type":"string","minLength":1.5}`), at + ".minLength", ReasonInteger},
		{field(`{"type":"number","minimum":"0"}`), at + ".minimum", ReasonType},
		{field(`{"type":"boolean","default":"true"}`), at + ".default", ReasonType},
		{field(`{"type":"string","enum":[1]}`), at + ".enum", ReasonType},
		{field(`{"type":"string","enum":["a"],"enumNames":"A"}`), at + ".enumNames", ReasonType},
		{field(`true`), at, ReasonType},
	} {
		if path, r := reason(t, &ElicitSchema{}, c.text); path != c.path || r != c.r {
			t.Errorf("%s: %q %d, want %q %d", c.text, path, r, c.path, c.r)
		}
	}

	// The fields keep their order; a repeated name has its first place and last schema.
	const text = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"},"z":{"type":"boolean"},"0":{"type":"string","enum":["x"],"enumNames":[]}}}`
	s := decoded(t, &ElicitSchema{}, text).(*ElicitSchema)
	const want = `{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"number"},"0":{"type":"string","enum":["x"],"enumNames":[]}}}`
	if got := string(s.AppendJSON(nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if EnumNamesMatch(Raw(s.AppendJSON(nil))) {
		t.Error("one value and no name match")
	}
	s.Properties[2].Schema.EnumNames = []string{"X"}
	if !EnumNamesMatch(Raw(s.AppendJSON(nil))) {
		t.Error("one value and one name do not match")
	}
	if !EnumNamesMatch(`{"properties":{"n":{"type":"integer","enum":[1],"enumNames":[]}}}`) {
		t.Error("a keyword of strings counts in an integer")
	}
}

// spoil gives v, which is valid, every invalid value that it can have somewhere,
// one at a time, and calls report with the path to it and what is wrong there.
func spoil(v reflect.Value, rule, path string, report func(path string, r Reason)) {
	try := func(bad any, path string, r Reason) {
		old := reflect.ValueOf(v.Interface())
		v.Set(reflect.ValueOf(bad).Convert(v.Type()))
		report(path, r)
		v.Set(old)
	}
	switch v.Interface().(type) {
	case Content:
		try(Content{}, path+".type", ReasonMissing)
		if rule == "sampling" {
			try(LinkContent(Resource{URI: "u:1"}), path+".type", ReasonValue)
		}
		return
	case ResourceContents:
		try(ResourceContents{}, path+".uri", ReasonValue)
		return
	case Reference:
		try(Reference{}, path+".type", ReasonValue)
		return
	case ElicitParams:
		spoil(v.FieldByName("RequestedSchema"), "", path+".requestedSchema", report)
		spoil(v.FieldByName("Meta"), "request", path+"._meta", report)
		return
	case ElicitSchema:
		try(ElicitSchema{Required: []string{"x"}}, path+".required[0]", ReasonConflict)
		return
	case jsonrpc.ID:
		try(jsonrpc.ID{}, path, ReasonMissing)
		return
	case Raw, Meta:
		try("{", path, ReasonSyntax)
		if rule == "request" {
			try(`{"progressToken":[]}`, path+".progressToken", ReasonType)
		}
		return
	case map[string]Raw:
		try(map[string]Raw{"k": "x"}, path, ReasonSyntax)
		try(map[string]Raw{"k\xff": "{}"}, path, ReasonUTF8)
		try(map[string]Raw{"k\xff": "1"}, path, ReasonUTF8)
		return
	case map[string]string:
		try(map[string]string{"k\xff": "x"}, path, ReasonUTF8)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		spoil(v.Elem(), rule, path, report)
	case reflect.String:
		switch {
		case rule == "name":
			try("a\xff", path, ReasonUTF8)
		case rule != "":
			try("file:///\xff", path, ReasonValue)
			fallthrough
		case values.Enums[v.Type()] != nil:
			try("??", path, ReasonValue)
		}
	case reflect.Float64:
		try(math.NaN(), path, ReasonRange)
		try(math.Inf(1), path, ReasonRange)
		try(math.Inf(-1), path, ReasonRange)
	case reflect.Slice:
		spoil(v.Index(0), "", path+"[0]", report)
	case reflect.Struct:
		for i := range v.NumField() {
			if wire, rule, _ := tags(v.Type().Field(i)); wire != "-" {
				spoil(v.Field(i), rule, strings.TrimPrefix(path+"."+wire, "."), report)
			}
		}
	}
}

// Validate looks at every member of every type, at any depth.
func TestValidateEverything(t *testing.T) {
	count := 0
	for _, typ := range types {
		v := fresh(typ)
		if _, ok := v.(*PrimitiveSchema); ok {
			continue // TestValidate
		}
		fill(reflect.ValueOf(v).Elem(), "")
		spoil(reflect.ValueOf(v).Elem(), "", "", func(path string, r Reason) {
			count++
			path = strings.TrimPrefix(path, ".")
			var e *DecodeError
			if err := v.Validate(); !errors.As(err, &e) || e.Path != path || e.Type != typeName(typ) || e.Reason != r {
				t.Errorf("%T with a bad %s: %v, want %v", v, path, err, r)
			}
		})
		if err := v.Validate(); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
	if count < 120 {
		t.Errorf("only %d values", count)
	}
}

// The method table checks params and results with these codecs.
func TestTableChecks(t *testing.T) {
	texts := map[string]string{}
	for _, s := range shapes() {
		texts[s.name] = s.text
	}
	texts["ElicitParams"] = texts["ElicitRequestFormParams"]
	for _, v := range types {
		p, ok := v.(Params)
		if !ok {
			continue
		}
		row := Revision20251125.Row(p.Method())
		if row == nil {
			row = Revision20260728.Row(p.Method())
		}
		name := typeName(v)
		check := func(what string, f func(Raw, jsonrpc.Span) error, text string) {
			if err := f(Raw(text), jsonrpc.Span{}); err != nil {
				t.Errorf("%s: %s %s: %v", name, what, text, err)
			}
			if err := f(Raw(with(text, "_meta", "5")), jsonrpc.Span{}); err == nil {
				t.Errorf("%s: %s with _meta 5", name, what)
			}
		}
		check("params", row.CheckParams, texts[name])
		// The progress token counts in requests only (A80).
		err := row.CheckParams(Raw(with(texts[name], "_meta", `{"progressToken":1.5}`)), jsonrpc.Span{})
		if (err == nil) != row.Notification {
			t.Errorf("%s: bad progress token: %v", name, err)
		}
		if !row.Notification {
			result, ok := texts[strings.TrimSuffix(name, "Params")+"Result"]
			if !ok {
				result = texts["EmptyResult"]
			}
			check("result", row.CheckResult, result)
		}
	}
}
