package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
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
	if err != nil || len(change.Added) != 1 || change.Lists() == 0 || !r.View().Has("g") {
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
		if _, _, err := (registry.Invocations{}).Start(time.Unix(1, 0), v, "t", "", registry.CallOptions{}); !errors.Is(err, registry.ErrUnknownTool) {
			t.Error(err)
		}
	}
}

// A nil pointer of an error type of the library is no error, as in a session. An error that says
// what a peer may see of it is shown so, whatever wraps it.
func TestOutcomesAreAsInSessions(t *testing.T) {
	r, err := registry.FromGroups(oneTool(t))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	resolve := func(err error) registry.Outcome {
		n, i, startErr := registry.Invocations{}.Start(now, r.View(), "t", "", registry.CallOptions{})
		if startErr != nil {
			t.Fatal(startErr)
		}
		_, o, _ := n.Resolve(now, i.ID, protocol.TextResult("done"), err)
		return o
	}
	for _, err := range []error{(*jsonrpc.Error)(nil), (*toolerror.Error)(nil)} {
		if o := resolve(err); o.Err != nil || o.Public().IsError || o.Public().Content[0].Text != "done" {
			t.Error(o.Err, o.Public())
		}
	}
	for _, err := range []error{
		&toolerror.Error{Kind: toolerror.Execution, Tool: "t", Cause: errors.New("secret")},
		fmt.Errorf("secret: %w", toolerror.Failed("t", "no such city")),
	} {
		public := resolve(err).Public()
		if !public.IsError || strings.Contains(public.Content[0].Text, "secret") || !strings.Contains(public.Content[0].Text, "errorType") {
			t.Error(err, public.Content)
		}
	}
	if public := (registry.Outcome{Err: (*jsonrpc.Error)(nil), Result: protocol.TextResult("done")}).Public(); public.IsError {
		t.Error(public)
	}
	if public := (registry.Outcome{Err: odd{}}).Public(); !public.IsError || public.Content[0].Text != "odd" {
		t.Error(public)
	}
}

// odd says nothing of how it is shown.
type odd struct{}

func (odd) Error() string                        { return "odd" }
func (odd) ToolResult() *protocol.CallToolResult { return nil }

// Arguments that are not an object are a fault of arguments like any other. None and null are {}, as in a
// session.
func TestArgumentsThatAreNoObject(t *testing.T) {
	r, err := registry.FromGroups(oneTool(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []protocol.Raw{"[]", `"x"`, "{", "7", "{} {}"} {
		_, _, err := registry.Invocations{}.Start(time.Unix(1, 0), r.View(), "t", args, registry.CallOptions{})
		var all schema.ArgumentErrors
		if !errors.Is(err, registry.ErrArguments) || !errors.As(err, &all) || !errors.Is(toolerror.From("t", err), toolerror.InvalidArguments) {
			t.Error(args, err)
		}
	}
	for _, args := range []protocol.Raw{"", "\n{} ", "null", " null\n"} {
		_, i, err := (registry.Invocations{}).Start(time.Unix(1, 0), r.View(), "t", args, registry.CallOptions{})
		if err != nil || i.Arguments != "{}" {
			t.Error(args, i.Arguments, err)
		}
		hub, _, _ := registry.NewHub(registry.HubOptions{}).SetSession(t0, "s", r)
		if _, i, err = hub.Call(t0, "s", "t", args, registry.CallOptions{}); err != nil || i.Arguments != "{}" {
			t.Error(args, i.Arguments, err)
		}
	}
}
