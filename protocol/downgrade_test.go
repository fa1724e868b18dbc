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

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

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
	return append(append(parseTrims(t, trims, 2), parseTrims(t, laterTrims, 3)...), parseTrims(t, latestTrims, 4)...)
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
			if row := r.Row(c.method); row != nil {
				if same, lost := row.Downgrade(c.kind, Raw(c.body)); same != got || lost != lossy {
					t.Errorf("%v in %v: its row gives %s, %v; want %s, %v", c.method, r, same, lost, got, lossy)
				}
				m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":` + c.body + `}`)
				if same, lost := row.DowngradeAt(c.kind, m.Body, m.Span); m.Kind == jsonrpc.KindResult && (same != got || lost != lossy) {
					t.Errorf("%v in %v: with the span %v its row gives %s, %v; want %s, %v", c.method, r, m.Span, same, lost, got, lossy)
				}
			}
			if same, lost := (Revision{}).Downgrade(c.method, c.kind, Raw(c.body)); string(same) != c.body || lost {
				t.Errorf("%v in no revision: %s, %v", c.method, same, lost)
			}
		}
	}
}

// A row looks at bodies of its kind if there is one that it changes, and at no others.
func TestRowsTrim(t *testing.T) {
	list := readTrims(t)
	for _, r := range every {
		for _, row := range r.Rows() {
			for kind := BodyParams; kind <= BodyResult; kind++ {
				changes := slices.ContainsFunc(list, func(c trim) bool {
					got, _ := r.Downgrade(c.method, c.kind, Raw(c.body))
					return c.method == row.Method && c.kind == kind && string(got) != c.body
				})
				if changes != Trims(row, kind) {
					t.Errorf("%v, %s, body %d: looked at %v, changed %v", r, row.Method, kind, !changes, changes)
				}
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
// that only newer methods use, those of methods that ended, and what is written by a machine
// around a body (RSLT-001, CACH-001) or into it (MRTR-043).
//
// rows: MRTR-043 TOOL-210
// revisions: all 2026-07-28
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
		if nameless[d.Type] {
			continue
		}
		name := "-" + d.Type + "." + d.Member
		got[d.Until.String()] = append(got[d.Until.String()], strings.TrimSuffix(name, "."))
	}
	list := append([]Revision{Revision20260728}, every[:]...)
	want := map[string][]string{}
	for i := range len(list) - 1 {
		newer, older := officialMembers(t, list[i]), officialMembers(t, list[i+1])
		machines := func(m string) bool {
			typ, member, _ := strings.Cut(m, ".")
			has := func(set map[string]bool) bool {
				for name := range set {
					if strings.HasPrefix(name, typ+".") {
						return true
					}
				}
				return false
			}
			return list[i].Stateless() && (slices.Contains(around, member) || !has(newer) || !has(older))
		}
		for _, m := range slices.Sorted(maps.Keys(newer)) {
			if !older[m] && !machines(m) {
				want[list[i].String()] = append(want[list[i].String()], m)
			}
		}
		for _, m := range slices.Sorted(maps.Keys(older)) {
			if !newer[m] && !machines(m) {
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

// around are the members of stateless revisions that are no members of types here, and extensions, which are
// not built. ListRootsResult is no result of its own any more, and so has no _meta.
var around = []string{"resultType", "ttlMs", "cacheScope", "inputResponses", "requestState", "extensions", "_meta"}

// nameless are the types that the schema has no name for, or several.
var nameless = map[string]bool{
	"RootsCapability": true,
	"ElicitParams":    true, "ElicitSchema": true, "PrimitiveSchema": true, "ElicitationCapability": true, "SamplingCapability": true,
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
