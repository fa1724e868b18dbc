package headers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// What a client mirrors, a server finds to be what the body says; any other value is a difference,
// and so is a header that is missing or one too many.
//
// rows: HTTP-201 HTTP-202 HTTP-203 HTTP-205 HTTP-206 HTTP-207 TRANS-202
// revisions: 2026-07-28
func TestMirror(t *testing.T) {
	params := []headers.Param{{Header: "Mcp-Param-Region", Path: []string{"where", "region"}}, {Header: "Mcp-Param-N", Path: []string{"n"}}, {Header: "Mcp-Param-On", Path: []string{"on"}}}
	for name, c := range map[string]struct {
		method, body string
		want         map[string]string
	}{
		"no subject": {"tools/list", `{` + envelope + `}`, map[string]string{"Mcp-Method": "tools/list"}},
		"tool":       {"tools/call", `{"name":"t","arguments":{"where":{"region":"eu"},"n":1e2,"on":false},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "t", "Mcp-Param-Region": "eu", "Mcp-Param-N": "100", "Mcp-Param-On": "false"}},
		"absent":     {"tools/call", `{"name":"t","arguments":{"where":{},"n":null},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "t"}},
		"no text":    {"tools/call", `{"name":"ü","arguments":{"where":{"region":" eu"},"n":1.5},` + envelope + `}`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?w7w=?=", "Mcp-Param-Region": "=?base64?IGV1?="}},
		"looks so":   {"resources/read", `{"uri":"=?BASE64?x?=",` + envelope + `}`, map[string]string{"Mcp-Method": "resources/read", "Mcp-Name": "=?base64?PT9CQVNFNjQ/eD89?="}},
		"prompt":     {"prompts/get", `{"name":"a b",` + envelope + `}`, map[string]string{"Mcp-Method": "prompts/get", "Mcp-Name": "a b"}},
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
			if why := headers.Differs(m, h.Values, params); why != "" {
				t.Error(why)
			}
			for name, value := range got {
				h.Set(name, value+"x")
				if headers.Differs(m, h.Values, params) == "" {
					t.Errorf("%s: %q for %q", name, value+"x", value)
				}
				if h.Del(name); !strings.HasSuffix(headers.Differs(m, h.Values, params), "is missing") {
					t.Errorf("%s is not there", name)
				}
				h.Set(name, "=?base64?*?=")
				if !strings.HasSuffix(headers.Differs(m, h.Values, params), "is malformed") {
					t.Errorf("%s is no base64", name)
				}
				h.Set(name, value)
			}
			for _, p := range params {
				if got[p.Header] == "" {
					h.Set(p.Header, "eu")
					if why := headers.Differs(m, h.Values, params); !strings.HasSuffix(why, "is not in the body") {
						t.Errorf("%s: %q", p.Header, why)
					}
					h.Del(p.Header)
				}
			}
		})
	}
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"n":100},` + envelope + `}}`)
	h := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}, "Mcp-Param-N": {"1e2"}}
	if why := headers.Differs(m, h.Values, params); why != "" {
		t.Errorf("integers are compared as texts: %s", why)
	}
}

// Arguments in headers are named by tokens, once, and stand where properties lead alone.
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
