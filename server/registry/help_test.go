package registry_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

var t0 = verbs.Epoch

// says returns a tool function that answers with a text.
func says(text string) server.ToolFunc {
	return func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(text), nil
	}
}

// group returns a group of tools, each of which says group.tool.
func group(t testing.TB, name string, tools ...string) *registry.Group {
	t.Helper()
	d := registry.Definition{Name: name, Handlers: new(server.Handlers)}
	d.Handlers.Offer(protocol.CapTools)
	for _, tool := range tools {
		d.Tools = append(d.Tools, registry.Tool{Tool: protocol.Tool{Name: tool, Description: "of " + name}, Func: says(name + "." + tool)})
	}
	return must(t, d)
}

func must(t testing.TB, d registry.Definition) *registry.Group {
	t.Helper()
	s, err := registry.NewGroup(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mixed returns a group that has something of each kind.
func mixed(t testing.TB, name string) *registry.Group {
	t.Helper()
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t"}, says(name+".t"))
	read := func(text string) *protocol.ReadResourceResult {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: "a:b", Text: text}}}
	}
	h.Resource(protocol.Resource{URI: "a:" + name, Name: "r"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return read(name), nil
	})
	h.Template(protocol.ResourceTemplate{URITemplate: name + ":{x}", Name: "m"}, func(_ context.Context, _ server.Caller, _ protocol.ReadResourceParams, v uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return read(name + " template"), nil
	})
	h.Prompt(protocol.Prompt{Name: name + "-p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{Description: name}, nil
	})
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{name}}}, nil
	})
	return must(t, registry.Definition{Name: name, Handlers: h})
}

func from(t testing.TB, list ...*registry.Group) *registry.Registry {
	t.Helper()
	r, err := registry.FromGroups(list...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open returns a ready session that is offered v.
func open(t testing.TB, v *registry.View, more ...string) server.State {
	t.Helper()
	return verbs.NewServer(t, v.Config(server.Config{Serve: more})).Open(protocol.Revision20250618, "{}").Server()
}

func request(id int, method, params string) jsonrpc.Message {
	return jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

func calls(id int, tool string) jsonrpc.Message {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q}`, tool))
}

// sent returns what goes out, without what every message has.
func sent(out server.Output) string {
	return strings.ReplaceAll(strings.Join(verbs.Lines(out), "\n"), `"jsonrpc":"2.0",`, "")
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// fails checks that an error is of a kind and names what it is about.
func fails(t testing.TB, err, kind error, name string) {
	t.Helper()
	var e *registry.NameError
	if !errors.Is(err, kind) || !errors.As(err, &e) || e.Name != name || !strings.HasPrefix(err.Error(), kind.Error()) {
		t.Errorf("got %v, want %v of %q", err, kind, name)
	}
}

func names(refs []registry.OfferedTool) (list []string) {
	for _, ref := range refs {
		text := ref.Group + "." + ref.Tool.Name
		if ref.ShadowedBy != "" {
			text += " by " + ref.ShadowedBy
		}
		list = append(list, text)
	}
	return list
}

// none reports whether nothing is different.
func none(c registry.Change) bool { return reflect.DeepEqual(c, registry.Change{}) }

func add(g *registry.Group) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Register(g) }
}

func set(list ...*registry.Group) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.SetGroups(list...) }
}

func enable(name string, on bool) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.SetEnabled(name, on) }
}

func fail(name string, err error) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Fail(name, err) }
}

func reset(name string) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) { return r.Reset(name) }
}

func remove(name string) registry.Edit {
	return func(r *registry.Registry) (*registry.Registry, registry.Change, error) {
		r, c := r.Unregister(name)
		return r, c, nil
	}
}
