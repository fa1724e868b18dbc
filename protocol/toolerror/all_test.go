package toolerror_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// shown is all that an error says, in each form.
func shown(e *toolerror.Error) string {
	if e == nil {
		return ""
	}
	out := fmt.Sprint(e.Error(), e.Kind, e.Tool, e.Text, e.Parameters, e.Names, e.After, e.Attempts, e.MayHaveRun, e.Code, e.Remote, e.Exception)
	for _, o := range []toolerror.Options{{}, {Text: true}, {Legacy: true}} {
		out += string(e.AppendPayload(nil, o)) + fmt.Sprint(e.JSONRPC(o)) + string(e.Result(o).AppendJSON(nil))
	}
	return out + string(e.ToolResult().AppendJSON(nil))
}

// What is near a payload is read as it was, and written again, and so is an error of a server.
func TestAllNearPayloads(t *testing.T) {
	full := &toolerror.Error{
		Kind: toolerror.RateLimited, Tool: "t", Text: "slow down", Names: []string{"a", "b"}, After: 1500e6, Attempts: 3, MayHaveRun: true, Code: -32000, Remote: true, Exception: "x",
	}
	payload := string(full.Payload())
	others := []string{"null", "0", "-1", "1.5", "1e30", "true", `""`, `"x"`, "[]", `["a",1]`, "{}", `"timeout"`, `"unknown_tool"`}
	read := func(s string) string {
		e, ok := toolerror.ParsePayload(protocol.Raw(s))
		return fmt.Sprint(ok, shown(e))
	}
	texts.Same(t, "119 of 119, 77fb0a41", texts.Values(others, payload), read)
	texts.Same(t, "56503 of 56503, cb6bc2db", texts.Near(payload), read)
	remote := func(data string) string {
		out := ""
		for _, code := range []int64{-32000, -32001, -32002, -32600, -32601, -32602, -32603, -32700, 1} {
			out += shown(toolerror.FromRPC("t", jsonrpc.Error{Code: code, Message: "m", Data: jsonrpc.Raw(data)}))
		}
		return out
	}
	texts.Same(t, "177 of 177, ea22213b", texts.Values(others, payload, `{"reason":"r","retryAfterMs":5}`, `""`), remote)
}

// Each kind says the same by all its methods.
func TestAllKinds(t *testing.T) {
	texts.Same(t, "1 of 1, 0d20c258", texts.Every(0), func(string) string {
		out := ""
		for k := range toolerror.Kind(255) {
			e := &toolerror.Error{Kind: k, Tool: "t", After: 2e9, Attempts: 2}
			out += shown(e) + fmt.Sprint(k, k.Code(), ";")
		}
		return out
	})
}
