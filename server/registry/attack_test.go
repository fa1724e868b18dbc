package registry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

func oneTool(t *testing.T) *registry.Group {
	t.Helper()
	s, err := registry.NewGroup(registry.Definition{Name: "g", Tools: []registry.Tool{{
		Tool: protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`},
		Func: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("done"), nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What nobody made has nothing: a zero Registry is one without groups, a zero View and a nil one
// offer nothing, and a zero Group cannot be registered.
func TestZeroValues(t *testing.T) {
	s := oneTool(t)
	var zero registry.Registry
	if v := zero.View(); len(v.Names()) != 0 || v.Catalog() == nil {
		t.Error(v.Names())
	}
	r, change, err := zero.Register(s)
	if err != nil || len(change.Added) != 1 || change.Tools.IsZero() || !r.View().Has("g") {
		t.Error(change, err)
	}
	if r, _, err = zero.SetGroups(s); err != nil || !r.View().Has("g") {
		t.Error(err)
	}
	for _, bad := range []*registry.Group{nil, {}} {
		if _, _, err := r.Register(bad); !errors.Is(err, registry.ErrNil) {
			t.Error(err)
		}
		if _, _, err := r.SetGroups(bad); !errors.Is(err, registry.ErrNil) {
			t.Error(err)
		}
	}
	for _, v := range []*registry.View{nil, {}} {
		if _, found := v.Lookup("t"); found || v.Has("g") || len(v.Names())+len(v.Tools()) != 0 || v.Owner("resources/read", "x") != "" || v.Catalog() == nil || v.Handlers() == nil {
			t.Error("a view that nobody made offers something")
		}
		if cfg := v.Config(server.Config{}); cfg.Catalog == nil || cfg.ListChanged != 0 {
			t.Error(cfg)
		}
	}
}
