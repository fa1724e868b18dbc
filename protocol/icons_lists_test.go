package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// holders are what has icons, as an object with no other optional member, and where its list
// is.
var holders = []struct {
	v          codec
	text       string
	method     string
	kind       BodyKind
	head, tail string
}{
	{&Implementation{}, `{"name":"n","version":"1"`, MethodInitialize, BodyParams, `{"protocolVersion":"x","capabilities":{},"clientInfo":`, `}`},
	{&Implementation{}, `{"name":"n","version":"1"`, MethodInitialize, BodyResult, `{"protocolVersion":"x","capabilities":{},"serverInfo":`, `}`},
	{&Tool{}, `{"name":"n","inputSchema":{"type":"object"}`, MethodToolsList, BodyResult, `{"tools":[`, `]}`},
	{&Resource{}, `{"uri":"a:b","name":"n"`, MethodResourcesList, BodyResult, `{"resources":[`, `]}`},
	{&ResourceTemplate{}, `{"uriTemplate":"a:{b}","name":"n"`, MethodResourceTemplatesList, BodyResult, `{"resourceTemplates":[`, `]}`},
	{&Prompt{}, `{"name":"n"`, MethodPromptsList, BodyResult, `{"prompts":[`, `]}`},
	{&Content{}, `{"type":"resource_link","uri":"a:b","name":"n"`, MethodToolsCall, BodyResult, `{"content":[`, `]}`},
	{&Content{}, `{"type":"resource_link","uri":"a:b","name":"n"`, MethodPromptsGet, BodyResult, `{"messages":[{"role":"user","content":`, `}]}`},
}

// oddIcons are none, each in its way.
var oddIcons = []string{`{"src":5}`, `{}`, `5`, `null`, `"data:,"`, `[]`, `{"src":"data:,","sizes":"48x48"}`, `{"src":"data:,","theme":"blue"}`}

// A list with an item that has an odd icon is delivered as it came, and the icon is found,
// once for each list. Before icons came, they are an unknown member.
//
// revisions: all
// rows: ICON-005
func TestOddIconsOfLists(t *testing.T) {
	for _, h := range holders {
		if h.kind != BodyResult || h.v == nil || !strings.HasSuffix(h.tail, "]}") || h.method == MethodToolsCall || h.method == MethodPromptsGet {
			continue
		}
		for _, r := range Revisions() {
			item := func(icons string) string { return h.text + `,"icons":` + icons + `}` }
			for icons, odd := range map[string]bool{
				`[]`: false, `[{"src":"data:,"}]`: false, `[{"src":"app:x","sizes":["?"]}]`: false, `null`: false, `5`: true, `{}`: true,
				`[` + strings.Join(oddIcons, ",") + `]`: true, `[{"src":"data:,"},5]`: true,
			} {
				body := Raw(h.head + item(`[]`) + "," + item(icons) + "," + item(icons) + h.tail)
				a := r.Row(h.method).Accept(Reply{Body: body})
				want := "[]"
				if odd && r == Revision20251125 {
					want = fmt.Sprint([]Finding{{Rule: "ICON-005", Body: body}})
				}
				if a.Err != nil || a.Body != body || fmt.Sprint(a.Found) != want {
					t.Errorf("%v: %s: %+v", r, body, a)
				}
			}
		}
	}
}
