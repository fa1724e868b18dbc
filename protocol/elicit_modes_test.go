package protocol_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

const emptyForm = `{"type":"object","properties":{}}`

// What each mode of an elicitation needs, and what an older revision sees of it.
//
// rows: ELIC-101 ELIC-103 ELIC-104 ELIC-105
func TestElicitModes(t *testing.T) {
	for text, want := range map[string]string{
		`{"message":"m","requestedSchema":` + emptyForm + `}`:                                       "",
		`{"mode":"form","message":"m","requestedSchema":` + emptyForm + `,"url":5}`:                 "",
		`{"mode":"url","message":"m","url":"a:b","elicitationId":"1","requestedSchema":5}`:          "",
		`{"mode":"x","message":"m","requestedSchema":` + emptyForm + `}`:                            "mode has no allowed value",
		`{"mode":5,"message":"m","requestedSchema":` + emptyForm + `}`:                              "mode has the wrong type",
		`{"mode":"form","message":"m"}`:                                                             "requestedSchema is missing",
		`{"requestedSchema":` + emptyForm + `}`:                                                     "message is missing",
		`{"mode":"url","url":"a:b","elicitationId":"1"}`:                                            "message is missing",
		`{"mode":"url","message":"m","elicitationId":"1"}`:                                          "url is missing",
		`{"mode":"url","message":"m","url":"a:b"}`:                                                  "elicitationId is missing",
		`{"mode":"url","message":"m","url":"a:b","elicitationId":5}`:                                "elicitationId has the wrong type",
		`{"mode":"url","message":"m","url":"a:b","elicitationId":"1","_meta":{"progressToken":[]}}`: "_meta.progressToken has the wrong type",
	} {
		got := ""
		if _, err := Decode[ElicitParams](Raw(text)); err != nil {
			got = strings.TrimPrefix(err.Error(), "protocol: ElicitParams.")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		err := Revision20251125.Row(MethodElicitationCreate).CheckParams(Raw(text), jsonrpc.Span{})
		if (err == nil) != (want == "") {
			t.Errorf("2025-11-25: %s: %v", text, err)
		}
		// Before, there are forms only.
		err = Revision20250618.Row(MethodElicitationCreate).CheckParams(Raw(text), jsonrpc.Span{})
		if form := strings.Contains(text, emptyForm) && strings.Contains(text, "message"); (err == nil) != form {
			t.Errorf("2025-06-18: %s: %v", text, err)
		}
	}
	byURL := ElicitParams{Mode: ElicitURL, Message: "m", URL: "https://x", ElicitationID: "1"}
	for _, change := range []struct {
		what string
		do   func(*ElicitParams)
	}{
		{"", func(*ElicitParams) {}},
		{"mode has no allowed value", func(p *ElicitParams) { p.Mode = "x" }},
		{"url has no allowed value", func(p *ElicitParams) { p.URL = "x" }},
		{"elicitationId is missing", func(p *ElicitParams) { p.ElicitationID = "" }},
		{"elicitationId is not UTF-8", func(p *ElicitParams) { p.ElicitationID = "\xff" }},
		{"requestedSchema conflicts with another member", func(p *ElicitParams) { p.RequestedSchema.Properties = []Property{} }},
		{"requestedSchema conflicts with another member", func(p *ElicitParams) { p.RequestedSchema.Required = []string{"x"} }},
		{"requestedSchema conflicts with another member", func(p *ElicitParams) { p.RequestedSchema.Dialect = "u:1" }},
		{"url conflicts with another member", func(p *ElicitParams) { p.Mode = "" }},
		{"url conflicts with another member", func(p *ElicitParams) { p.Mode = ElicitForm }},
		{"elicitationId conflicts with another member", func(p *ElicitParams) { p.Mode, p.URL = "", "" }},
	} {
		p := byURL
		change.do(&p)
		got := ""
		if err := p.Validate(); err != nil {
			got = strings.TrimPrefix(err.Error(), "protocol: ElicitParams.")
		}
		if got != change.what {
			t.Errorf("%+v: %q, want %q", p, got, change.what)
		}
	}
}

// The end of an elicitation by url has its id, and exists since 2025-11-25.
//
// rows: ELIC-113
func TestElicitationComplete(t *testing.T) {
	for text, want := range map[string]Reason{`{"elicitationId":"1"}`: 0, `{"elicitationId":""}`: 0, `{}`: ReasonMissing, `{"elicitationId":5}`: ReasonType, `{"elicitationId":null}`: ReasonType} {
		if _, r := reason(t, &ElicitationCompleteParams{}, text); r != want {
			t.Errorf("%s: %d", text, r)
		}
	}
	for i, r := range every {
		row := r.Row(MethodElicitationComplete)
		if (row != nil) != (i == 0) {
			t.Errorf("%v: %v", r, row)
		}
	}
	row := Revision20251125.Row(MethodElicitationComplete)
	if !row.Notification || row.Receiver != Client || row.Requires != CapElicitation|CapElicitationURL {
		t.Errorf("%+v", row)
	}
}

// The code for a needed url has its data and means nothing else; older revisions do not
// know it.
//
// rows: ERR-101 ERR-102 ERR-103 ELIC-118
func TestURLElicitationRequired(t *testing.T) {
	one := ElicitParams{Mode: ElicitURL, Message: "m", URL: "https://x", ElicitationID: "1"}
	e := URLElicitationRequired(one, one)
	if e.Code != -32042 || CheckError(e, Encoding{}) != nil {
		t.Fatalf("%+v: %v", e, CheckError(e, Encoding{}))
	}
	list, err := URLElicitations(jsonrpc.Error{Code: e.Code, Data: Raw(with(string(e.Data), "more", "1"))})
	if err != nil || len(list) != 2 || list[1].URL != one.URL {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := URLElicitations(URLElicitationRequired()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	for data, want := range map[Raw]string{
		"":                     "elicitations is missing",
		`5`:                    "elicitations is missing",
		`{}`:                   "elicitations is missing",
		`{"elicitations":{}}`:  "elicitations has the wrong type",
		`{"elicitations":[5]}`: "elicitations[0] has the wrong type",
		`{"elicitations":[{"mode":"url","message":"m","url":"a:b"}]}`:                 "elicitations[0].elicitationId is missing",
		`{"elicitations":[{"message":"m","requestedSchema":` + Raw(emptyForm) + `}]}`: "elicitations[0].mode has no allowed value",
	} {
		bad := jsonrpc.Error{Code: e.Code, Data: data}
		_, err := URLElicitations(bad)
		if err == nil || err.Error() != "protocol: URLElicitationRequired."+want {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
		if CheckError(bad, Encoding{}) == nil {
			t.Errorf("%s may be sent", data)
		}
	}
	if CheckError(jsonrpc.Error{Code: e.Code, Data: `{"elicitations":[{"mode":"url","message":"m","url":"x","elicitationId":"1"}]}`}, Encoding{}) == nil {
		t.Error("a url without a scheme may be sent")
	}
	for i, r := range every {
		got, lossy := r.DowngradeError(e)
		if lossy != (i > 0) || lossy && (got.Code != jsonrpc.CodeInternalError || got.Data != "") || !lossy && got != e {
			t.Errorf("%v: %+v, %v", r, got, lossy)
		}
		if other := InvalidParams("x"); !same(r.DowngradeError(other))(other) {
			t.Errorf("%v changes another error", r)
		}
	}
}

func same(e jsonrpc.Error, lossy bool) func(jsonrpc.Error) bool {
	return func(want jsonrpc.Error) bool { return !lossy && e == want }
}

// Fields to choose from, and what answers them.
//
// rows: ELIC-121 ELIC-122 ELIC-123 ELIC-124 ELIC-125 ELIC-130 ELIC-131
func TestChoices(t *testing.T) {
	for field, c := range map[string]struct {
		fault     string
		good, bad []string
	}{
		`{"type":"string","enum":["a","b"],"default":"a"}`:                                {good: []string{`"a"`}, bad: []string{`"c"`, `["a"]`}},
		`{"type":"string","enum":["a"],"enumNames":["A"],"default":"a"}`:                  {good: []string{`"a"`}, bad: []string{`"A"`}},
		`{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`: {good: []string{`"a"`, `"b"`}, bad: []string{`"A"`, `5`, `null`}},
		`{"type":"string","oneOf":[]}`:                                                    {bad: []string{`"a"`}},
		`{"type":"string","oneOf":[{"title":"A"}]}`:                                       {fault: "oneOf[0].const is missing"},
		`{"type":"string","oneOf":[{"const":"a"}]}`:                                       {fault: "oneOf[0].title is missing"},
		`{"type":"string","oneOf":{}}`:                                                    {fault: "oneOf has the wrong type"},
		`{"type":"string","pattern":"^a$","minLength":1}`:                                 {good: []string{`"b"`}},
		`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2}`: {
			good: []string{`["a"]`, `["b","a"]`}, bad: []string{`[]`, `["a","b","c"]`, `["x"]`, `["a","a"]`, `"a"`, `[1]`, `[["a"]]`},
		},
		`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`: {good: []string{`[]`, `["a"]`}, bad: []string{`["A"]`}},
		`{"type":"array"}`:                                                    {fault: "items is missing"},
		`{"type":"array","items":[]}`:                                         {fault: "items has the wrong type"},
		`{"type":"array","items":{"type":"number","enum":["a"]}}`:             {fault: "items.type has no allowed value"},
		`{"type":"array","items":{"enum":["a"]}}`:                             {fault: "items.type is missing"},
		`{"type":"array","items":{"type":"string"}}`:                          {fault: "items.enum is missing"},
		`{"type":"array","items":{"anyOf":[{"const":1,"title":"A"}]}}`:        {fault: "items.anyOf[0].const has the wrong type"},
		`{"type":"array","items":{"type":"string","enum":[]},"minItems":"1"}`: {fault: "minItems has the wrong type"},
		`{"type":"array","items":{"type":"string","enum":[]},"maxItems":1.5}`: {fault: "maxItems is not integral"},
	} {
		v, err := Decode[PrimitiveSchema](Raw(field))
		if c.fault != "" {
			if err == nil || err.Error() != "protocol: PrimitiveSchema."+c.fault {
				t.Errorf("%s: %v, want %s", field, err, c.fault)
			}
			continue
		}
		if err != nil || v.Validate() != nil {
			t.Errorf("%s: %v, %v", field, err, v.Validate())
		}
		if again := decoded(t, &PrimitiveSchema{}, string(v.AppendJSON(nil))); !reflect.DeepEqual(again, &v) {
			t.Errorf("%s becomes %s: %+v, want %+v", field, v.AppendJSON(nil), again, v)
		}
		form := ElicitSchema{Properties: []Property{{"x", v}}}
		for _, val := range c.good {
			if err := form.CheckJSON(Raw(`{"x":` + val + `}`)); err != nil {
				t.Errorf("%s: %s: %v", field, val, err)
			}
		}
		for _, val := range c.bad {
			if form.CheckJSON(Raw(`{"x":`+val+`}`)) == nil {
				t.Errorf("%s takes %s", field, val)
			}
		}
	}
	if got, want := string(PrimitiveSchema{Type: TypeArray, Choices: []Choice{{"a", "A"}}, MaxItems: Ptr(int64(1))}.AppendJSON(nil)), `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"maxItems":1}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	one := int64(1)
	for _, bad := range []PrimitiveSchema{
		{Type: TypeArray}, {Type: TypeNumber, Choices: []Choice{}}, {Type: TypeString, Choices: []Choice{}, Enum: []string{}}, {Type: TypeString, MinItems: &one},
		{Type: TypeBoolean, MaxItems: &one}, {Type: TypeArray, Enum: []string{}, EnumNames: []string{}}, {Type: TypeArray, Enum: []string{}, MinLength: &one},
		{Type: TypeNumber, Pattern: "x"}, {Type: TypeString, Choices: []Choice{{Value: "\xff"}}}, {Type: TypeString, Choices: []Choice{}, MinLength: &one},
	} {
		if bad.Validate() == nil {
			t.Errorf("%s may be sent", bad.AppendJSON(nil))
		}
	}
}

// Defaults are of the type of their field, satisfy it when they are sent, and fill in what
// a content lacks.
//
// rows: ELIC-119 ELIC-120 ELIC-129
func TestDefaults(t *testing.T) {
	for field, want := range map[string]string{ // a fault, or of the value: how it was read
		`{"type":"string","default":"x"}`: "", `{"type":"string","default":5}`: "type", `{"type":"number","default":0.5}`: "", `{"type":"integer","default":5}`: "",
		`{"type":"number","default":"5"}`: "type", `{"type":"boolean","default":"true"}`: "type", `{"type":"boolean","default":false}`: "",
		`{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"]}`: "", `{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}`: "type",
		`{"type":"string","minLength":1,"default":""}`: "value", `{"type":"number","maximum":10,"default":11}`: "value", `{"type":"integer","default":0.5}`: "value",
		`{"type":"string","enum":["a"],"default":"z"}`: "value", `{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"}`: "value",
		`{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1,"default":[]}`: "value", `{"type":"string","default":null}`: "",
	} {
		v, err := Decode[PrimitiveSchema](Raw(field))
		if (err != nil) != (want == "type") {
			t.Errorf("%s: %v", field, err)
		}
		if err != nil {
			continue
		}
		if (v.Validate() == nil) != (want == "") {
			t.Errorf("%s: %v", field, v.Validate())
		}
		form := Raw(`{"type":"object","properties":{"a":` + field + `}}`)
		row := Revision20251125.Row(MethodElicitationCreate)
		terms := row.Terms(Asked{Params: Raw(`{"message":"","requestedSchema":` + string(form) + `}`), Received: true})
		if (terms.Rule == "ELIC-120") != (want != "") {
			t.Errorf("%s: %+v", form, terms)
		}
		whole := decoded(t, &ElicitSchema{}, string(form)).(*ElicitSchema)
		if got := whole.Defaults(); (len(got) == 1) != (want == "" && v.Default != "") {
			t.Errorf("%s gives %v", field, got)
		}
	}
	form := decoded(t, &ElicitSchema{}, `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
		"score":{"type":"number","default": 95.5 },"status":{"type":"string","enum":["active","inactive"],"default":"active"},"verified":{"type":"boolean","default":true},
		"tags":{"type":"array","items":{"type":"string","enum":["a","b"]},"default":["a"]},"none":{"type":"string"}}}`).(*ElicitSchema)
	want := map[string]Raw{"name": `"John Doe"`, "age": "30", "score": "95.5", "status": `"active"`, "verified": "true", "tags": `["a"]`}
	if got := form.Defaults(); !maps.Equal(got, want) || form.Check(got) != nil {
		t.Errorf("%v, want %v: %v", got, want, form.Check(got))
	}
	given := map[string]Raw{"name": `"x"`, "more": "1"}
	got := form.Fill(given)
	if len(given) != 2 || got["name"] != `"x"` || got["age"] != "30" || got["more"] != "1" || len(got) != 7 {
		t.Errorf("%v of %v", got, given)
	}
	s, ok := form.Properties[0].Schema.DefaultString()
	n, ok2 := form.Properties[2].Schema.DefaultNumber()
	b, ok3 := form.Properties[4].Schema.DefaultBool()
	list, ok4 := form.Properties[5].Schema.DefaultStrings()
	if s != "John Doe" || n != 95.5 || !b || !slices.Equal(list, []string{"a"}) || !ok || !ok2 || !ok3 || !ok4 {
		t.Errorf("%q %v, %v %v, %v %v, %v %v", s, ok, n, ok2, b, ok3, list, ok4)
	}
	for _, p := range []PrimitiveSchema{{Type: TypeString}, {Type: TypeNumber}, {Type: TypeBoolean}, {Type: TypeArray, Enum: []string{}}, {Type: TypeString, Default: "5"}} {
		_, a := p.DefaultString()
		_, b := p.DefaultNumber()
		_, c := p.DefaultBool()
		_, d := p.DefaultStrings()
		if a || b || c || d {
			t.Errorf("%+v has a default", p)
		}
	}
}

// A content may have lists of strings since 2025-11-25, and a form fields that take them.
//
// rows: ELIC-128 ELIC-012 ELIC-127
func TestListsInContent(t *testing.T) {
	for text, late := range map[Raw]bool{`["a"]`: true, `[]`: true, `[1]`: false, `[["a"]]`: false, `{}`: false, `null`: false} {
		result := `{"action":"accept","content":{"x":` + text + `}}`
		form := Raw(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["a"]}}}}}`)
		for i, r := range every[:2] {
			row := r.Row(MethodElicitationCreate)
			if err := row.CheckResult(result, jsonrpc.Span{}); (err == nil) != (late && i == 0) {
				t.Errorf("%v: %s: %v", r, result, err)
			}
			if err := row.CheckParams(form, jsonrpc.Span{}); (err == nil) != (i == 0) {
				t.Errorf("%v: %s: %v", r, form, err)
			}
		}
	}
	// What is later in a field is looked at later.
	for field, late := range map[string]Reason{`{"type":"string","default":5}`: ReasonType, `{"type":"number","default":"x"}`: ReasonType, `{"type":"string","oneOf":5}`: ReasonType, `{"type":"boolean","default":5}`: 0} {
		form := Raw(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":` + field + `}}}`)
		for i, r := range every {
			row := r.Row(MethodElicitationCreate)
			if row == nil {
				continue
			}
			err := row.CheckParams(form, jsonrpc.Span{})
			if refused := late == 0 || i == 0; (err != nil) != refused {
				t.Errorf("%v: %s: %v", r, form, err)
			}
		}
	}
	good := ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": StringsValue("x", "y"), "b": StringsValue()}}
	if err := good.Validate(); err != nil || !strings.Contains(string(good.AppendJSON(nil)), `"a":["x","y"],"b":[]`) {
		t.Errorf("%s: %v", good.AppendJSON(nil), err)
	}
	if (ElicitResult{Action: ActionAccept, Content: map[string]Raw{"a": "[1]"}}).Validate() == nil {
		t.Error("a list of numbers may be sent")
	}
}

// What an older revision has no form for is told, and everything else is not.
//
// rows: ELIC-108 ELIC-126 SAMP-107
func TestRepresentable(t *testing.T) {
	text, array := `{"type":"text","text":""}`, `{"type":"array","items":{"type":"string","enum":[]}}`
	for _, c := range []struct {
		method string
		kind   BodyKind
		body   string
		want   string
	}{
		{MethodSamplingCreateMessage, BodyParams, string(sampled(text)), ""},
		{MethodSamplingCreateMessage, BodyParams, string(sampled(`[` + text + `]`)), ""},
		{MethodSamplingCreateMessage, BodyParams, string(sampled(`[` + text + `,` + text + `]`)), "CreateMessageParams.messages[0].content"},
		{MethodSamplingCreateMessage, BodyParams, string(sampled(`[]`)), "CreateMessageParams.messages[0].content"},
		{MethodSamplingCreateMessage, BodyParams, string(sampled(toolUse)), "CreateMessageParams.messages[0].content"},
		{MethodSamplingCreateMessage, BodyParams, string(sampled(`[` + toolResult + `]`)), "CreateMessageParams.messages[0].content"},
		{MethodSamplingCreateMessage, BodyParams, `{"messages":[{"role":"user","content":` + text + `},{"role":"user","content":[]}],"maxTokens":1}`, "CreateMessageParams.messages[1].content"},
		{MethodSamplingCreateMessage, BodyParams, `{"messages":[],"maxTokens":1,"tools":[]}`, ""},
		{MethodSamplingCreateMessage, BodyResult, `{"role":"assistant","model":"m","content":[` + text + `]}`, ""},
		{MethodSamplingCreateMessage, BodyResult, `{"role":"assistant","model":"m","content":` + toolUse + `}`, "CreateMessageResult.content"},
		{MethodSamplingCreateMessage, BodyResult, `{"role":"assistant","model":"m","content":[]}`, "CreateMessageResult.content"},
		{MethodElicitationCreate, BodyParams, `{"mode":"url","message":"m","url":"a:b","elicitationId":"1"}`, "ElicitParams.mode"},
		{MethodElicitationCreate, BodyParams, `{"message":"m","requestedSchema":` + emptyForm + `}`, ""},
		{MethodElicitationCreate, BodyParams, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"b":` + array + `}}}`, "ElicitParams.requestedSchema.properties[1].type"},
		{MethodElicitationCreate, BodyResult, `{"action":"accept"}`, ""},
		{MethodToolsCall, BodyResult, `{"content":[]}`, ""},
	} {
		for i, r := range every {
			row := r.Row(c.method)
			if row == nil {
				continue
			}
			var err error
			if c.kind == BodyParams {
				err = row.Terms(Asked{Params: Raw(c.body)}).Err
			} else {
				_, err = row.EncodeResult(Raw(c.body), string(ToolChoiceAuto), Encoding{})
			}
			if i == 0 && err != nil && !errors.Is(err, ErrNotInRevision) {
				continue // another fault of it
			}
			got := ""
			if err != nil {
				got = strings.TrimSuffix(strings.TrimPrefix(err.Error(), "protocol: "), " has no form in this revision")
			}
			if want := c.want; i > 0 && got != want || i == 0 && got != "" {
				t.Errorf("%v: %s: %q, want %q", r, c.body, got, want)
			}
			var e *DecodeError
			if err != nil && (!errors.As(err, &e) || e.Reason != ReasonRevision) {
				t.Errorf("%v: %v", r, err)
			}
		}
	}
}
