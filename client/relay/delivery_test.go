package relay_test

import (
	"testing"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// tells checks what an error in the place of a server says: its code, the name of the server, and to
// this module's own client the kind, how far the call came, and whether it may be made again without
// a hint.
func tells(t *testing.T, e jsonrpc.Error, server string, kind toolerror.Kind) *toolerror.Error {
	t.Helper()
	name, _ := rawjson.Get(string(e.Data), "server")
	name, _ = rawjson.Unquote(name)
	o := attempt.FromError("t", e)
	want := lifecycle.MayHaveRun
	if kind == toolerror.Unavailable {
		want = lifecycle.Rejected
	}
	again, repeatable := attempt.Retryable(o.Err, attempt.Hints{})
	if e.Code != jsonrpc.CodeInternalError || name != server || o.Err.Kind != kind || o.Delivery != want || lifecycle.DeliveryOf(o.Err) != want {
		t.Errorf("%+v: of %q, %v, %v; want %q, %v, %v", e, name, o.Err.Kind, o.Delivery, server, kind, want)
	}
	if again != (kind != toolerror.InvalidOutput) || repeatable != (kind == toolerror.Unavailable) {
		t.Errorf("%+v: again %v, repeatable %v", e, again, repeatable)
	}
	return o.Err
}
