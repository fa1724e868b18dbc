package manager

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// What a request is told of each error that ends it or its session is what it was told.
func TestAllErrors(t *testing.T) {
	all := texts.AllErrors()
	told := func(e *Error) string {
		if e == nil {
			return ""
		}
		k := detached(e)
		return fmt.Sprint(e.Error(), e.Class, e.Server, e.Method, e.Code, e.Data, e.URI, lifecycle.DeliveryOf(e), "|", k.Error(), k.Class, k.Code, k.Data, k.URI, k.Err, lifecycle.DeliveryOf(k))
	}
	texts.Same(t, "3592 of 3592, 5c6d5de1", all.Names(), func(name string) string {
		err := all.Of(name)
		cause, ok := err.(*lifecycle.Cause)
		if !ok {
			cause = &client.Cause{Kind: lifecycle.CauseLost, Err: err}
		}
		out := told(causeError("s", cause)) + told(requestError("s", "tools/call", "", client.Event{Kind: lifecycle.RequestFailed, Cause: cause}))
		if rpc := jsonrpc.ErrorOf(err); rpc != nil {
			for _, method := range []string{"resources/read", "tools/call"} {
				out += told(requestError("s", method, "u:1", client.Event{Kind: lifecycle.ResponseReceived, Err: rpc}))
			}
		}
		return out + told(requestError("s", "ping", "", client.Event{Kind: lifecycle.ResponseReceived})) + fmt.Sprint(plain(causeError("s", cause)), plain(nil))
	})
}
