package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A Caller speaks for its own call as long as its function runs, and for none afterwards:
// neither for the next call of the same batch nor for one of a later Output.
func TestKeptCallers(t *testing.T) {
	var kept []server.Caller
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "a", InputSchema: `{"type":"object"}`}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		for i, old := range kept {
			errs := []error{old.Progress(protocol.ProgressParams{Progress: 9}), old.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"})}
			if old.Call() == c.Call() || !errors.Is(errs[0], lifecycle.ErrGone) || !errors.Is(errs[1], lifecycle.ErrGone) {
				t.Errorf("call %d speaks for %v: %v", i, c.Call(), errs)
			}
		}
		kept = append(kept, c)
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil || c.State().Phase() != protocol.Ready {
			t.Error(err)
		}
		return protocol.TextResult("x"), nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := open(t, server.Config{Catalog: catalog, Serve: h.Serve(), Logging: true})
	call := func(id, token string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"` + token + `"}}}`
	}
	s, out := h.Handle(s.Receive(t0, jsonrpc.DecodeString(`[`+call("2", "x")+`,`+call("3", "y")+`,`+call("4", "z")+`]`)))
	want := []string{`"x"`, "2", `"y"`, "3", `"z"`, "4"}
	if len(out.Send) != len(want) {
		t.Fatalf("%+v", out.Send)
	}
	for i, m := range out.Send {
		got := string(m.Message.ID.Append(nil))
		if m.Message.Kind == jsonrpc.KindNotification {
			p, _ := protocol.Decode[protocol.ProgressParams](m.Message.Body)
			got = string(p.ProgressToken.Append(nil))
		}
		if got != want[i] {
			t.Errorf("message %d is of %s, not %s", i, got, want[i])
		}
	}
	if _, out = h.Handle(s.Receive(t0, jsonrpc.DecodeString(call("5", "w")))); len(out.Send) != 2 || len(kept) != 4 {
		t.Errorf("%+v", out.Send)
	}
}

// A function whose call has ended before it could run is not run: the client has cancelled
// it in the same batch, or the driver handles two Outputs as one.
func TestCancelledBeforeItRuns(t *testing.T) {
	h := offered()
	ran := 0
	h.ReplaceTool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		ran++
		return protocol.TextResult("x"), nil
	})
	h.Prompt(protocol.Prompt{Name: "q"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		ran++
		return &protocol.GetPromptResult{}, nil
	})
	s := serving(t, h)
	for _, line := range []string{
		`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]`,
		`[{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"q"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]`,
	} {
		_, out := h.Handle(s.Receive(t0, jsonrpc.DecodeString(line)))
		if ran != 0 || len(out.Send) != 0 || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.RequestCancelled || out.Fate != lifecycle.FateAccepted {
			t.Errorf("ran %d times: %+v", ran, out)
		}
	}
}
