package jsonrpc

import (
	"errors"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The error codes of JSON-RPC 2.0, section 5.1 (ERR-001).
const (
	CodeParseError     int64 = -32700 // the text is not JSON
	CodeInvalidRequest int64 = -32600 // JSON, but no valid request
	CodeMethodNotFound int64 = -32601 // the method does not exist or is not open
	CodeInvalidParams  int64 = -32602 // the params are invalid for the method
	CodeInternalError  int64 = -32603 // the receiver failed
)

// Error is the error object of a response (JSON-RPC 2.0, section 5.1). Error and *Error are
// errors.
type Error struct {
	Code    int64  // see the codes above
	Message string // one short sentence
	Data    Raw    // anything more, any JSON value; "" if absent
}

// Error returns the code and the message.
func (e Error) Error() string {
	return "jsonrpc error " + strconv.FormatInt(e.Code, 10) + ": " + e.Message
}

// ErrorOf returns the Error that err is or wraps, by value or by pointer; nil if there is none.
func ErrorOf(err error) *Error {
	var pointer *Error
	if errors.As(err, &pointer) && pointer != nil {
		return pointer
	}
	var value Error
	if errors.As(err, &value) {
		return &value
	}
	return nil
}

// AppendJSON appends the error object. It leaves data out if Data is empty.
func (e Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, e.Code, 10)
	dst = append(dst, `,"message":`...)
	dst = rawjson.AppendQuote(dst, e.Message)
	if e.Data != "" {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	return append(dst, '}')
}

// MarshalJSON returns the error object. It never fails.
func (e Error) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// UnmarshalJSON reads and copies an error object. JSON null leaves e as it is. The error is ErrRaw
// if it is not an error object.
func (e *Error) UnmarshalJSON(data []byte) error {
	raw, err := ParseRaw(data)
	if err != nil || raw == "null" {
		return err
	}
	got := parseError(string(raw))
	if got == nil {
		return notAnError{}
	}
	*e = *got
	return nil
}

// notAnError is the error for JSON that is no error object.
type notAnError struct{}

func (notAnError) Error() string {
	return "jsonrpc: want an error object with an integer code and a message"
}
func (notAnError) Unwrap() error { return ErrRaw }

// parseError reads an error object; nil if raw is not one. The last of members
// with the same name counts, others than the three are ignored (JRPC-016, JRPC-017).
func parseError(raw string) *Error {
	var e Error
	var code, message bool
	o, _ := rawjson.Members(raw)
	for key, val := range o.All {
		switch key {
		case "code":
			e.Code, code = rawjson.Int(val)
		case "message":
			// An unpaired surrogate costs its own character only.
			e.Message, _ = rawjson.Unquote(val)
			message = val[0] == '"'
		case "data":
			e.Data = Raw(val)
		}
	}
	if !code || !message || o.Bad() {
		return nil
	}
	return &e
}
