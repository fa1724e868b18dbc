package attempt_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// What is made of each error that a call may end with is what was made of it.
func TestAllErrors(t *testing.T) {
	all := texts.AllErrors()
	outcome := func(o attempt.Outcome) string {
		out := fmt.Sprint(o.Delivery, o.Result)
		if e := o.Err; e != nil {
			out += fmt.Sprint(e.Kind, e.Tool, e.Text, e.After, e.MayHaveRun, e.Code, e.Remote, e.Error(), lifecycle.DeliveryOf(e), "|", e.Cause)
			out += string(e.AppendPayload(nil, toolerror.Options{Text: true}))
		}
		return out
	}
	texts.Same(t, "3592 of 3592, e5f467b5", all.Names(), func(name string) string { return outcome(attempt.FromError("t", all.Of(name))) })
	texts.Same(t, "3592 of 3592, ccc9d5f6", all.Names(), func(name string) string {
		ev := lifecycle.Event{Kind: lifecycle.RequestFailed}
		if rpc := jsonrpc.ErrorOf(all.Of(name)); rpc != nil {
			ev.Kind, ev.Err = lifecycle.ResponseReceived, rpc
		} else {
			ev.Cause = &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: all.Of(name)}
		}
		return outcome(attempt.FromEvent("t", ev))
	})
}
