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
	switch e := err.(type) { //nolint:errorlint // what wraps such a pointer is an error with a text
	case *jsonrpc.Error:
		if e == nil {
			return nil
		}
	case *lifecycle.Cause:
		if e == nil {
			return nil
		}
	case *lifecycle.OpError:
		if e == nil {
			return nil
		}
	case *lifecycle.ConfigError:
		if e == nil {
			return nil
		}
	case *toolerror.Error:
		if e == nil {
			return nil
		}
	case *protocol.FieldError:
		if e == nil {
			return nil
		}
	case *protocol.DecodeError:
		if e == nil {
			return nil
		}
	}
	return err
}
