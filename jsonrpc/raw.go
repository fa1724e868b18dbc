package jsonrpc

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Raw is JSON text that was validated: one value without white space around
// it. The empty Raw stands for an absent value. A Raw converted from a string
// that is not JSON makes the messages that carry it invalid, but harms nothing
// else.
type Raw string

// ErrRaw is the error of ParseRaw. Its text has no part of the input.
var ErrRaw = errors.New("jsonrpc: not one JSON value")

// ParseRaw copies b and validates it as one JSON value of at most
// rawjson.DefaultDepth levels, in UTF-8. White space around it is left out.
// The error is ErrRaw, wrapped with the reason.
func ParseRaw(b []byte) (Raw, error) {
	s := string(b)
	if f := rawjson.Check(s, rawjson.DefaultDepth); f != rawjson.OK {
		return "", rawError{f}
	}
	return Raw(strings.Trim(s, " \t\r\n")), nil
}

type rawError struct{ fault rawjson.Fault }

func (e rawError) Error() string { return ErrRaw.Error() + ": " + e.fault.String() }
func (e rawError) Unwrap() error { return ErrRaw }

// AppendJSON appends the text.
func (r Raw) AppendJSON(dst []byte) []byte { return append(dst, r...) }

// MarshalJSON returns the text, and null for the empty Raw, so that encoding/json writes the value
// and not a string. It never fails.
func (r Raw) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return []byte(r), nil
}

// UnmarshalJSON copies the text, null too. The error is that of ParseRaw.
func (r *Raw) UnmarshalJSON(data []byte) error {
	got, err := ParseRaw(data)
	if err == nil {
		*r = got
	}
	return err
}
