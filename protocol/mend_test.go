package protocol_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// seat is a place in a result where a value of a type stands: in a list, so that what becomes of
// its neighbour is seen, or alone.
type seat struct {
	of         string // the name of the shape
	method     string
	head, tail string
	item       bool // of an element of a list that goes alone if it lacks what it has to have
}

const (
	toolHead   = `{"tools":[{"name":"n","inputSchema":{"type":"object"},`
	promptHead = `{"prompts":[{"name":"n",`
)

// seats has every type that a result has in it, which TestSeats holds against the types.
var seats = []seat{
	{"Tool", MethodToolsList, `{"tools":[`, `]}`, true},
	{"ToolAnnotations", MethodToolsList, toolHead + `"annotations":`, `}]}`, false},
	{"ToolExecution", MethodToolsList, toolHead + `"execution":`, `}]}`, false},
	{"Icon", MethodToolsList, toolHead + `"_meta":5,"icons":[`, `]}]}`, true}, // odd beside, for icons alone are no fault
	{"Resource", MethodResourcesList, `{"resources":[`, `]}`, true},
	{"Annotations", MethodResourcesList, `{"resources":[{"uri":"a:b","name":"n","annotations":`, `}]}`, false},
	{"ResourceTemplate", MethodResourceTemplatesList, `{"resourceTemplates":[`, `]}`, true},
	{"Prompt", MethodPromptsList, `{"prompts":[`, `]}`, true},
	{"PromptArgument", MethodPromptsList, promptHead + `"arguments":[`, `]}]}`, true},
	{"Root", MethodRootsList, `{"roots":[`, `]}`, true},
	{"TextContent", MethodToolsCall, `{"content":[`, `]}`, true},
	{"ImageContent", MethodToolsCall, `{"content":[`, `]}`, true},
	{"AudioContent", MethodToolsCall, `{"content":[`, `]}`, true},
	{"ResourceLink", MethodToolsCall, `{"content":[`, `]}`, true},
	{"EmbeddedResource", MethodToolsCall, `{"content":[`, `]}`, true},
	{"Annotations", MethodToolsCall, `{"content":[{"type":"text","text":"x","annotations":`, `}]}`, false},
	{"Annotations", MethodToolsCall, `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x","annotations":`, `}}]}`, false},
	{"TextResourceContents", MethodToolsCall, `{"content":[{"type":"resource","resource":`, `}]}`, false},
	{"TextResourceContents", MethodResourcesRead, `{"contents":[`, `]}`, false},
	{"BlobResourceContents", MethodResourcesRead, `{"contents":[`, `]}`, false},
	{"PromptMessage", MethodPromptsGet, `{"messages":[`, `]}`, false},
	{"TextContent", MethodPromptsGet, `{"messages":[{"role":"user","content":`, `}]}`, false},
	{"TextContent", MethodSamplingCreateMessage, `{"role":"assistant","model":"m","content":`, `}`, false},
	{"Completion", MethodCompletionComplete, `{"completion":`, `}`, false},
	{"Implementation", MethodInitialize, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":`, `}`, false},
	{"ServerCapabilities", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":`, `}`, false},
	{"CallToolResult", MethodToolsCall, "", "", false}, {"GetPromptResult", MethodPromptsGet, "", "", false},
	{"ListToolsResult", MethodToolsList, "", "", false}, {"ListResourcesResult", MethodResourcesList, "", "", false},
	{"ListResourceTemplatesResult", MethodResourceTemplatesList, "", "", false}, {"ListPromptsResult", MethodPromptsList, "", "", false},
	{"ListRootsResult", MethodRootsList, "", "", false}, {"ReadResourceResult", MethodResourcesRead, "", "", false},
	{"CompleteResult", MethodCompletionComplete, "", "", false}, {"CreateMessageResult", MethodSamplingCreateMessage, "", "", false},
	{"ElicitResult", MethodElicitationCreate, "", "", false}, {"InitializeResult", MethodInitialize, "", "", false}, {"EmptyResult", MethodPing, "", "", false},
	{"LoggingCapability", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":{"logging":`, `}}`, false},
	{"CompletionsCapability", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":{"completions":`, `}}`, false},
	{"ToolsCapability", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":{"tools":`, `}}`, false},
	{"PromptsCapability", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":{"prompts":`, `}}`, false},
	{"ResourcesCapability", MethodInitialize, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"n","version":"1"},"capabilities":{"resources":`, `}}`, false},
	{"ToolResultContent", MethodSamplingCreateMessage, `{"role":"user","model":"m","content":`, `}`, false},
}

// binding are the members that the rest would say something else without.
var binding = []string{"ServerCapabilities.experimental", "ServerCapabilities.logging", "ServerCapabilities.completions", "ServerCapabilities.prompts", "ServerCapabilities.resources", "ServerCapabilities.tools",
	"PromptsCapability.listChanged", "ResourcesCapability.listChanged", "ResourcesCapability.subscribe", "ToolsCapability.listChanged", "ToolResultContent.isError", "CallToolResult.isError", "ElicitResult.content", "ListToolsResult.nextCursor", "ListResourcesResult.nextCursor", "ListResourceTemplatesResult.nextCursor", "ListPromptsResult.nextCursor",
}

// wrong are values of the JSON types that a member does not take, and those of the right type that
// are none.
func wrong(m member, full string) (list []string) {
	for kind, val := range one {
		if kind != 'n' && strings.IndexByte(m.kinds, kind) < 0 {
			list = append(list, val)
		}
	}
	switch m.wire {
	case "priority":
		list = append(list, "2", "-0.1", "1e999")
	case "size", "total":
		list = append(list, "1.5", "1e999")
	case "theme", "taskSupport":
		list = append(list, `"odd"`)
	case "inputSchema", "outputSchema":
		list = append(list, `{"type":"array"}`, `{"type":["object"]}`)
	case "experimental":
		list = append(list, `{"a":5}`)
	}
	return slices.DeleteFunc(list, func(val string) bool { return val == full })
}

// Of what a result holds, an odd optional member costs that member alone: it is left out, which is
// found, and all else stays byte for byte, in every revision. An odd required member costs the
// item, where it is one of many, and else the result.
//
// revisions: all
// rows: SCHEMA-012 ICON-005
func TestOddMembers(t *testing.T) {
	all := map[string]shape{}
	for _, s := range shapes() {
		all[s.name] = s
	}
	tried := 0
	for _, at := range seats {
		s, ok := all[at.of]
		if !ok {
			t.Errorf("no shape %s", at.of)
		}
		for _, m := range s.members {
			full, _ := rawjson.Get(s.text, m.wire)
			binds := slices.Contains(binding, s.name+"."+m.wire)
			for _, val := range wrong(m, full) {
				odd, without := with(s.text, m.wire, val), with(s.text, m.wire, "")
				rest, whole := without, !m.required && !binds
				if m.wire == "audience" { // nobody
					rest = with(s.text, m.wire, "[]")
				}
				if at.item && m.required {
					rest, whole = "", true // the item goes
				}
				if m.required && at.method == MethodToolsCall && s.name == "TextResourceContents" {
					continue // the block goes, which EmbeddedResource shows
				}
				sep := ""
				if at.item {
					sep = s.text + ","
				}
				for _, r := range Revisions() {
					row := r.Row(at.method)
					if row == nil {
						continue
					}
					body := Raw(at.head + sep + odd + at.tail)
					want := at.head + sep + rest + at.tail
					if rest == "" {
						want = at.head + s.text + at.tail
					}
					if at.of == "Icon" {
						want = strings.Replace(want, `"_meta":5,`, "", 1)
					}
					if at.method == MethodSamplingCreateMessage && row.CheckResult(Raw(at.head+s.text+at.tail), jsonrpc.Span{}) != nil || m.wire == "type" && val[0] == '"' || s.name == "BlobResourceContents" && m.wire == "blob" {
						continue // no such kind then, or another one that nobody knows
					}
					a := row.Accept(Reply{Body: body})
					newer := row.CheckResult(body, jsonrpc.Span{}) == nil && row.Receiver == Client // a member that the revision ignores
					switch tried++; {
					case newer:
						if a.Err != nil || a.Body != body {
							t.Errorf("%v %s.%s: %s becomes %s: %v", r, s.name, m.wire, body, a.Body, a.Err)
						}
					case whole && (a.Err != nil || string(a.Body) != want):
						t.Errorf("%v %s.%s: %s becomes %s: %v\nwant %s", r, s.name, m.wire, body, a.Body, a.Err, want)
					case !whole && a.Err == nil:
						t.Errorf("%v %s.%s: %s is a result: %s", r, s.name, m.wire, body, a.Body)
					case whole && (len(a.Found) == 0 || a.Found[0].Body != body):
						t.Errorf("%v %s.%s: %s: found %+v", r, s.name, m.wire, body, a.Found)
					case whole && m.kinds != anything && at.of != "Icon":
						var e *DecodeError
						if !errors.As(a.Found[0].Err, &e) || !strings.Contains(e.Path, m.wire) && !strings.HasPrefix(m.wire, e.Path) || a.Found[0].Rule == "" {
							t.Errorf("%v %s.%s: found %+v", r, s.name, m.wire, a.Found[0])
						}
						_, result := row.Types()
						v := reflect.New(reflect.TypeOf(result)).Interface().(codec)
						if err := v.DecodeJSON(a.Body, jsonrpc.Span{}); err != nil {
							t.Errorf("%v %s.%s: what is left cannot be decoded: %v", r, s.name, m.wire, err)
						}
					}
				}
			}
		}
	}
	if tried < 2000 {
		t.Errorf("only %d were tried", tried)
	}
}

// Every type that some result has in it has a seat.
func TestSeats(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(u reflect.Type) {
		for u.Kind() == reflect.Pointer || u.Kind() == reflect.Slice || u.Kind() == reflect.Map {
			u = u.Elem()
		}
		if u.Kind() != reflect.Struct || seen[u] || u.PkgPath() != reflect.TypeFor[Tool]().PkgPath() {
			return
		}
		seen[u] = true
		for i := range u.NumField() {
			if u.Field(i).Tag.Get("json") != "-" {
				walk(u.Field(i).Type)
			}
		}
	}
	for _, row := range Revision20251125.Rows() {
		if _, result := row.Types(); result != nil {
			walk(reflect.TypeOf(result))
		}
	}
	for u := range seen {
		name := u.Name()
		switch name {
		case "Content", "ResourceContents", "Media", "ToolUse", "ToolResult": // in several forms, with names of their own
			continue
		}
		if !slices.ContainsFunc(seats, func(at seat) bool { return at.of == name }) {
			t.Errorf("%s is in a result and has no seat", name)
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d types", len(seen))
	}
}

// What is meant for some is meant for nobody else, however oddly they are named.
//
// revisions: all
func TestOddAudience(t *testing.T) {
	for odd, want := range map[string]string{
		`["user","admin"]`: `["user"]`, `["admin","assistant",5,null,["user"]]`: `["assistant"]`, `["admin"]`: `[]`, `["User"]`: `[]`,
		`"user"`: `["user"]`, `"assistant"`: `["assistant"]`, `"admin"`: `[]`, `5`: `[]`, `{"user":true}`: `[]`, `true`: `[]`, `""`: `[]`,
		`[]`: `[]`, `null`: `null`, `["assistant","user"]`: `["assistant","user"]`,
	} {
		for _, at := range seats {
			if at.of != "Annotations" {
				continue
			}
			for _, r := range Revisions() {
				row := r.Row(at.method)
				a := row.Accept(Reply{Body: Raw(at.head + `{"audience":` + odd + `,"priority":1}` + at.tail)})
				if got := at.head + `{"audience":` + want + `,"priority":1}` + at.tail; a.Err != nil || string(a.Body) != got || (len(a.Found) > 0) != (odd != want) {
					t.Errorf("%v %s becomes %s, found %d: %v", r, odd, a.Body, len(a.Found), a.Err)
				}
			}
		}
		item := `{"uri":"a:b","name":"n","annotations":{"audience":` + odd + `}}`
		if got, err := ResourceList.Mend(Raw(item)); err != nil || string(got) != strings.Replace(item, odd, want, 1) {
			t.Errorf("%s: %s, %v", odd, got, err)
		}
	}
}
