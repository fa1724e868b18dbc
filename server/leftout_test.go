package server_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// oddMember is a member of an item that cannot be sent.
type oddMember struct {
	list, member string
	make         func() server.Items
	rest         string // of the item, all between its name and the end; "refused" if the catalog is
}

func oddMembers() (list []oddMember) {
	const bad = "\xff"
	nan := math.NaN()
	icons := []protocol.Icon{{Src: "https://a/b"}, {Src: "https://a/b", Theme: "odd"}}
	add := func(list_, member, rest string, f func() server.Items) {
		list = append(list, oddMember{list_, member, f, rest})
	}
	tool := func(member, rest string, change func(*protocol.Tool)) {
		add("tools", member, rest, func() server.Items {
			t := protocol.Tool{Name: "odd", InputSchema: `{"type":"object"}`}
			change(&t)
			return server.Items{Tools: []protocol.Tool{{Name: "a"}, t}}
		})
	}
	const plain = `,"inputSchema":{"type":"object"}`
	tool("name", "refused", func(t *protocol.Tool) { t.Name = bad })
	tool("inputSchema", "refused", func(t *protocol.Tool) { t.InputSchema = `{"type":"array"}` })
	tool("inputSchema", "refused", func(t *protocol.Tool) { t.InputSchema = `{"type":"object"},"x":{}` })
	for _, s := range []protocol.Raw{`5`, `{`, `{"type":"object","properties":5}`, `{"type":"object","required":5}`, `{"type":"object","$schema":5}`} {
		tool("inputSchema", "refused", func(t *protocol.Tool) { t.InputSchema = s })
	}
	tool("inputSchema", `,"inputSchema":{"type":"object","properties":{"w":{}}}`, func(t *protocol.Tool) { t.InputSchema = `{"type":"object","properties":{"v":5,"w":{}}}` })
	tool("inputSchema", `,"inputSchema":{"type":"object","required":["a"]}`, func(t *protocol.Tool) { t.InputSchema = `{"type":"object","required":["a",5]}` })
	for _, s := range []protocol.Raw{`[]`, `5`, `{`, `{},"x":{}`, `true`} {
		tool("outputSchema", plain, func(t *protocol.Tool) { t.OutputSchema = s })
	}
	tool("outputSchema", plain+`,"outputSchema":{"type":"object","properties":{}}`, func(t *protocol.Tool) { t.OutputSchema = `{"type":"object","properties":{"v":[]}}` })
	tool("icons", plain+`,"icons":[{"src":"https://a/b"}]`, func(t *protocol.Tool) { t.Icons = icons })
	tool("execution", plain, func(t *protocol.Tool) { t.Execution = &protocol.ToolExecution{TaskSupport: "odd"} })
	tool("_meta", plain, func(t *protocol.Tool) { t.Meta = "[]" })
	tool("_meta", plain, func(t *protocol.Tool) { t.Meta = `{},"x":{}` })

	resource := func(member, rest string, change func(*protocol.Resource)) {
		add("resources", member, rest, func() server.Items {
			r := protocol.Resource{URI: "a:odd", Name: "n"}
			change(&r)
			return server.Items{Resources: []protocol.Resource{{URI: "a:a", Name: "n"}, r}}
		})
	}
	resource("uri", "refused", func(r *protocol.Resource) { r.URI = "no uri" })
	resource("name", "refused", func(r *protocol.Resource) { r.Name = bad })
	resource("mimeType", "", func(r *protocol.Resource) { r.MIMEType = bad })
	resource("annotations", "", func(r *protocol.Resource) { r.Annotations = &protocol.Annotations{Priority: &nan} })
	resource("annotations", "", func(r *protocol.Resource) { r.Annotations = &protocol.Annotations{Audience: []protocol.Role{"odd"}} })
	resource("icons", `,"icons":[{"src":"https://a/b"}]`, func(r *protocol.Resource) { r.Icons = icons })
	resource("_meta", "", func(r *protocol.Resource) { r.Meta = "5" })

	template := func(member, rest string, change func(*protocol.ResourceTemplate)) {
		add("resourceTemplates", member, rest, func() server.Items {
			r := protocol.ResourceTemplate{URITemplate: "a:odd/{x}", Name: "n"}
			change(&r)
			return server.Items{ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "a:a/{x}", Name: "n"}, r}}
		})
	}
	template("uriTemplate", "refused", func(r *protocol.ResourceTemplate) { r.URITemplate = "a:{" })
	template("name", "refused", func(r *protocol.ResourceTemplate) { r.Name = bad })
	template("mimeType", "", func(r *protocol.ResourceTemplate) { r.MIMEType = bad })
	template("annotations", "", func(r *protocol.ResourceTemplate) { r.Annotations = &protocol.Annotations{Priority: &nan} })
	template("icons", `,"icons":[{"src":"https://a/b"}]`, func(r *protocol.ResourceTemplate) { r.Icons = icons })
	template("_meta", "", func(r *protocol.ResourceTemplate) { r.Meta = "5" })

	prompt := func(member, rest string, change func(*protocol.Prompt)) {
		add("prompts", member, rest, func() server.Items {
			p := protocol.Prompt{Name: "odd"}
			change(&p)
			return server.Items{Prompts: []protocol.Prompt{{Name: "a"}, p}}
		})
	}
	prompt("name", "refused", func(p *protocol.Prompt) { p.Name = bad })
	prompt("arguments", `,"arguments":[{"name":"x"}]`, func(p *protocol.Prompt) {
		p.Arguments = []protocol.PromptArgument{{Name: bad, Required: true}, {Name: "x"}}
	})
	prompt("icons", `,"icons":[{"src":"https://a/b"}]`, func(p *protocol.Prompt) { p.Icons = icons })
	prompt("_meta", "", func(p *protocol.Prompt) { p.Meta = "5" })
	return list
}

// Of the items of others, an optional member that cannot be sent is left out and reported; one
// that is required refuses the catalog. The authors of items are told of both.
func TestLeftOut(t *testing.T) {
	for _, at := range oddMembers() {
		for _, v := range []schema.Validator{nil, schema.Basic{}, schema.Lenient{}, schema.None{}} {
			items := at.make()
			items.Schemas = v
			c, err := server.NewCatalog(items)
			own := v == nil || v == schema.Validator(schema.Basic{})
			if own || at.rest == "refused" {
				if err == nil || c != nil || !strings.Contains(err.Error(), "odd") && !strings.Contains(err.Error(), `"\xff"`) && !strings.Contains(err.Error(), `"no uri"`) && !strings.Contains(err.Error(), `"a:{"`) || !strings.Contains(err.Error(), at.list) {
					t.Errorf("%T: %s.%s: %v", v, at.list, at.member, err)
				}
				if err != nil && at.member != "uriTemplate" && !strings.Contains(err.Error(), "."+at.member) {
					t.Errorf("%T: %s.%s: the error does not name the member: %v", v, at.list, at.member, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%T: %s.%s: %v", v, at.list, at.member, err)
				continue
			}
			list := c.LeftOut()
			if len(list) != 1 || list[0].List != at.list || !strings.Contains(list[0].Item, "odd") || !strings.HasPrefix(list[0].Err.Path, at.member) {
				t.Errorf("%T: %s.%s: left out %v", v, at.list, at.member, list)
				continue
			}
			list[0] = server.LeftOut{}
			if c.LeftOut()[0] == list[0] {
				t.Error("what LeftOut returned is that of the catalog")
			}
			if got := listed(t, items, at.list); !strings.Contains(got, at.rest+"}]") || strings.Contains(got, `"x":{}`) || !rawjson.Valid(got) {
				t.Errorf("%T: %s.%s: listed as %s, want %s", v, at.list, at.member, got, at.rest)
			}
			if again := at.make(); !sameOdd(items, again) {
				t.Errorf("%T: %s.%s: the items of the caller have changed", v, at.list, at.member)
			}
		}
	}
}

// sameOdd compares what a catalog could have changed in the items of its caller.
func sameOdd(a, b server.Items) bool {
	for i := range a.Resources {
		if (a.Resources[i].Annotations == nil) != (b.Resources[i].Annotations == nil) {
			return false
		}
		a.Resources[i].Annotations, b.Resources[i].Annotations = nil, nil // NaN equals nothing
	}
	for i := range a.ResourceTemplates {
		if (a.ResourceTemplates[i].Annotations == nil) != (b.ResourceTemplates[i].Annotations == nil) {
			return false
		}
		a.ResourceTemplates[i].Annotations, b.ResourceTemplates[i].Annotations = nil, nil
	}
	a.Schemas = nil
	return reflect.DeepEqual(a, b)
}

// listed returns the list that a client gets.
func listed(t *testing.T, items server.Items, list string) string {
	t.Helper()
	s := offer(t, items, server.Config{Serve: []string{"resources/read", "prompts/get"}}, "2025-11-25")
	for _, l := range protocol.Lists() {
		if l.Member == list {
			_, out := s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":77,"method":"`+l.Method+`"}`))
			text, _ := rawjson.Get(string(out.Send[0].Message.Body), list)
			return text
		}
	}
	return ""
}

// All that is odd in one item is found at once, and booleans are schemas.
func TestLeftOutAtOnce(t *testing.T) {
	tool := protocol.Tool{
		Name: "odd", InputSchema: `{"type":"object","properties":{"v":true,"n":{"type":"integer"}}}`, OutputSchema: "5",
		Icons: []protocol.Icon{{Src: ""}, {Src: ""}}, Execution: &protocol.ToolExecution{TaskSupport: "odd"}, Meta: "5",
	}
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{tool}, Schemas: schema.Lenient{}})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, l := range c.LeftOut() {
		paths = append(paths, l.Err.Path)
	}
	if want := []string{"outputSchema", "icons[0].src", "execution.taskSupport", "_meta"}; !slices.Equal(paths, want) {
		t.Errorf("left out %v, want %v", paths, want)
	}
	if got, want := c.LeftOut()[0].String(), `server: tools: "odd": left out: protocol: Tool.outputSchema has the wrong type`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var none *server.Catalog
	if none.LeftOut() != nil || new(server.Catalog).LeftOut() != nil {
		t.Error("something is left out of no catalog")
	}
}

// Every optional member that Validate can refuse has a row above. What it cannot refuse is named
// here, so that a new member fails until somebody says which it is.
func TestLeftOutHasAllMembers(t *testing.T) {
	never := []string{"title", "description", "size"} // any text is sent, and any number
	rows := oddMembers()
	for list, of := range map[string]reflect.Type{
		"tools": reflect.TypeFor[protocol.Tool](), "resources": reflect.TypeFor[protocol.Resource](),
		"resourceTemplates": reflect.TypeFor[protocol.ResourceTemplate](), "prompts": reflect.TypeFor[protocol.Prompt](),
	} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if slices.Contains(never, name) || list == "tools" && name == "annotations" {
				continue
			}
			if !slices.ContainsFunc(rows, func(r oddMember) bool { return r.list == list && r.member == name }) {
				t.Errorf("%s.%s has no row", list, name)
			}
		}
	}
	var e *protocol.DecodeError
	if errors.As(protocol.Tool{Annotations: &protocol.ToolAnnotations{Title: "\xff"}, Title: "\xff", Description: "\xff"}.Validate(), &e) {
		t.Errorf("what cannot be refused is: %v", e)
	}
}
