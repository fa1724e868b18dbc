package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Real returns err, or nil if err holds a nil pointer of an error type of this library: a
// variable of such a type that was never set.
func Real(err error) error {
	switch err {
	case (*jsonrpc.Error)(nil), (*lifecycle.Cause)(nil), (*lifecycle.OpError)(nil), (*lifecycle.ConfigError)(nil), //nolint:errorlint // what wraps such a pointer is an error with a text
		(*toolerror.Error)(nil), (*protocol.FieldError)(nil), (*protocol.DecodeError)(nil):
		return nil
	}
	return err
}
