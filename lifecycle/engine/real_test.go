package engine_test

import (
	"io"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// A pointer that was never set is no error; what was set, and what is of another type, stays.
func TestReal(t *testing.T) {
	for _, err := range []error{
		nil, (*jsonrpc.Error)(nil), (*lifecycle.Cause)(nil), (*lifecycle.OpError)(nil), (*lifecycle.ConfigError)(nil),
		(*toolerror.Error)(nil), (*protocol.FieldError)(nil), (*protocol.DecodeError)(nil),
	} {
		if engine.Real(err) != nil {
			t.Errorf("%T: nil is an error", err)
		}
	}
	for _, err := range []error{
		io.EOF, new(jsonrpc.Error), new(lifecycle.Cause), new(lifecycle.OpError), new(lifecycle.ConfigError),
		new(toolerror.Error), new(protocol.FieldError), new(protocol.DecodeError),
	} {
		if engine.Real(err) != err { //nolint:errorlint // the very error
			t.Errorf("%T: an error is lost", err)
		}
	}
}
