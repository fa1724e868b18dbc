package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// C26: a tool is called by its name, with checked arguments and its own time or that of the call.
// It ends once: by its answer, by the time, or with its group. What comes later is counted.
func TestInvocations(t *testing.T) {
	d := registry.Definition{Name: "g", Tools: []registry.Tool{
		{Tool: protocol.Tool{Name: "echo", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}, Func: func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(string(p.Arguments)), nil
		}, Timeout: 250 * time.Millisecond},
	}}
	v := from(t, must(t, d), group(t, "h", "x")).View()
	var n registry.Invocations
	for _, c := range []struct {
		tool string
		args protocol.Raw
		opt  registry.CallOptions
		want error
	}{
		{"none", "{}", registry.CallOptions{}, registry.ErrUnknownTool}, {"echo", `{"n":"1"}`, registry.CallOptions{}, registry.ErrArguments},
		{"echo", `[]`, registry.CallOptions{}, registry.ErrArguments}, {"echo", `{"n":`, registry.CallOptions{}, registry.ErrArguments},
		{"echo", "{}", registry.CallOptions{Timeout: -2}, registry.ErrInvalid},
	} {
		_, _, err := n.Start(t0, v, c.tool, c.args, c.opt)
		fails(t, err, c.want, c.tool)
	}
	n, a, err := n.Start(t0, v, "echo", `{"n":12345678901234567890}`, registry.CallOptions{})
	if err != nil || !a.Deadline.Equal(t0.Add(250*time.Millisecond)) {
		t.Fatal(a.Deadline, err)
	}
	result, err := a.Run(context.Background(), nil)
	n, o, ok := n.Resolve(t0, a.ID, result, err)
	if !ok || o.Err != nil || o.Result.Content[0].Text != `{"n":12345678901234567890}` || o.Public() != o.Result || o.Invocation.ID != a.ID {
		t.Errorf("%+v", o)
	}
	if n, _, ok = n.Resolve(t0, a.ID, result, nil); ok || n.Late() != 1 {
		t.Error("an answer is taken twice")
	}
	n, b, _ := n.Start(t0, v, "echo", "", registry.CallOptions{Timeout: 40 * time.Millisecond})
	n, c, _ := n.Start(t0, v, "x", "", registry.CallOptions{Timeout: lifecycle.NoTimeout})
	if due, _ := n.NextDeadline(); !due.Equal(b.Deadline) || len(n.Open()) != 2 || !c.Deadline.IsZero() || b.Arguments != "{}" {
		t.Error(due)
	}
	n, list := n.Tick(t0.Add(40 * time.Millisecond))
	if len(list) != 1 || !errors.Is(list[0].Err, registry.ErrTimeout) || list[0].Public().Content[0].Text != "the tool has not answered within 40ms" || !list[0].Public().IsError {
		t.Errorf("%+v", list)
	}
	n, list = n.Cancel(func(i registry.Invocation) bool { return i.Tool.Group == "h" })
	if len(list) != 1 || !errors.Is(list[0].Err, registry.ErrRemoved) || list[0].Public().Content[0].Text != "removed while the request ran; list again" || len(n.Open()) != 0 {
		t.Errorf("%+v", list)
	}
	if n, _, ok = n.Resolve(t0, c.ID, result, nil); ok || n.Late() != 2 {
		t.Error(n.Late())
	}
}

// What a peer sees of an outcome is what the tool's author wrote, and nothing of the inside.
func TestPublic(t *testing.T) {
	v := from(t, group(t, "g", "x")).View()
	for what, c := range map[string]struct {
		result *protocol.CallToolResult
		err    error
		want   string
	}{
		"nothing":   {nil, nil, "the tool has no result"},
		"own error": {nil, errors.New("no such file"), "no such file"},
		"both":      {protocol.TextResult("x"), errors.New("no"), "no"},
		"rpc":       {nil, &jsonrpc.Error{Code: 7, Message: "refused", Data: `"inside"`}, "refused"},
	} {
		var n registry.Invocations
		n, i, _ := n.Start(t0, v, "x", "", registry.CallOptions{})
		_, o, _ := n.Resolve(t0, i.ID, c.result, c.err)
		if got := o.Public(); !got.IsError || got.Content[0].Text != c.want {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if _, err := (registry.Invocation{}).Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "no result") {
		t.Error(err)
	}
	if got := (registry.Outcome{}).Public(); !got.IsError {
		t.Error("nothing is a result")
	}
}
