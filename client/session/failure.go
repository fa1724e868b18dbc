package session

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// requestError says which request failed. It is what Err is for errors.Is and errors.As, and for
// lifecycle.DeliveryOf.
type requestError struct {
	Method string // the method, or the list that was read
	Name   string // the name of the tool or prompt, or the uri, "" for none
	Err    error  // why it failed
}

// Error returns the error text. A long name is cut to 64 bytes.
func (e *requestError) Error() string {
	s := "session: " + e.Method
	if e.Name != "" {
		s += " " + strconv.Quote(rawjson.Clip(e.Name, 64))
	}
	return s + ": " + strings.TrimPrefix(e.Err.Error(), "session: ")
}

// Unwrap returns Err.
func (e *requestError) Unwrap() error { return e.Err }

// failed returns err as a *requestError; nil for nil. An OpError already names its method.
func failed(method, name string, err error) error {
	if of := (*lifecycle.OpError)(nil); err == nil || errors.As(err, &of) && name == "" {
		return err
	}
	return &requestError{Method: method, Name: name, Err: err}
}

// nameOf returns the name or uri of the item that a request concerns; "" if none.
func nameOf(p protocol.Params) string {
	if row := protocol.Revisions()[0].Row(protocol.MethodName(p)); row != nil && row.Names != nil {
		return row.SubjectOf(p)
	}
	return ""
}
