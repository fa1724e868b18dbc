package relay_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Each cause of a request that is not answered is told with its kind, in a sentence of its own that
// says whether the request may have run, and with the name of the server.
func TestLostForEachCause(t *testing.T) {
	w := newWorld(t, []string{"one"})
	for _, c := range []struct {
		cause *lifecycle.Cause
		kind  toolerror.Kind
		says  string
	}{
		{nil, toolerror.ConnectionLost, "lost; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseLost}, toolerror.ConnectionLost, "the link to the server was lost; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseTimedOut}, toolerror.Timeout, "did not answer in time; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseNotSent}, toolerror.Unavailable, "too many messages to read; try again later"},
		{&lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Reason: "no result"}, toolerror.InvalidOutput, "the response of the server was malformed"},
		{&lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Reason: jsonrpc.FaultSize.String()}, toolerror.InvalidOutput, "the response of the server is too large: more than "},
		{&lifecycle.Cause{Kind: lifecycle.CauseRejected}, toolerror.Unavailable, "rejected the request; it did not run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseResponseLost}, toolerror.ConnectionLost, "the response of the server was lost; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseUnanswered}, toolerror.Cancelled, "the client refused what the server asked; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CausePeerSilent}, toolerror.ConnectionLost, "the link to the server was lost; the request may have run"},
		{&lifecycle.Cause{Kind: lifecycle.CauseRefused}, toolerror.Unavailable, "lost before the request ran; try again"},
	} {
		e := relay.Lost(w.r, "one", c.cause)
		p, ok := toolerror.ParsePayload(e.Data)
		if !ok || p.Kind != c.kind || rawjson.Text(string(e.Data), "server") != "one" || !strings.Contains(e.Message, c.says) || e.Code != jsonrpc.CodeInternalError {
			t.Errorf("%v: %d %q %s, want kind %v and %q", c.cause, e.Code, e.Message, e.Data, c.kind, c.says)
		}
	}
}
