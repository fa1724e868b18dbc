package protocol_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	. "github.com/sansmcp/mcp/protocol"
)

// fullBodies returns params or a result of every method with all members, and with every
// form of the unions.
func fullBodies() (list []struct {
	m    string
	kind BodyKind
	text string
}) {
	texts := map[string]string{}
	forms := map[string][]string{}
	for _, s := range shapes() {
		texts[s.name] = s.text
		forms[typeName(s.value)] = append(forms[typeName(s.value)], s.text)
	}
	texts["ElicitParams"] = texts["ElicitRequestFormParams"]
	add := func(m string, kind BodyKind, text string) {
		list = append(list, struct {
			m    string
			kind BodyKind
			text string
		}{m, kind, text})
	}
	add("x/y", BodyParams, texts["PingParams"])
	add("x/y", BodyResult, texts["EmptyResult"])
	for _, v := range types {
		p, ok := v.(Params)
		if !ok {
			continue
		}
		m, name := p.Method(), typeName(v)
		text := texts[name]
		for _, token := range []string{`"_meta":{`, `"_meta":{"progressToken":7,`} {
			add(m, BodyParams, strings.Replace(text, `"_meta":{`, token, 1))
		}
		result, ok := texts[strings.TrimSuffix(name, "Params")+"Result"]
		switch {
		case strings.HasPrefix(p.Method(), "notifications/"):
		case ok:
			add(m, BodyResult, result)
		default:
			add(m, BodyResult, texts["EmptyResult"])
		}
	}
	schema := `{"type":"object","properties":{"a":{}},"required":["a"]}`
	add(MethodToolsList, BodyResult, `{"tools":[`+with(with(texts["Tool"], "inputSchema", schema), "outputSchema", schema)+`]}`)
	add(MethodToolsCall, BodyResult, `{"content":[`+strings.Join(forms["Content"], " , ")+`]}`)
	add(MethodResourcesRead, BodyResult, `{"contents":[`+strings.Join(forms["ResourceContents"], ",")+`]}`)
	for _, text := range slices.Concat(forms["Content"][:3], forms["Content"][5:]) {
		add(MethodSamplingCreateMessage, BodyResult, with(texts["CreateMessageResult"], "content", text))
	}
	for _, text := range forms["Reference"] {
		add(MethodCompletionComplete, BodyParams, with(texts["CompleteParams"], "ref", text))
	}
	for _, text := range forms["PrimitiveSchema"] {
		form := `{"type":"object","properties":{"a":{"type":"boolean"}, "b" : ` + text + `},"required":["a"]}`
		add(MethodElicitationCreate, BodyParams, `{"message":"m","requestedSchema":`+form+`}`)
	}
	return list
}

// places returns where the members of all objects in text are: the start of a name, the
// start of its value and the end of that.
func places(text string) (list [][3]int) {
	for i := range len(text) {
		if _, val := rawjson.Key(text, i); val > 0 {
			list = append(list, [3]int{i, val, rawjson.Skip(text, val, 99)})
		}
	}
	return list
}

// cutOut returns text without the member at p and a comma beside it.
func cutOut(text string, p [3]int) string {
	before, after := strings.TrimRight(text[:p[0]], " "), text[p[2]:]
	if rest, ok := strings.CutSuffix(before, ","); ok {
		return strings.TrimRight(rest, " ") + after
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(after, " "), ","); ok {
		after = strings.TrimLeft(rest, " ")
	}
	return before + after
}

// Whatever member of whatever type is null: where the check takes it for absent it is
// left out, and where it is a value like any other it stays. The dumb twin finds out by
// trying values of other types.
//
// rows: SCHEMA-024
func TestWithoutNulls(t *testing.T) {
	cut, kept := 0, 0
	for _, c := range fullBodies() {
		check := func(text string) bool {
			row := Revision20251125.Row(c.m)
			switch {
			case row == nil && c.kind == BodyParams:
				return Revision20250618.CustomRow(Server).CheckParams(Raw(text), jsonrpc.Span{}) == nil
			case row == nil:
				return Revision20250618.CustomRow(Server).CheckResult(Raw(text), jsonrpc.Span{}) == nil
			case c.kind == BodyParams:
				return row.CheckParams(Raw(text), jsonrpc.Span{}) == nil
			}
			return row.CheckResult(Raw(text), jsonrpc.Span{}) == nil
		}
		if !check(c.text) {
			t.Fatalf("%v refuses %s", c.m, c.text)
		}
		if got := rowOf(c.m).WithoutNulls(c.kind, Raw(c.text)); got != Raw(c.text) {
			t.Errorf("%v: %s became %s", c.m, c.text, got)
		}
		for _, p := range places(c.text) {
			put := func(val string) string { return c.text[:p[1]] + val + c.text[p[2]:] }
			if !check(put("null")) {
				continue // a required one
			}
			want := put("null")
			icon := strings.HasPrefix(c.text[p[0]:], `"icons"`) // of which checks want nothing
			if i := strings.LastIndex(c.text[:p[0]], `"icons"`); i >= 0 {
				_, list := rawjson.Key(c.text, i)
				icon = icon || p[0] < rawjson.Skip(c.text, list, rawjson.DefaultDepth) && !strings.HasPrefix(c.text[p[0]:], `"src"`)
			}
			if typed := icon || !check(put("0")) || !check(put(`"x"`)) || !check(put("true")); typed {
				want = cutOut(c.text, p)
				cut++
			} else {
				kept++
			}
			if got := string(rowOf(c.m).WithoutNulls(c.kind, Raw(put("null")))); got != want {
				t.Errorf("%v: %s\nbecame %s\n  want %s", c.m, put("null"), got, want)
			}
		}
	}
	if cut < 250 || kept < 30 {
		t.Errorf("only %d members were left out and %d kept", cut, kept)
	}
}

// Several nulls at once, at any depth, with names and white space in any spelling; of a
// member that is there twice the last counts.
//
// rows: SCHEMA-024
func TestWithoutSeveralNulls(t *testing.T) {
	for _, c := range []struct {
		m        string
		kind     BodyKind
		in, want string
	}{
		{MethodToolsList, BodyParams, `{"cursor":null}`, `{}`},
		{MethodToolsList, BodyParams, ` { "_meta" : null , "cursor" : null , "x" : null } `, ` {"x" : null } `},
		{MethodToolsList, BodyParams, `{"x":null,"cursor":null,"_meta":{"progressToken":null,"k":null}}`, `{"x":null,"_meta":{"k":null}}`},
		{MethodToolsList, BodyParams, `{"cursor":"a","c\u0075rsor":null,"y":1}`, `{"y":1}`},
		{MethodToolsList, BodyParams, `{"cursor":null,"cursor":"a"}`, `{"cursor":null,"cursor":"a"}`},
		{MethodPing, BodyParams, `{"_meta":{"progress\u0054oken":null}}`, `{"_meta":{}}`},
		{"x/y", BodyParams, `{"_meta":null,"a":null}`, `{"a":null}`},
		{"x/y", BodyResult, `{"a":null,"_meta":null}`, `{"a":null}`},
		{
			MethodToolsList, BodyResult,
			`{"tools":[{"name":"a","title":null,"inputSchema":{"type":"object","properties":null,"default":null}}, {"title":null,"name":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":null}}],"nextCursor":null}`,
			`{"tools":[{"name":"a","inputSchema":{"type":"object","default":null}}, {"name":"b","inputSchema":{"type":"object"},"annotations":{}}]}`,
		},
		{MethodToolsCall, BodyResult, `{"content":[],"structuredContent":{"content":null,"isError":null}}`, `{"content":[],"structuredContent":{"content":null,"isError":null}}`},
		// A kind that nobody knows stays as it is, and so does what is in arrays in arrays,
		// however many levels there are: no type has them.
		{MethodToolsCall, BodyResult, `{"content":[{"type":"hologram","size":null,"_meta":null}],"isError":null}`, `{"content":[{"type":"hologram","size":null,"_meta":null}]}`},
		{MethodToolsCall, BodyResult, `{"content":[[{"type":"text","_meta":null}],{"type":"text","text":"","_meta":null}]}`, `{"content":[[{"type":"text","_meta":null}],{"type":"text","text":""}]}`},
		{MethodLoggingMessage, BodyParams, `{"level":"info","data":null,"logger":null}`, `{"level":"info","data":null}`},
		{MethodToolsList, BodyResult, `null`, `null`},
		{MethodToolsList, BodyResult, `{"tools":[null`, `{"tools":[null`},
		{MethodToolsList, BodyResult, `{"tools":[],null}`, `{"tools":[],null}`},
		{MethodToolsList, BodyResult, `{"nextCursor":null,"tools"}`, `{"nextCursor":null,"tools"}`},
		{MethodToolsList, BodyResult, `{"nextCursor":null,"_meta":nul}`, `{"nextCursor":null,"_meta":nul}`},
	} {
		if got := rowOf(c.m).WithoutNulls(c.kind, Raw(c.in)); got != Raw(c.want) {
			t.Errorf("%s\nbecame %s\n  want %s", c.in, got, c.want)
		}
	}
}

// Null stands for absent in the members that a type has, and in no others: what any other
// type calls so stays, beside the members of a body and within those that are the peer's
// own or of another type than the schema says.
//
// rows: SCHEMA-024
func TestNullsOfOthersStay(t *testing.T) {
	names := map[string]bool{}
	for _, s := range shapes() {
		for _, m := range s.members {
			names[m.wire] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	full := `{"type":"text"}`
	for _, name := range sorted {
		if name != "type" {
			full = with(full, name, "null")
		}
	}
	beside, within := 0, 0
	for _, c := range fullBodies() {
		same := func(text string) {
			t.Helper()
			if got := string(rowOf(c.m).WithoutNulls(c.kind, Raw(text))); got != text {
				t.Errorf("%v: %s\nbecame %s", c.m, text, got)
			}
		}
		if _, all := rawjson.Get(c.text, "_meta"); all {
			text := c.text
			for _, name := range sorted {
				if _, has := rawjson.Get(c.text, name); !has {
					text = with(text, name, "null")
					beside++
				}
			}
			same(text)
		}
		for _, p := range places(c.text) {
			name, val := c.text[p[0]:p[1]], c.text[p[1]:p[2]]
			if strings.HasPrefix(name, `"_meta"`) || strings.ContainsAny(val[:1], `{[`) {
				continue // all of _meta but the token: above
			}
			within++
			same(c.text[:p[1]] + full + c.text[p[2]:])
			same(c.text[:p[1]] + "[" + full + "]" + c.text[p[2]:])
			same(c.text[:p[1]] + `"[null,{\"title\":null}]"` + c.text[p[2]:])
		}
	}
	if beside < 2000 || within < 150 {
		t.Errorf("only %d members beside and %d within", beside, within)
	}
}
