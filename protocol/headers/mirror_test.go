package headers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// A server finds that a client's headers agree with the body; any other value differs, and so does
// a missing or an extra header.
//
// rows: HTTP-201 HTTP-202 HTTP-203 HTTP-205 HTTP-206 HTTP-207 TRANS-202
// revisions: 2026-07-28
func TestMirror(t *testing.T) {
	params := []headers.Param{{Header: "Mcp-Param-Region", Path: []string{"where", "region"}}, {Header: "Mcp-Param-N", Path: []string{"n"}}, {Header: "Mcp-Param-On", Path: []string{"on"}}}
	for name, c := range map[string]struct {
		method, body string
		want         map[string]string
	}{
		"no subject":  {"tools/list", `{` + envelope + `}`, map[string]string{"Mcp-Method": "tools/list"}},
		"no name":     {"tools/call", `{"name":5,` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call"}},
		"tool":        {"tools/call", `{"name":"t","arguments":{"where":{"region":"eu"},"n":1e2,"on":false},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "t", "Mcp-Param-Region": "eu", "Mcp-Param-N": "100", "Mcp-Param-On": "false"}},
		"absent":      {"tools/call", `{"name":"t","arguments":{"where":{},"n":null},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "t"}},
		"no text":     {"tools/call", `{"name":"ü","arguments":{"where":{"region":" eu"},"n":1.5},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?w7w=?=", "Mcp-Param-Region": "=?base64?IGV1?=", "Mcp-Param-N": "1.5"}},
		"other types": {"tools/call", `{"name":"t","arguments":{"where":{"region":["eu"]},"n":12345678901234567890,"on":{}},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "t", "Mcp-Param-Region": `["eu"]`, "Mcp-Param-N": "12345678901234567890", "Mcp-Param-On": "{}"}},
		"controls":    {"tools/call", `{"name":"a\tb","arguments":{"where":{"region":""}},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?YQli?=", "Mcp-Param-Region": ""}},
		"looks so":    {"resources/read", `{"uri":"=?BASE64?x?=",` + envelope + `}`, map[string]string{"Mcp-Method": "resources/read", "Mcp-Name": "=?base64?PT9CQVNFNjQ/eD89?="}},
		"prompt":      {"prompts/get", `{"name":"a b",` + envelope + `}`, map[string]string{"Mcp-Method": "prompts/get", "Mcp-Name": "a b"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":` + c.body + `}`)
			c.want["Mcp-Protocol-Version"] = "2026-07-28"
			got, h := map[string]string{}, http.Header{}
			for _, f := range headers.Mirror(m, protocol.Revision20260728, params) {
				got[f.Name] = f.Value
				h.Set(f.Name, f.Value)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if why := differs(m, h, params); why != "" {
				t.Error(why)
			}
			for name, value := range got {
				h.Set(name, value+"x")
				if differs(m, h, params) == "" {
					t.Errorf("%s: %q for %q", name, value+"x", value)
				}
				if h.Del(name); !strings.HasSuffix(differs(m, h, params), "is missing") {
					t.Errorf("%s is not there", name)
				}
				h.Set(name, "=?base64?*?=")
				if why := differs(m, h, params); strings.HasSuffix(why, "is malformed") == (name == "Mcp-Method" || name == "Mcp-Protocol-Version") || why == "" {
					t.Errorf("%s: %q", name, why) // only the others may use base64
				}
				h.Set(name, value)
			}
			for _, p := range params {
				if _, has := got[p.Header]; !has {
					h.Set(p.Header, "eu")
					if why := differs(m, h, params); strings.HasSuffix(why, "is not in the body") != (c.method == "tools/call") {
						t.Errorf("%s: %q", p.Header, why)
					}
					h.Del(p.Header)
				}
			}
		})
	}
}

// Headers are compared with the body as the page of the transport says: integers by value, a name and
// arguments also in base64, the rest literally.
//
// rows: HTTP-203 HTTP-205 HTTP-207
// revisions: 2026-07-28
func TestDiffers(t *testing.T) {
	params := []headers.Param{{Header: "Mcp-Param-N", Path: []string{"n"}}}
	for _, c := range []struct{ argument, header, value, want string }{
		{`100`, "Mcp-Param-N", "1e2", ""},
		{`100`, "Mcp-Param-N", "100.0", ""},
		{`100`, "Mcp-Param-N", "=?base64?MTAw?=", ""},
		{`100`, "Mcp-Param-N", "100.5", "differs from the body"},
		{`100`, "Mcp-Param-N", "0100", "differs from the body"},
		{`"100"`, "Mcp-Param-N", "100", ""},
		{`"100"`, "Mcp-Param-N", "1e2", "differs from the body"},
		{`"1e2"`, "Mcp-Param-N", "100", "differs from the body"},
		{`true`, "Mcp-Param-N", "true", ""},
		{`true`, "Mcp-Param-N", "True", "differs from the body"},
		{`["eu"]`, "Mcp-Param-N", "eu", "differs from the body"},
		{`{"eu":1}`, "Mcp-Param-N", "", "is missing"},
		{`null`, "Mcp-Param-N", "null", "is not in the body"},
		{`"ü"`, "Mcp-Param-N", "ü", "is malformed"},
		{`"\u0001"`, "Mcp-Param-N", "\x01", "is malformed"},
		{`"a\tb"`, "Mcp-Param-N", "a\tb", ""},
		{`"a"`, "Mcp-Param-N", " a\t", ""},
		{`"abc"`, "Mcp-Param-N", "=?base64?YWJj?=", ""},
		{`"abc"`, "Mcp-Param-N", "=?BASE64?YWJj?=", "differs from the body"},
		{`"a"`, "Mcp-Param-N", "=?base64?YQ?=", "is malformed"},
		{`"a"`, "Mcp-Param-N", "=?base64?YR==?=", "is malformed"},
		{`"a"`, "Mcp-Param-N", "=?base64?Y Q==?=", "is malformed"},
		{`"=?base64?="`, "Mcp-Param-N", "=?base64?=", ""},
		{`"=?base64?YQ=="`, "Mcp-Param-N", "=?base64?YQ==", ""},
		{`1`, "Mcp-Name", "=?base64?MWUx?=", ""},
		{`1`, "Mcp-Name", "10", "differs from the body"},
		{`1`, "Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?=", "differs from the body"},
		{`1`, "Mcp-Method", "Tools/Call", "differs from the body"},
		{`1`, "Mcp-Protocol-Version", "=?base64?MjAyNi0wNy0yOA==?=", "differs from the body"},
		{`1`, "Mcp-Protocol-Version", "2026-07-28, 2026-07-28", "differs from the body"},
	} {
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"1e1","arguments":{"n":` + c.argument + `},` + envelope + `}}`)
		h := http.Header{}
		for _, f := range headers.Mirror(m, protocol.Revision20260728, params) {
			h.Set(f.Name, f.Value)
		}
		if h.Set(c.header, c.value); c.value == "" {
			h.Del(c.header)
		}
		if c.want != "" {
			c.want = c.header + " " + c.want
		}
		if why := differs(m, h, params); why != c.want {
			t.Errorf("%s as %s: %q: %q, want %q", c.argument, c.header, c.value, why, c.want)
		}
		h[c.header] = append(h.Values(c.header), "x")
		if why := differs(m, h, params); why == "" {
			t.Errorf("%s as %s: %q: a second one is not looked at", c.argument, c.header, c.value)
		}
	}
}

// The names of headers for arguments are unique tokens, and only properties lead to them.
//
// rows: TOOL-212
// revisions: 2026-07-28
func TestParams(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 20) + `{"type":"string","x-mcp-header":"A"}` + strings.Repeat(`}}`, 20)
	many := make([]string, 65)
	for i := range many {
		many[i] = `"p` + strings.Repeat("x", i) + `":{"type":"string","x-mcp-header":"H` + strings.Repeat("x", i) + `"}`
	}
	for schema, want := range map[string][]headers.Param{
		``:                  nil,
		`{"type":"object"}`: nil,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"object","properties":{"c":{"type":"integer","x-mcp-header":"B-1"}}}}}`: {{Header: "Mcp-Param-A", Path: []string{"a"}}, {Header: "Mcp-Param-B-1", Path: []string{"b", "c"}}},
		`{"properties":{"a":{"type":"string","x-mcp-\u0068eader":"A"}}}`:                                                                             {{Header: "Mcp-Param-A", Path: []string{"a"}}},
		`{"properties":{"a":{"type":"string","x-mcp-header":"!"}}}`:                                                                                  {{Header: "Mcp-Param-!", Path: []string{"a"}}},
		`{"properties":{"a":{"description":"an x-mcp-header"}}}`:                                                                                     nil,
	} {
		got, err := headers.Params(jsonrpc.Raw(schema))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", schema, err, diff)
		}
	}
	for _, schema := range []string{
		`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":1}}}`,
		`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		`{"properties":{"a":{"x-mcp-header":"A"}}}`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		`{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		`{"x-mcp-header":"A"}`, `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`,
		deep, strings.Repeat(`{"x":`, 70) + `{"x-mcp-header":"A"}` + strings.Repeat(`}`, 70), `{"properties":{` + strings.Join(many, ",") + `}}`,
	} {
		if got, err := headers.Params(jsonrpc.Raw(schema)); err == nil || got != nil {
			t.Errorf("%.200s: %v", schema, got)
		}
	}
}

// At each bound, the last good value and the first bad one.
//
// rows: TOOL-212
// revisions: 2026-07-28
func TestParamsAtTheBrim(t *testing.T) {
	many := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"p%d":{"type":"string","x-mcp-header":"H%d"}`, i, i)
		}
		return `{"properties":{` + strings.Join(list, ",") + `}}`
	}
	beside := func(open, end string) func(int) string { // levels of a schema beside one argument
		return func(n int) string {
			return `{"properties":{"a":{"type":"string","x-mcp-header":"A"}},"y":` + strings.Repeat(open, n) + `1` + strings.Repeat(end, n) + `}`
		}
	}
	for name, c := range map[string]struct {
		most int
		text func(int) string
	}{
		"arguments": {64, many}, "objects": {63, beside(`{"x":`, `}`)}, "arrays": {63, beside(`[`, `]`)},
	} {
		if got, err := headers.Params(jsonrpc.Raw(c.text(c.most))); err != nil || len(got) == 0 {
			t.Errorf("%d %s: %v", c.most, name, err)
		}
		if got, err := headers.Params(jsonrpc.Raw(c.text(c.most + 1))); err == nil {
			t.Errorf("%d %s: %v", c.most+1, name, got)
		}
	}
}

// differs is Differs for a tool that has these Params.
func differs(m jsonrpc.Message, h http.Header, list []headers.Param) string {
	return headers.Differs(m, protocol.MetaOf(m.Body, m.Span).Version(), h.Values, func(string) []headers.Param { return list })
}
