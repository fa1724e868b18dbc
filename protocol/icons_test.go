package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// An icon has a src, and what else it has is of the right kind. Any string will do where it
// comes from the peer.
//
// revisions: 2025-11-25..
// rows: ICON-001 ICON-003 ICON-006
func TestIcons(t *testing.T) {
	for text, want := range map[string]struct {
		path string
		r    Reason
	}{
		`{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`: {},
		`{"src":"","mimeType":"","sizes":[],"theme":"light"}`:                                             {},
		`{"src":"javascript:alert(1)","sizes":["48","48X48","big"]}`:                                      {},
		`{"src":"relative/path","mimeType":null,"sizes":null,"theme":null,"x":1}`:                         {},
		`{"mimeType":"image/png"}`:         {"src", ReasonMissing},
		`{"src":null}`:                     {"src", ReasonType},
		`{"src":5}`:                        {"src", ReasonType},
		`{"src":"data:,","sizes":"48x48"}`: {"sizes", ReasonType},
		`{"src":"data:,","sizes":[48]}`:    {"sizes", ReasonType},
		`{"src":"data:,","mimeType":1}`:    {"mimeType", ReasonType},
		`{"src":"data:,","theme":"blue"}`:  {"theme", ReasonValue},
		`{"src":"data:,","theme":""}`:      {"theme", ReasonValue},
		`"data:,"`:                         {"", ReasonType},
	} {
		if path, r := reason(t, &Icon{}, text); path != want.path || r != want.r {
			t.Errorf("%s: %q %v, want %q %v", text, path, r, want.path, want.r)
		}
	}
	const whole = `{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}`
	if got := string(decoded(t, &Icon{}, whole).AppendJSON(nil)); got != whole {
		t.Errorf("%s comes back as %s", whole, got)
	}
}

// What is sent is an http, https or data uri, with sizes that are any or two numbers.
//
// revisions: 2025-11-25..
// rows: ICON-001 ICON-003 ICON-006
func TestIconsThatAreSent(t *testing.T) {
	for src, good := range map[string]bool{
		"http://a.example/i": true, "https://a.example/i": true, "data:image/png;base64,QQ==": true, "data:,": true,
		"javascript:alert(1)": false, "file:///i.png": false, "ftp://a.example/i": false, "ws://a.example/i": false, "app:i": false,
		"i.png": false, "/i.png": false, "//a.example/i.png": false, "": false, "https": false, "https://a.example/an icon": false, "https://\xff": false,
	} {
		if err := (Icon{Src: src}).Validate(); (err == nil) != good {
			t.Errorf("src %q: %v", src, err)
		}
	}
	for size, good := range map[string]bool{
		"48x48": true, "1x1024": true, "any": true,
		"48": false, "x48": false, "48x": false, "48X48": false, "48x48x48": false, "-1x1": false, "Any": false, "": false, "48 x 48": false,
	} {
		if err := (Icon{Src: "data:,", Sizes: []string{"16x16", size}}).Validate(); (err == nil) != good {
			t.Errorf("size %q: %v", size, err)
		}
	}
	for theme, good := range map[IconTheme]bool{"": true, ThemeLight: true, ThemeDark: true, "blue": false, "Dark": false} {
		if err := (Icon{Src: "data:,", Theme: theme}).Validate(); (err == nil) != good {
			t.Errorf("theme %q: %v", theme, err)
		}
	}
}

// A client that fetches an icon asks Safe before: only https and data, in lower case.
//
// revisions: 2025-11-25..
// rows: ICON-004
func TestSafeIcons(t *testing.T) {
	for src, safe := range map[string]bool{
		"https://a.example/i.png": true, "data:image/png;base64,QQ==": true,
		"http://a.example/i.png": false, "javascript:alert(1)": false, "file:///i.png": false, "ftp://a.example/i": false, "ws://a.example": false,
		"wss://a.example": false, "app://i": false, "blob:x": false, "HTTPS://a.example/i.png": false, "Data:,": false, "https:/a": false, "https": false,
		" https://a.example": false, "\thttps://a.example": false, "i.png": false, "": false, "xhttps://a.example": false, "view-source:https://a": false,
	} {
		if (Icon{Src: src}).Safe() != safe {
			t.Errorf("Safe of %q is %v", src, !safe)
		}
	}
}

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
func TestIconsOf(t *testing.T) {
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

// An odd icon costs itself: what has it is read, with its other icons.
//
// revisions: 2025-11-25..
// rows: ICON-005
func TestOddIcons(t *testing.T) {
	const good = `{"src":"data:,1"},{"src":"data:,2"}`
	for _, h := range holders {
		for _, odd := range oddIcons {
			for _, list := range []string{`[` + odd + `,` + good + `]`, `[` + strings.Replace(good, `,{`, `,`+odd+`,{`, 1) + `]`, `[` + good + `,` + odd + `]`} {
				v := decoded(t, h.v, h.text+`,"icons":`+list+`}`)
				if got, want := string(v.AppendJSON(nil)), h.text+`,"icons":[`+good+`]}`; got != want {
					t.Errorf("%T: icons %s: %s", h.v, list, got)
				}
			}
		}
		for _, list := range []string{`5`, `{}`, `"data:,"`, `true`} { // no list at all
			if got := string(decoded(t, h.v, h.text+`,"icons":`+list+`}`).AppendJSON(nil)); got != h.text+"}" {
				t.Errorf("%T: icons %s: %s", h.v, list, got)
			}
		}
	}
}

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
