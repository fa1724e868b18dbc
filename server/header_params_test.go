package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// A catalog knows which arguments the headers of a call repeat, also where it lies over another one.
//
// rows: HTTP-207 TOOL-211
// revisions: 2026-07-28
func TestHeaderParams(t *testing.T) {
	tool := func(name, header string) protocol.Tool {
		return protocol.Tool{Name: name, InputSchema: jsonrpc.Raw(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"` + header + `"}}}`)}
	}
	of := func(list ...protocol.Tool) *server.Handlers {
		h := new(server.Handlers)
		for _, t := range list {
			h.Tool(t, nil)
		}
		h, err := h.Sealed()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	base := of(tool("both", "Under"), tool("under", "Under"), tool("bad", "no token"), protocol.Tool{Name: "plain", InputSchema: `{"type":"object"}`})
	over, err := of(tool("both", "Upper")).Over(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		h    *server.Handlers
		want map[string]string
	}{
		{base, map[string]string{"both": "Under", "under": "Under", "bad": "", "plain": "", "none": ""}},
		{over, map[string]string{"both": "Upper", "under": "Under", "bad": "", "plain": "", "none": ""}},
	} {
		catalog, err := c.h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		for name, header := range c.want {
			var want []headers.Param
			if header != "" {
				want = []headers.Param{{Header: "Mcp-Param-" + header, Path: []string{"a"}}}
			}
			if diff := cmp.Diff(want, catalog.HeaderParams(name)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", name, diff)
			}
		}
	}
	if got := (*server.Catalog)(nil).HeaderParams("both"); got != nil {
		t.Error(got)
	}
}
