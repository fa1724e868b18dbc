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

// Icons go out and come back as they are, an empty list as one, an absent one as none, and
// an older revision does not get them.
//
// revisions: all
// rows: ICON-002 RES-101 RES-102 PROMPT-101 TOOL-101
func TestIconsByRevision(t *testing.T) {
	const one = `{"src":"https://a.example/i.png"}`
	for _, h := range holders {
		for _, list := range []string{"", "[]", "[" + one + "]", "[" + one + `,{"src":"data:,","mimeType":"image/svg+xml","sizes":["any"],"theme":"light"}]`} {
			bare, text := h.text+"}", h.text+"}"
			if list != "" {
				text = h.text + `,"icons":` + list + "}"
			}
			v := decoded(t, h.v, text)
			if got := string(v.AppendJSON(nil)); got != text {
				t.Errorf("%T: %s comes back as %s", h.v, text, got)
			}
			if err := v.Validate(); err != nil {
				t.Errorf("%T: %s: %v", h.v, text, err)
			}
			for _, r := range Revisions() {
				want, lost := text, false
				switch {
				case h.text[2:6] == "type" && (r == Revision20250326 || r == Revision20241105):
					want, lost = `{"type":"text","text":"n (a:b)"}`, true
				case r != Revision20251125:
					want, lost = bare, list != ""
				}
				got, lossy := r.Downgrade(h.method, h.kind, Raw(h.head+text+h.tail))
				if string(got) != h.head+want+h.tail || lossy != lost {
					t.Errorf("%v %s: %s becomes %s, %v", r, h.method, text, got, lossy)
				}
			}
		}
	}
}

// The argument of a prompt has no icons: what stands there is an unknown member.
//
// revisions: 2025-11-25..
// rows: PROMPT-101
func TestIconsOfArguments(t *testing.T) {
	for _, icons := range []string{`[{"src":"data:,"}]`, `5`, `[{"src":5}]`} {
		p := decoded(t, &Prompt{}, `{"name":"n","arguments":[{"name":"a","icons":`+icons+`}]}`)
		if got := string(p.AppendJSON(nil)); got != `{"name":"n","arguments":[{"name":"a"}]}` {
			t.Errorf("%s: %s", icons, got)
		}
		body := Raw(`{"prompts":[{"name":"n","arguments":[{"name":"a","icons":` + icons + `}]}]}`)
		if a := Revision20251125.Row(MethodPromptsList).Accept(Reply{Body: body}); a.Err != nil || len(a.Found) != 0 || a.Body != body {
			t.Errorf("%s: %+v", icons, a)
		}
	}
}

// oddIcons are none, each in its way.
var oddIcons = []string{`{"src":5}`, `{}`, `5`, `null`, `"data:,"`, `[]`, `{"src":"data:,","sizes":"48x48"}`, `{"src":"data:,","theme":"blue"}`}

// A list with an item that has an odd icon is delivered without that icon, which is found,
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
			for icons, good := range map[string]string{
				`[]`: "", `[{"src":"data:,"}]`: "", `[{"src":"app:x","sizes":["?"]}]`: "", `null`: "", `5`: h.text + "}", `{}`: h.text + "}",
				`[` + strings.Join(oddIcons, ",") + `]`: item(`[{"src":"data:,"},{"src":"data:,"}]`), `[{"src":"data:,"},5]`: item(`[{"src":"data:,"}]`),
			} {
				body := Raw(h.head + item(`[]`) + "," + item(icons) + "," + item(icons) + h.tail)
				a := r.Row(h.method).Accept(Reply{Body: body})
				want, rest := "[]", body
				if good != "" && r == Revision20251125 {
					want = fmt.Sprint([]Finding{{Rule: "ICON-005", Body: body}})
					rest = Raw(h.head + item(`[]`) + "," + good + "," + good + h.tail)
				}
				if a.Err != nil || a.Body != rest || fmt.Sprint(a.Found) != want {
					t.Errorf("%v: %s: %+v", r, body, a)
				}
			}
		}
	}
}

// A list of icons with more odd ones than a list of items may have is none.
//
// revisions: all
// rows: ICON-005 SEC-101
func TestManyOddIcons(t *testing.T) {
	for n, want := range map[int]string{1000: `,"icons":[{"src":"data:,"}]}`, 1001: `}`} {
		for _, h := range holders {
			v := decoded(t, h.v, h.text+`,"icons":[`+strings.Repeat(`5,`, n)+`{"src":"data:,"}]}`)
			if got := string(v.AppendJSON(nil)); got != h.text+want {
				t.Errorf("%T with %d odd icons: %s", h.v, n, got)
			}
		}
	}
}
