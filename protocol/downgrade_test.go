package protocol_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// trims are bodies with what they become, one for each thing that a revision added:
// method, kind, body, then what it is in 2025-03-26 and in 2024-11-05; = is the body itself,
// ' what stands in the line before. A lossless change has a ! in front.
const trims = `
initialize params
  {"protocolVersion":"x","capabilities":{"roots":{},"elicitation":{}},"clientInfo":{"name":"n","title":"t","version":"1"}}
  {"protocolVersion":"x","capabilities":{"roots":{}},"clientInfo":{"name":"n","version":"1"}}
  '
initialize result
  {"capabilities":{"completions":{},"tools":{}},"serverInfo":{"title":"t","name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
  {"capabilities":{"completions":{},"tools":{}},"serverInfo":{"name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
  {"capabilities":{"tools":{}},"serverInfo":{"name":"n","version":"1"},"instructions":"i","_meta":{"a":1}}
tools/list result
  {"tools":[{"name":"a"}, {"name":"b","title":"B","inputSchema":{"type":"object","title":"kept"}} ,{"name":"c","outputSchema":{"type":"object"}}],"nextCursor":"x"}
  {"tools":[{"name":"a"}, {"name":"b","inputSchema":{"type":"object","title":"kept"}} ,{"name":"c"}],"nextCursor":"x"}
  '
tools/list result
  {"tools":[{"_meta":{"k":1},"name":"a","annotations":{"title":"T","readOnlyHint":true}}]}
  {"tools":[{"name":"a","annotations":{"title":"T","readOnlyHint":true}}]}
  {"tools":[{"name":"a"}]}
tools/list result
  {"tools":[{"name":"a","title":null}]}
  !{"tools":[{"name":"a"}]}
  !'
tools/call result
  {"content":[{"type":"text","text":"{}"}],"structuredContent":{"type":"text"},"isError":false}
  {"content":[{"type":"text","text":"{}"}],"isError":false}
  '
tools/call result
  {"content":[ ],"structuredContent":{"n":1.50}}
  {"content":[ ]}
  '
tools/call result
  {"content":[],"structuredContent":null}
  !{"content":[]}
  !'
tools/call result
  {"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1,"lastModified":"2025"}},{"type":"image","data":"AA==","mimeType":"image/png","_meta":{}}]}
  {"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav","annotations":{"priority":1}},{"type":"image","data":"AA==","mimeType":"image/png"}]}
  {"content":[{"type":"text","text":"[audio: audio/wav]","annotations":{"priority":1}},{"type":"image","data":"AA==","mimeType":"image/png"}]}
tools/call result
  {"content":[{"type":"resource_link","uri":"file:///r","name":"r","title":"The r","description":"of \"all\"","annotations":{"audience":["user"]},"_meta":{}}]}
  {"content":[{"type":"text","text":"The r (file:///r): of \"all\"","annotations":{"audience":["user"]}}]}
  '
tools/call result
  {"content":[{"type":"resource_link","uri":"file:///r","name":"r"},{"type":"hologram","title":"stays","_x":1}]}
  {"content":[{"type":"text","text":"r (file:///r)"},{"type":"hologram","title":"stays","_x":1}]}
  '
tools/call result
  {"content":[{"type":"resource","resource":{"uri":"a:b","text":"t","_meta":{"_meta":1}},"annotations":{"lastModified":"2025"}}]}
  {"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"},"annotations":{}}]}
  '
resources/list result
  {"resources":[{"uri":"a:b","name":"n","title":"t","size":10,"annotations":{"lastModified":"2025","priority":0},"_meta":{}}],"_meta":{"stays":1}}
  {"resources":[{"uri":"a:b","name":"n","size":10,"annotations":{"priority":0}}],"_meta":{"stays":1}}
  '
resources/templates/list result
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","title":"t","annotations":{"lastModified":"2025"},"_meta":{}}]}
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","annotations":{}}]}
  '
resources/read result
  {"contents":[{"uri":"a:b","text":"t","_meta":{}},{"uri":"a:c","blob":"AA=="}]}
  {"contents":[{"uri":"a:b","text":"t"},{"uri":"a:c","blob":"AA=="}]}
  '
prompts/list result
  {"prompts":[{"name":"p","title":"t","arguments":[{"name":"a","title":"t","required":true}],"_meta":{}}]}
  {"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}]}
  '
prompts/get result
  {"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n"}},{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"n (a:b)"}},{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}]}
  {"messages":[{"role":"user","content":{"type":"text","text":"n (a:b)"}},{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}]}
completion/complete params
  {"ref":{"type":"ref/prompt","name":"p","title":"t"},"argument":{"name":"a","value":"title"},"context":{"arguments":{"b":"c"}},"_meta":{"progressToken":1}}
  {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"title"},"_meta":{"progressToken":1}}
  '
roots/list result
  {"roots":[{"uri":"file:///a","name":"a","_meta":{}}]}
  {"roots":[{"uri":"file:///a","name":"a"}]}
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg","_meta":{}}}],"maxTokens":1,"metadata":{"title":1}}
  {"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}],"maxTokens":1,"metadata":{"title":1}}
  {"messages":[{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}],"maxTokens":1,"metadata":{"title":1}}
sampling/createMessage result
  {"role":"assistant","content":{"type":"audio","data":"","mimeType":"audio/ogg"},"model":"m"}
  =
  {"role":"assistant","content":{"type":"text","text":"[audio: audio/ogg]"},"model":"m"}
notifications/progress params
  {"progressToken":1,"progress":1,"message":"half"}
  =
  {"progressToken":1,"progress":1}
tools/call params
  {"name":"t","arguments":{"title":"t","_meta":{},"context":1},"_meta":{"x":1}}
  =
  =
notifications/message params
  {"level":"info","data":{"title":1,"message":"m"},"message":"m"}
  =
  =
tools/list result
  {"\u0074ools":[{"name":"a","\u0074itle":"b"}]}
  {"\u0074ools":[{"name":"a"}]}
  '
tools/list result
  {"tools":{"title":1},"more":[{"title":1}]}
  {"tools":{},"more":[{"title":1}]}
  '
tools/list result
  {"tools":7}
  =
  =
tools/call result
  {"content":[{"type":"audio"}]}
  =
  =
tools/call result
  {"content":[{"type":"resource_link","uri":7,"name":"n"},{"type":"audio","data":"","mimeType":null}]}
  =
  =
`

// laterTrims are such bodies for what 2025-11-25 added, with what they become in 2025-06-18,
// 2025-03-26 and 2024-11-05.
const laterTrims = `
initialize params
  {"protocolVersion":"x","capabilities":{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"n","version":"1","description":"d","icons":[{"src":"data:,"}],"websiteUrl":"a:b"}}
  {"protocolVersion":"x","capabilities":{"sampling":{},"elicitation":{}},"clientInfo":{"name":"n","version":"1"}}
  {"protocolVersion":"x","capabilities":{"sampling":{}},"clientInfo":{"name":"n","version":"1"}}
  '
initialize result
  {"capabilities":{},"serverInfo":{"name":"n","version":"1","description":"d","title":"t"}}
  {"capabilities":{},"serverInfo":{"name":"n","version":"1","title":"t"}}
  {"capabilities":{},"serverInfo":{"name":"n","version":"1"}}
  '
tools/list result
  {"tools":[{"name":"a","icons":[]},{"name":"b","execution":{"taskSupport":"optional"},"inputSchema":{"$schema":"u:1","icons":[]}}]}
  {"tools":[{"name":"a"},{"name":"b","inputSchema":{"$schema":"u:1","icons":[]}}]}
  '
  '
tools/call result
  {"content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}
  =
  =
  =
tools/call result
  {"content":[{"type":"resource_link","uri":"a:b","name":"n","title":"t","icons":[{"src":"data:,"}],"annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  {"content":[{"type":"resource_link","uri":"a:b","name":"n","title":"t","annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  {"content":[{"type":"text","text":"t (a:b)","annotations":{"priority":1}},{"type":"hologram","icons":[]}]}
  '
resources/list result
  {"resources":[{"uri":"a:b","name":"n","icons":[{"src":"data:,"}]}]}
  {"resources":[{"uri":"a:b","name":"n"}]}
  '
  '
resources/templates/list result
  {"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","icons":null}]}
  !{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n"}]}
  !'
  !'
prompts/list result
  {"prompts":[{"name":"p","icons":[],"arguments":[{"name":"a","icons":"stays"}]}]}
  {"prompts":[{"name":"p","arguments":[{"name":"a","icons":"stays"}]}]}
  '
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":[{"type":"text","text":"x"}],"_meta":{"a":1}}, {"role":"user","content":{"type":"text","text":"y"}}],"maxTokens":1,"tools":[],"toolChoice":{}}
  {"messages":[{"role":"user","content":{"type":"text","text":"x"}}, {"role":"user","content":{"type":"text","text":"y"}}],"maxTokens":1}
  '
  '
sampling/createMessage params
  {"messages":[{"role":"user","content":[ {"type":"audio","data":"","mimeType":"audio/ogg"} ]}],"maxTokens":1}
  !{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/ogg"}}],"maxTokens":1}
  !'
  {"messages":[{"role":"user","content":{"type":"text","text":"[audio: audio/ogg]"}}],"maxTokens":1}
sampling/createMessage result
  {"role":"assistant","content":[{"type":"text","text":"x"}],"model":"m","stopReason":"toolUse"}
  !{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"toolUse"}
  !'
  !'
sampling/createMessage result
  {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m"}
  {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"text","text":"[tool_use]"}],"model":"m"}
  '
  '
sampling/createMessage result
  {"role":"assistant","content":{"type":"tool_result","toolUseId":"1","content":[]},"model":"m"}
  {"role":"assistant","content":{"type":"text","text":"[tool_result]"},"model":"m"}
  '
  '
elicitation/create params
  {"mode":"form","message":"m","requestedSchema":{"$schema":"u:1","type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}, "b":{"type":"boolean","default":true}}}}
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]}, "b":{"type":"boolean","default":true}}}}
  '
  '
elicitation/create params
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"r","title":"Red"}]}}}}
  !{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["r"],"enumNames":["Red"]}}}}
  !'
  !'
elicitation/create params
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"},"default":{"type":"number","title":"t","default":1},"c":{"type":"string","enum":["a"],"default":"a"}}}}
  {"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"},"default":{"type":"number","title":"t"},"c":{"type":"string","enum":["a"]}}}}
  '
  '
elicitation/create params
  {"mode":"url","message":"m","url":"a:b","elicitationId":"1"}
  {"message":"m"}
  '
  '
`

// every is the revisions of a trim.
var every = [4]Revision{Revision20251125, Revision20250618, Revision20250326, Revision20241105}

type trim struct {
	method string
	kind   BodyKind
	body   string
	want   [4]string
	lossy  [4]bool
}

func readTrims(t *testing.T) []trim {
	return append(parseTrims(t, trims, 2), parseTrims(t, laterTrims, 3)...)
}

// parseTrims reads bodies with what they become in the n oldest revisions.
func parseTrims(t *testing.T, text string, n int) (list []trim) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for ; len(lines) >= n+2; lines = lines[n+2:] {
		name, kind, _ := strings.Cut(lines[0], " ")
		c := trim{method: name, kind: BodyParams, body: strings.TrimSpace(lines[1])}
		if kind == "result" {
			c.kind = BodyResult
		}
		if !Known(c.method) {
			t.Fatalf("no method in %q", lines[0])
		}
		for i := range every {
			if i < len(every)-n {
				c.want[i] = c.body
				continue
			}
			want, lossless := strings.CutPrefix(strings.TrimSpace(lines[i+2-(len(every)-n)]), "!")
			switch want {
			case "=":
				want, lossless = c.body, true
			case "'":
				want = c.want[i-1]
			}
			c.want[i], c.lossy[i] = want, !lossless
		}
		list = append(list, c)
	}
	return list
}

func TestDowngrade(t *testing.T) {
	for _, c := range readTrims(t) {
		for i, r := range every {
			got, lossy := r.Downgrade(c.method, c.kind, Raw(c.body))
			if string(got) != c.want[i] || lossy != c.lossy[i] {
				t.Errorf("%v in %v: %s\ngot  %s, %v\nwant %s, %v", c.method, r, c.body, got, lossy, c.want[i], c.lossy[i])
			}
			if again, lossy := r.Downgrade(c.method, c.kind, got); again != got || lossy {
				t.Errorf("%v in %v: a second time gives %s, %v", c.method, r, again, lossy)
			}
		}
	}
}

// Every addition has a body in trims that is changed by it: the table has no row without
// a test.
func TestDowngradeRows(t *testing.T) {
	list := readTrims(t)
	for _, a := range Additions() {
		older := every[slices.Index(every[:], a.Since)+1]
		found := slices.ContainsFunc(list, func(c trim) bool {
			got, _ := older.Downgrade(c.method, c.kind, Raw(c.body))
			name := `"` + a.Member + `":`
			if a.Member == "" {
				name = map[string]string{
					"ResourceLink": `"resource_link"`, "AudioContent": `"audio"`, "ToolUseContent": `"tool_use"`, "ToolResultContent": `"tool_result"`,
				}[a.Type]
			}
			return strings.Count(string(got), name) < strings.Count(c.body, name)
		})
		if !found {
			t.Errorf("no body has %s.%s of %v", a.Type, a.Member, a.Since)
		}
	}
}

// The additions and removals are what the official schemas differ by, apart from types
// that only newer methods use.
func TestAdditionsOfficial(t *testing.T) {
	got := map[string][]string{}
	for _, a := range Additions() {
		if nameless[a.Type] {
			continue
		}
		name := a.Type + "." + a.Member
		got[a.Since.String()] = append(got[a.Since.String()], strings.TrimSuffix(name, "."))
	}
	for _, d := range Removals() {
		name := "-" + d.Type + "." + d.Member
		got[d.Until.String()] = append(got[d.Until.String()], strings.TrimSuffix(name, "."))
	}
	list := every
	want := map[string][]string{}
	for i := range len(list) - 1 {
		newer, older := officialMembers(t, list[i]), officialMembers(t, list[i+1])
		for _, m := range slices.Sorted(maps.Keys(newer)) {
			if !older[m] {
				want[list[i].String()] = append(want[list[i].String()], m)
			}
		}
		for _, m := range slices.Sorted(maps.Keys(older)) {
			if !newer[m] {
				want[list[i].String()] = append(want[list[i].String()], "-"+m)
			}
		}
	}
	for _, names := range got {
		slices.Sort(names)
	}
	for _, names := range want {
		slices.Sort(names)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-schema +table)\n%s", diff)
	}
}

// nameless are the types that the schema has no name for, or several.
var nameless = map[string]bool{
	"ElicitParams": true, "ElicitSchema": true, "PrimitiveSchema": true, "ElicitationCapability": true, "SamplingCapability": true,
}

// officialMembers lists Type.member of a schema with the names that this package has
// for the types. A whole type of content has an entry of its own.
func officialMembers(t *testing.T, r Revision) map[string]bool {
	text, err := os.ReadFile("testdata/schema-" + r.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Definitions map[string]definition
		Defs        map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if file.Defs == nil {
		file.Defs = file.Definitions
	}
	set := map[string]bool{}
	add := func(typ string, d definition) {
		params := strings.HasSuffix(typ, "Params")
		if ref, ok := strings.CutPrefix(d.Ref, "#/$defs/"); ok && params {
			d = file.Defs[ref]
		}
		for name := range d.Properties {
			if !strings.HasPrefix(name, "task") && !(params && name == "_meta") {
				set[typ+"."+name] = true
			}
		}
	}
	for name, d := range file.Defs {
		base, request := strings.CutSuffix(name, "Request")
		base, note := strings.CutSuffix(base, "Notification")
		switch {
		case strings.HasPrefix(name, "Elicit"), strings.HasPrefix(name, "JSONRPC"), name == "ToolAnnotations",
			strings.HasSuffix(name, "Schema"), strings.HasSuffix(name, "RequestParams"), strings.HasSuffix(name, "NotificationParams"),
			strings.HasSuffix(name, "Error"), strings.Contains(name, "Task"), strings.HasPrefix(name, "Icon"), name == "ToolChoice",
			name == "ToolExecution": // of newer methods and members, envelopes, parts of members
		case request || note:
			add(base+"Params", d.Properties["params"])
		case name == "TextContent", name == "ImageContent", name == "EmbeddedResource":
			add("ContentBlock", d)
		case name == "AudioContent", name == "ResourceLink", name == "ToolUseContent", name == "ToolResultContent":
			set[name] = true
		case name == "TextResourceContents", name == "BlobResourceContents", name == "BaseMetadata",
			name == "ResourceReference", name == "ResourceTemplateReference": // common parts; renamed
		case name == "Annotated": // the annotations of 2024-11-05 have no name of their own
			add("Annotations", d.Properties["annotations"])
		default:
			add(name, d)
		}
	}
	for _, m := range []string{"type", "text", "data", "mimeType", "annotations", "resource"} {
		delete(set, "ContentBlock."+m)
	}
	return set
}

// Nothing is allocated for the newest revision, nor where an older one has nothing to
// take out.
func TestDowngradeAllocs(t *testing.T) {
	body := Raw(`{"content":[{"type":"text","text":"hello"}],"structuredContent":{"a":1}}`)
	plain := Raw(`{"content":[{"type":"text","text":"hello"},{"type":"image","data":"","mimeType":"image/png"}]}`)
	for _, c := range []struct {
		r    Revision
		body Raw
	}{{Revision20251125, body}, {Revision20250618, body}, {Revision20250326, plain}, {Revision20241105, plain}, {Revision{}, body}} {
		if n := testing.AllocsPerRun(100, func() {
			if _, lossy := c.r.Downgrade(MethodToolsCall, BodyResult, c.body); lossy {
				t.Fatal("lossy")
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", c.r, n)
		}
	}
}

// Whatever the body is: no panic, valid JSON stays valid, and what is no object stays
// as it is.
func TestDowngradeTotal(t *testing.T) {
	pieces := []string{
		"{", "}", "[", "]", ",", ":", " ", "null", "7", `"x"`, `"tools"`, `"content"`, `"title"`, `"_meta"`, `"type"`, `"audio"`,
		`{"title":1}`, `{"type":"resource_link"}`, `{"type":"audio","data":"","mimeType":"a/b"}`, `"tools":[`, `"content":[`,
		`"structuredContent":{}`, `{"content":[],"structuredContent":{}}`, "\"",
	}
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		for _, m := range []string{"", MethodToolsList, MethodToolsCall, MethodPromptsGet, "x/y"} {
			got, lossy := Revision20241105.Downgrade(m, BodyResult, Raw(body))
			switch valid := rawjson.Valid(body); {
			case valid && !rawjson.Valid(string(got)):
				t.Fatalf("%v: %s became %s", m, body, got)
			case !valid && (string(got) != body || lossy):
				t.Fatalf("%v: invalid %s became %s, lossy %v", m, body, got, lossy)
			}
		}
		if got, _ := Revision20241105.Downgrade(MethodToolsList, 7, Raw(body)); string(got) != body {
			t.Fatal("a body of no kind was changed")
		}
	})
}

func ExampleRevision_Downgrade() {
	body := Raw(`{"content":[{"type":"resource_link","uri":"file:///r.txt","name":"report"}]}`)
	for _, r := range Revisions() {
		out, lossy := r.Downgrade(MethodToolsCall, BodyResult, body)
		fmt.Println(r, lossy, out)
	}
	// Output:
	// 2025-11-25 false {"content":[{"type":"resource_link","uri":"file:///r.txt","name":"report"}]}
	// 2025-06-18 false {"content":[{"type":"resource_link","uri":"file:///r.txt","name":"report"}]}
	// 2025-03-26 true {"content":[{"type":"text","text":"report (file:///r.txt)"}]}
	// 2024-11-05 true {"content":[{"type":"text","text":"report (file:///r.txt)"}]}
}
