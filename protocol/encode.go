package protocol

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

var (
	errNil     = errors.New("nil")
	errNotJSON = errors.New("not a JSON object")

	errCodeZero = errors.New("error code 0")
	errData     = errors.New("error data is not JSON")
)

type validator interface{ Validate() error }

// EncodeParams returns the JSON of params, "" where there are none. Raw params are
// checked to be an object, typed ones to be valid.
func EncodeParams(p Params) (Raw, error) {
	switch p := p.(type) {
	case nil:
		return "", errNil
	case RawRequest:
		if p.Body == "" {
			return "", nil
		}
		return p.Body, verifyRaw(p.Body)
	case CallToolParams:
		return encodeCall(&p)
	case *CallToolParams:
		if p == nil {
			return "", errNil
		}
		return encodeCall(p)
	}
	raw, err := encode(p)
	if raw == "{}" {
		raw = ""
	}
	return raw, err
}

// EncodeResult returns the JSON of a result. A Raw one is checked to be an object,
// a typed one to be valid.
func EncodeResult(r Result) (Raw, error) {
	switch r := r.(type) {
	case nil:
		return "", errNil
	case Raw:
		return r, verifyRaw(r)
	case EmptyResult:
		if r.Meta == "" {
			return "{}", nil
		}
	case CallToolResult:
		return encodeToolResult(&r)
	case *CallToolResult:
		if r == nil {
			return "", errNil
		}
		return encodeToolResult(r)
	}
	return encode(r)
}

// Fits reports whether the type of r alone shows that r is a result of the method,
// so that its JSON needs no second check.
func Fits(m Method, r Result) bool {
	switch r.(type) {
	case CallToolResult, *CallToolResult:
		return m == MethodToolsCall
	case ReadResourceResult, *ReadResourceResult:
		return m == MethodResourcesRead
	case GetPromptResult, *GetPromptResult:
		return m == MethodPromptsGet
	case CompleteResult, *CompleteResult:
		return m == MethodCompletionComplete
	}
	return false
}

// CheckError returns an error for an Error that must not be sent: code 0 means
// nothing, data has to be JSON, and CodeURLElicitationRequired has the data of
// URLElicitationRequired.
func CheckError(e jsonrpc.Error) error {
	switch {
	case e.Code == 0:
		return errCodeZero
	case e.Data != "" && !rawjson.Valid(string(e.Data)):
		return errData
	case e.Code == CodeURLElicitationRequired:
		list, err := URLElicitations(e)
		for i := 0; err == nil && i < len(list); i++ {
			err = list[i].Validate()
		}
		return err
	}
	return nil
}

func verifyRaw(raw Raw) error {
	if i := rawjson.Space(string(raw), 0); i == len(raw) || raw[i] != '{' || !rawjson.Valid(string(raw)) {
		return errNotJSON
	}
	return nil
}

func encode(r Result) (_ Raw, err error) {
	defer func() {
		if recover() != nil { // a nil pointer in an interface, or a type with faults of its own
			err = errNil
		}
	}()
	if v, ok := r.(validator); ok {
		if err := v.Validate(); err != nil {
			return "", err
		}
		return Raw(r.AppendJSON(make([]byte, 0, 256))), nil
	}
	raw := Raw(r.AppendJSON(make([]byte, 0, 256)))
	return raw, verifyRaw(raw)
}

// The two messages that make up most of the traffic are encoded on the stack.

func encodeCall(p *CallToolParams) (Raw, error) {
	if err := p.Validate(); err != nil {
		return "", err
	}
	var buf [512]byte
	return Raw(p.AppendJSON(buf[:0])), nil
}

func encodeToolResult(r *CallToolResult) (Raw, error) {
	if err := r.Validate(); err != nil {
		return "", err
	}
	var buf [512]byte
	return Raw(r.AppendJSON(buf[:0])), nil
}

// MethodName returns the method that p is the params of, "" for a nil pointer.
func MethodName(p Params) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	return p.Method()
}
