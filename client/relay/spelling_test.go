package relay_test

import (
	"context"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// What does not pass is reached by no other spelling of its uri that a template makes.
func TestFilterOfOtherSpellings(t *testing.T) {
	everything := func(w *world) {
		resources(w)
		read := func(_ context.Context, _ server.Caller, q protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(q.URI, "", "")}}, nil
		}
		for _, uri := range []string{"note:///hidden", "note:///dir/%68idden", "note:///shown"} {
			w.peers["a"].h.Resource(protocol.Resource{URI: uri, Name: uri}, read)
		}
		for _, text := range []string{"note:///{+x}", "note:{+x}", "NOTE:{+x}"} {
			w.peers["a"].h.Template(protocol.ResourceTemplate{URITemplate: text, Name: text}, func(ctx context.Context, c server.Caller, q protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
				return read(ctx, c, q)
			})
		}
	}
	for _, f := range []catalog.Filter{
		{Deny: []catalog.Rule{{Kind: protocol.ResourceList, Name: "note:///hidden"}, {Kind: protocol.ResourceList, Name: "note:///dir/%68idden"}}},
		{Allow: []catalog.Rule{{Kind: protocol.ResourceList, Name: "note:///shown"}, {Kind: protocol.TemplateList}}},
	} {
		w := newWorld(t, []string{"a"}, everything, filter("a", f))
		for _, uri := range []string{
			"note:///hidden", "note:///%68idden", "note:///%2568idden", "note:///hidde%6E", "note:///hidde%6e", "note:///./hidden", "note:///x/../hidden",
			"note:///x/%2e%2E/hidden", "note:////hidden", "NOTE:///hidden", "note:///hidden?x", "note:///hidden#x", "note:///hidden%3Fx", "note:///../hidden",
			"note:///dir/hidden", "note:///dir%2Fhidden", "note:%2F%2F/hidden",
		} {
			for _, uri := range []string{uri, "a+" + uri} {
				for _, method := range []string{"resources/read", "resources/subscribe"} {
					e := w.fault(w.request(protocol.RawRequest{Name: method, Body: protocol.Raw(`{"uri":"` + uri + `"}`)}, client.RequestOptions{}))
					if e.Code != -32002 || w.askedFor("a", method) {
						t.Errorf("%s %s: %+v", method, uri, e)
					}
				}
			}
		}
		for _, uri := range []string{"note:///shown", "note:///other", "note:///a%20b", "note:///hidden2", "a+note:///dir/x?y=%41"} {
			w.ask("resources/read", `{"uri":"`+uri+`"}`)
		}
	}
}
