package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// C26: a tool of a group is called by its name, with checked arguments and its own time. It ends
// once: by its answer or by the time. What comes later is dropped.
func TestOwnTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		g, err := registry.NewGroup(registry.Definition{Name: "g", Timeout: 250 * time.Millisecond, Tools: []registry.Tool{
			{Tool: protocol.Tool{Name: "echo", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}, Func: func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult(string(p.Arguments)), nil
			}},
			{Tool: protocol.Tool{Name: "slow"}, Func: func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				<-ctx.Done()
				time.Sleep(time.Second)
				ended <- ctx.Err()
				return protocol.TextResult("too late"), nil
			}},
			{Tool: protocol.Tool{Name: "patient"}, Timeout: lifecycle.NoTimeout, Func: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				time.Sleep(time.Hour)
				return protocol.TextResult("done"), nil
			}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		o := locals(g.View(), attempt.Policy{})
		cfg := calls.Config{Catalog: catalog.Config{Local: o.tools}}
		cfg.Manager.Client.Info = protocol.Implementation{Name: "c", Version: "1"}
		f, err := fleet.New(cfg, fleet.Options{Dial: dial.Dialer{}.Dial, Local: o.run})
		if err != nil {
			t.Fatal(err)
		}
		call := func(tool string, args protocol.Raw) (attempt.Outcome, time.Duration) {
			t.Helper()
			began := time.Now()
			out, err := f.Call(t.Context(), calls.Request{Name: tool, Arguments: args, Policy: o.policy[tool]}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return out, time.Since(began)
		}
		for args, want := range map[protocol.Raw]string{`{"n":12345678901234567890}`: `{"n":12345678901234567890}`, "": "{}", "null": "{}"} {
			if out, _ := call("echo", args); out.Err != nil || out.Result.Content[0].Text != want {
				t.Errorf("%s: %+v", args, out)
			}
		}
		for _, args := range []protocol.Raw{`{"n":"1"}`, `[]`, `{"n":`, `"x"`, `7`, `{} {}`} {
			if out, _ := call("echo", args); !errors.Is(out.Err, toolerror.InvalidArguments) {
				t.Errorf("%s: %+v", args, out)
			}
		}
		if out, _ := call("none", ""); !errors.Is(out.Err, toolerror.UnknownTool) {
			t.Errorf("%+v", out)
		}
		if out, took := call("slow", ""); !errors.Is(out.Err, toolerror.Timeout) || took != 250*time.Millisecond || !strings.Contains(out.Err.Error(), "250ms") {
			t.Error(out.Err.Error(), took)
		}
		if err := <-ended; err == nil {
			t.Error("its context goes on")
		}
		if out, took := call("patient", ""); out.Err != nil || took != time.Hour {
			t.Error(out, took)
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// What a model sees of a failure is what the tool's author wrote, and nothing of the inside.
func TestOwnFailures(t *testing.T) {
	for what, c := range map[string]struct {
		result *protocol.CallToolResult
		err    error
		want   string // "" for success
		never  string
	}{
		"nothing":      {nil, nil, "no result", "mcp:"},
		"text":         {protocol.ErrorResult("no such file"), nil, "no such file", "mcp:"},
		"error":        {protocol.TextResult("x"), errors.New("no such file"), "no such file", "x"},
		"own":          {nil, fmt.Errorf("secret: %w", toolerror.Failure("t", "no such city")), "no such city", "secret"},
		"rpc":          {nil, &jsonrpc.Error{Code: 7, Message: "refused", Data: `"inside"`}, "t", "inside"},
		"nil rpc":      {protocol.TextResult("done"), (*jsonrpc.Error)(nil), "", ""},
		"nil tool err": {protocol.TextResult("done"), (*toolerror.Error)(nil), "", ""},
	} {
		g, err := registry.NewGroup(registry.Definition{Name: "g", Tools: []registry.Tool{{Tool: protocol.Tool{Name: "t"}, Func: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return c.result, c.err
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		o := locals(g.View(), attempt.Policy{})
		cfg := calls.Config{Catalog: catalog.Config{Local: o.tools}}
		cfg.Manager.Client.Info = protocol.Implementation{Name: "c", Version: "1"}
		f, err := fleet.New(cfg, fleet.Options{Dial: dial.Dialer{}.Dial, Local: o.run})
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Call(t.Context(), calls.Request{Name: "t"}, nil)
		if err := errors.Join(err, f.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		if (out.Err == nil) != (c.want == "") {
			t.Errorf("%s: %+v", what, out)
			continue
		}
		if out.Err == nil {
			continue
		}
		shown := out.Result
		if shown == nil {
			shown = out.Err.ToolResult()
		}
		text := shown.Content[0].Text
		if !strings.Contains(text, c.want) || c.never != "" && strings.Contains(text, c.never) {
			t.Errorf("%s: %s", what, text)
		}
	}
}
