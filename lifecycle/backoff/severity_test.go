package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// TestSeverity is row E27, for every cause and every kind of error there is.
func TestSeverity(t *testing.T) {
	var b strings.Builder
	line := func(what string, err error) {
		fmt.Fprintf(&b, "%-40s %v\n", what, backoff.SeverityOf(err))
	}
	line("nil", nil)
	for k := lifecycle.CauseKind(0); k.String() != "cause(?)"; k++ {
		line("cause: "+k.String(), fmt.Errorf("wrapped: %w", &lifecycle.Cause{Kind: k}))
	}
	for k := toolerror.UnknownTool; k <= toolerror.InvalidOutput; k++ {
		line("tool: "+k.Code(), &toolerror.Error{Kind: k})
		if got, want := backoff.SeverityOf(k), backoff.SeverityOf(&toolerror.Error{Kind: k}); got != want {
			t.Errorf("the kind %v alone is %v, and in an error %v", k, got, want)
		}
	}
	line("tool: zero, which is an execution_error", &toolerror.Error{})
	line("JSON-RPC", &jsonrpc.Error{Code: -32603})
	line("a timeout of the program", context.DeadlineExceeded)
	line("any other error", errors.New("x"))
	golden(t, "severity.txt", b.String())
}
