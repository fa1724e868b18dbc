package server_test

import (
	"context"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// A uri goes to its resource, else to the most specific template, whatever the order of
// registration, with the variables decoded; a template that is none is refused.
//
// rows: RES-013
func TestTemplates(t *testing.T) { anywhere(t, templates) }

func templates(t *testing.T) {
	templates := []string{"file:///{path}", "file:///{+path}", "file:///logs/{name}.txt", "x://q{?a,b}"}
	for shift := range templates {
		var h server.Handlers
		h.Resource(protocol.Resource{URI: "file:///fixed", Name: "fixed"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "", "fixed")}}, nil
		})
		for i := range templates {
			text := templates[(i+shift)%len(templates)]
			h.Template(protocol.ResourceTemplate{URITemplate: text, Name: text}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
				said := text
				for _, v := range vars {
					said += " " + v.Name + "=" + v.Value.String()
				}
				return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "", said)}}, nil
			})
		}
		s := offer(t, h.Items(), server.Config{Serve: h.Serve(), Unlisted: true}, spoken.String())
		for uri, want := range map[string]string{
			"file:///fixed":         "fixed",
			"file:///a%20b":         "file:///{path} path=a b",
			"file:///a/b":           "file:///{+path} path=a/b",
			"file:///logs/x.txt":    "file:///logs/{name}.txt name=x",
			"x://q?a=1&b=%C3%BC":    "x://q{?a,b} a=1 b=ü",
			"x://other/":            "",
			"file:///a/../../etc":   "file:///{+path} path=a/../../etc",
			"file:///%2e%2e%2fetc/": "file:///{+path} path=..%2Fetc/",
		} {
			_, out := h.Handle(s.Receive(t0, said(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`)))
			if want == "" {
				if len(out.Events) != 1 {
					t.Errorf("%s: %+v", uri, out)
				}
				continue
			}
			if len(out.Send) != 1 {
				t.Fatalf("%s: %+v", uri, out)
			}
			r, err := protocol.Decode[protocol.ReadResourceResult](out.Send[0].Message.Body)
			if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != want {
				t.Errorf("%s: %s, want %s", uri, out.Send[0].Message.Body, want)
			}
		}
	}
	for _, bad := range []string{"file:///{path", "file:///path}", "x://{}", "x://{=a}"} {
		var h server.Handlers
		h.Template(protocol.ResourceTemplate{URITemplate: bad, Name: "bad"}, nil)
		if _, err := h.Catalog(); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
