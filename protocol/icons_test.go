package protocol_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// What an icon is, as it comes and as it goes.
//
// rows: ICON-001 ICON-003 ICON-006
func TestIcon(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                            "src is missing",
		`{"src":5}`:                     "src has the wrong type",
		`{"src":"x","sizes":"48x48"}`:   "sizes has the wrong type",
		`{"src":"x","theme":"blue"}`:    "theme has no allowed value",
		`{"src":"x","mimeType":[]}`:     "mimeType has the wrong type",
		`{"src":"ftp:x","sizes":["a"]}`: "",
		`{"src":"data:,","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`: "",
	} {
		v, err := Decode[Icon](Raw(text))
		switch {
		case want == "" && (err != nil || string(v.AppendJSON(nil)) != text):
			t.Errorf("%s: %s, %v", text, v.AppendJSON(nil), err)
		case want != "" && (err == nil || err.Error() != "protocol: Icon."+want):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for src, good := range map[string]bool{
		"https://x/y.png": true, "http://x": true, "data:image/png;base64,QQ==": true,
		"javascript:x": false, "file:///x": false, "ftp://x": false, "ws://x": false, "x.png": false, "/x": false, "": false, "https://a b": false,
	} {
		if err := (Icon{Src: src}).Validate(); (err == nil) != good {
			t.Errorf("%q: %v", src, err)
		}
	}
	for size, good := range map[string]bool{"48x48": true, "1x200": true, "any": true, "48": false, "x48": false, "48x": false, "48X48": false, "48x48x48": false, "": false, "Any": false} {
		if err := (Icon{Src: "data:,", Sizes: []string{"any", size}}).Validate(); (err == nil) != good {
			t.Errorf("%q: %v", size, err)
		}
	}
}

// rows: ICON-004
func TestSafeIcons(t *testing.T) {
	for src, want := range map[string]bool{
		"https://x": true, "data:image/png,x": true,
		"http://x": false, "javascript:x": false, "file:///x": false, "ftp://x": false, "ws://x": false, "app://x": false,
		"HTTPS://x": false, "Data:,": false, "https:x": false, " https://x": false, "": false,
	} {
		if got := (Icon{Src: src}).Safe(); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
}

// iconed are the types that have icons, by a text of one without.
var iconed = map[codec]string{
	&Implementation{}: `{"name":"n","version":"1"}`, &Tool{}: `{"name":"n","inputSchema":{"type":"object"}}`, &Resource{}: `{"uri":"a:b","name":"n"}`,
	&ResourceTemplate{}: `{"uriTemplate":"a:{b}","name":"n"}`, &Prompt{}: `{"name":"n"}`, &Content{}: `{"type":"resource_link","uri":"a:b","name":"n"}`,
}

// Lists of icons stay what they are, wherever there are some, and arguments of prompts have
// none.
//
// rows: ICON-002 RES-101 RES-102 PROMPT-101 TOOL-101 SCHEMA-101 LIFE-101
func TestIconsOnTypes(t *testing.T) {
	for v, text := range iconed {
		for _, icons := range []string{"", `[]`, `[{"src":"data:,"}]`, `[{"src":"data:,"},{"src":"https://x","theme":"light"}]`} {
			whole := with(text, "icons", icons)
			got := pairs(string(decoded(t, v, whole).AppendJSON(nil)))
			found := ""
			for _, p := range got {
				if p[0] == "icons" {
					found = p[1]
				}
			}
			if found != icons {
				t.Errorf("%T: %s reads as %s", v, whole, got)
			}
		}
	}
	arg, err := Decode[PromptArgument](`{"name":"a","icons":5}`)
	if err != nil || string(arg.AppendJSON(nil)) != `{"name":"a"}` {
		t.Errorf("%+v, %v", arg, err)
	}
	for url, good := range map[string]bool{"": true, "https://x": true, "x": false} {
		if err := (Implementation{WebsiteURL: url}).Validate(); (err == nil) != good {
			t.Errorf("website %q: %v", url, err)
		}
	}
	if v, err := Decode[Implementation](`{"name":"n","version":"1","websiteUrl":"no uri"}`); err != nil || v.WebsiteURL != "no uri" {
		t.Errorf("%+v, %v", v, err)
	}
	tool := Tool{Icons: []Icon{{Src: "data:,"}, {Src: "ftp:x"}}}
	if err := tool.Validate(); err == nil || err.Error() != "protocol: Tool.icons[1].src has no allowed value" {
		t.Error(err)
	}
}

// An icon that is none is left out, and nothing else with it.
//
// rows: ICON-005
func TestOddIcons(t *testing.T) {
	for icons, want := range map[string]string{
		`[{"src":5}]`: `[]`, `[{"src":5},{"src":"data:,"},7,null,{}]`: `[{"src":"data:,"}]`,
		`5`: "", `{"src":"data:,"}`: "", `"x"`: "", `null`: "",
	} {
		for v, text := range iconed {
			got := pairs(string(decoded(t, v, with(text, "icons", icons)).AppendJSON(nil)))
			kept := ""
			for _, p := range got {
				if p[0] == "icons" {
					kept = p[1]
				}
			}
			if kept != want {
				t.Errorf("%T: %s reads as %s, want %s", v, icons, kept, want)
			}
		}
		list := Raw(`{"tools":[` + with(iconed1(), "icons", icons) + `]}`)
		for _, r := range every {
			if err := r.Row(MethodToolsList).CheckResult(list, jsonrpc.Span{}); err != nil {
				t.Errorf("%v: %s: %v", r, list, err)
			}
		}
	}
}

func iconed1() string { return `{"name":"n","inputSchema":{"type":"object"}}` }

// What can be said of a tool: whether it may become a task, and what it is called.
//
// rows: TOOL-102 TOOL-103 TOOL-104 TOOL-105 TOOL-109
func TestToolSupport(t *testing.T) {
	for text, want := range map[string]TaskSupport{
		``: TaskForbidden, `{}`: TaskForbidden, `{"taskSupport":"forbidden"}`: TaskForbidden,
		`{"taskSupport":"optional"}`: TaskOptional, `{"taskSupport":"required"}`: TaskRequired,
	} {
		v := decoded(t, &Tool{}, with(iconed1(), "execution", text)).(*Tool)
		if v.TaskSupport() != want {
			t.Errorf("%q: %v", text, v.TaskSupport())
		}
	}
	for _, text := range []string{`true`, `{"taskSupport":"maybe"}`, `{"taskSupport":true}`} {
		if _, r := reason(t, &Tool{}, with(iconed1(), "execution", text)); r == 0 {
			t.Errorf("takes %s", text)
		}
	}
	if path, r := reason(t, &Tool{}, `{"name":"n","inputSchema":null}`); path != "inputSchema" || r != ReasonType {
		t.Errorf("inputSchema null: %q %d", path, r)
	}
	for name, want := range map[string]bool{
		"": false, "a": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
		"getUser": true, "DATA_EXPORT_v2": true, "admin.tools.list": true, "a-b": true, "a b": false, "a,b": false, "a/b": false, "é": false,
	} {
		if ValidToolName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// The dialect of a schema is kept, and has to be a string where one is sent.
//
// rows: SCHEMA-109 TOOL-115
func TestDialects(t *testing.T) {
	const schema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","$defs":{"a":{}},"allOf":[{"if":{},"then":{}}],"prefixItems":[{"$ref":"#/$defs/a"}]}`
	text := with(with(iconed1(), "inputSchema", schema), "outputSchema", schema)
	v := decoded(t, &Tool{}, text).(*Tool)
	if v.InputSchema != schema || v.OutputSchema != schema || v.Validate() != nil {
		t.Errorf("%s reads as %s", text, v.AppendJSON(nil))
	}
	for _, bad := range []Raw{`{"$schema":5,"type":"object"}`, ` {"$schema":null,"type":"object"}`} {
		if (Tool{InputSchema: bad}).Validate() == nil || (Tool{OutputSchema: bad}).Validate() == nil {
			t.Errorf("%s may be sent", bad)
		}
	}
	form := decoded(t, &ElicitSchema{}, `{"$schema":"u:1","type":"object","properties":{}}`).(*ElicitSchema)
	if form.Dialect != "u:1" {
		t.Errorf("%+v", form)
	}
	if _, r := reason(t, &ElicitSchema{}, `{"$schema":5,"type":"object","properties":{}}`); r != ReasonType {
		t.Errorf("a form of dialect 5: %d", r)
	}
}
