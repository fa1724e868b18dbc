package registry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// The errors about names say in one line what is wrong, of what kind, with its name and its group.
func TestErrorsName(t *testing.T) {
	schema := protocol.Raw(`{"type":"object"}`)
	tool := protocol.Tool{Name: "t", InputSchema: schema}
	f := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return nil, nil
	}
	read := func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return nil, nil
	}
	made := func(d registry.Definition, with func(h *server.Handlers)) func() error {
		return func() error {
			h := new(server.Handlers)
			if with != nil {
				with(h)
			}
			d.Name, d.Handlers = "g", h
			_, err := registry.NewGroup(d)
			return err
		}
	}
	g, err := registry.NewGroup(registry.Definition{Name: "g", Enabled: registry.Off})
	if err != nil {
		t.Fatal(err)
	}
	reg, _, err := registry.New(0).Register(g)
	if err != nil {
		t.Fatal(err)
	}
	on, _, _ := reg.SetEnabled("g", true)
	failed, _, _ := on.Fail("g", errors.New("why"))
	for want, do := range map[string]func() error{
		`registry: no function is bound: tool "t"`:              func() error { _, err := registry.NewTool(tool, nil); return err },
		`registry: invalid name: tool ""`:                       func() error { _, err := registry.NewTool(protocol.Tool{}, f); return err },
		`registry: invalid name: group "\xff"`:                  func() error { _, err := registry.NewGroup(registry.Definition{Name: "\xff"}); return err },
		`registry: no function is bound: tool "t" of group "g"`: made(registry.Definition{Tools: []registry.Tool{{Tool: tool}}}, nil),
		`registry: duplicate name: tool "t" of group "g"`:       made(registry.Definition{Tools: []registry.Tool{{Tool: tool, Func: f}, {Tool: tool, Func: f}}}, nil),
		`registry: invalid name: tool "" of group "g"`:          made(registry.Definition{Tools: []registry.Tool{{Tool: protocol.Tool{InputSchema: schema}, Func: f}}}, nil),
		`registry: unknown tool: tool "x" of group "g"`:         made(registry.Definition{Timeouts: map[string]time.Duration{"x": 1}}, nil),
		`registry: duplicate name: resource "a:b" of group "g"`: made(registry.Definition{}, func(h *server.Handlers) {
			h.Resource(protocol.Resource{URI: "a:b", Name: "n"}, read)
			h.Resource(protocol.Resource{URI: "a:b", Name: "n"}, read)
		}),
		`registry: duplicate name: template "a:{b}" of group "g"`: made(registry.Definition{}, func(h *server.Handlers) {
			h.Template(protocol.ResourceTemplate{URITemplate: "a:{b}", Name: "n"}, nil)
			h.Template(protocol.ResourceTemplate{URITemplate: "a:{b}", Name: "n"}, nil)
		}),
		`registry: duplicate name: prompt "p" of group "g"`: made(registry.Definition{}, func(h *server.Handlers) {
			h.Prompt(protocol.Prompt{Name: "p"}, nil)
			h.Prompt(protocol.Prompt{Name: "p"}, nil)
		}),
		`registry: no function is bound: item "p" of group "g"`: made(registry.Definition{}, func(h *server.Handlers) { h.Prompt(protocol.Prompt{Name: "p"}, nil) }),
		`registry: unknown group: group "x"`:                    func() error { _, err := reg.Group("x"); return err },
		`registry: unknown group: group "y"`:                    func() error { _, _, err := reg.SetEnabled("y", true); return err },
		`registry: the group is disabled: group "g"`:            func() error { _, err := reg.Offered("g"); return err },
		`registry: the group has failed: group "g": why`:        func() error { _, err := failed.Offered("g"); return err },
		`registry: duplicate name: group "g"`:                   func() error { _, _, err := reg.SetGroups(g, g); return err },
		`registry: invalid name: session ""`:                    func() error { _, err := registry.Scopes{}.Put("", reg); return err },
		`registry: invalid definition: params "login"`:          func() error { _, err := registry.Redacted("5"); return err },
	} {
		if err := do(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
