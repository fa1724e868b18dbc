package toolerror

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// ToolResult returns the result for e, as Result does with no options. Package server answers with
// it if a tool returns e, or an error that wraps it.
func (e *Error) ToolResult() *protocol.CallToolResult { return e.Result(Options{}) }

// Result returns a result with isError and one text, which is the payload.
func (e *Error) Result(o Options) *protocol.CallToolResult {
	return protocol.ErrorResult(string(e.AppendPayload(nil, o)))
}

// FromResult returns the error in a result of a tool, nil if the tool succeeded. If its one text is
// a payload, the error is that of the payload, and otherwise a RemoteTool with the text of all its
// blocks. It is Remote, with the given Tool.
func FromResult(tool string, r *protocol.CallToolResult) *Error {
	if r == nil || !r.IsError {
		return nil
	}
	if len(r.Content) == 1 && r.Content[0].Type == protocol.ContentText {
		if e, ok := ParsePayload(protocol.Raw(r.Content[0].Text)); ok {
			e.Tool, e.Remote = tool, true
			return e
		}
	}
	var b strings.Builder
	for i := range r.Content {
		if b.Len() > maxText {
			break
		}
		if r.Content[i].Type == protocol.ContentText {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(r.Content[i].Text[:min(len(r.Content[i].Text), 2*maxText)])
		}
	}
	e := &Error{Kind: RemoteTool, Tool: tool, Text: clip(b.String(), maxText), Remote: true}
	return e.clone()
}

// JSONRPC returns e as an error of JSON-RPC: -32602 for an unknown tool or invalid arguments, and
// -32603 for all others, with the sentence of e as the message and the payload as the data. With
// Options.Text a RemoteRPC is the error that its server has sent.
func (e *Error) JSONRPC(o Options) jsonrpc.Error {
	v := e.value()
	if o.Text && v.Kind == RemoteRPC {
		return jsonrpc.Error{Code: v.Code, Message: v.text(o), Data: v.data()}
	}
	r := jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: v.message(o), Data: protocol.Raw(e.AppendPayload(nil, o))}
	switch v.Kind {
	case UnknownTool, NullArguments, InvalidArguments:
		r.Code = jsonrpc.CodeInvalidParams
	}
	return r
}

// FromRPC returns the error of a tool call that was answered with a JSON-RPC error: that of the
// payload in its data, otherwise a RemoteRPC with its code, message and data. It is Remote, with
// the given Tool.
func FromRPC(tool string, r jsonrpc.Error) *Error {
	if e, ok := ParsePayload(r.Data); ok {
		e.Tool, e.Remote = tool, true
		return e
	}
	e := &Error{Kind: RemoteRPC, Tool: tool, Code: r.Code, Text: clip(r.Message, maxText), Data: r.Data, Remote: true}
	e.Data = e.data()
	return e.clone()
}

// From returns the *Error that err is or wraps, with the name of the tool if it has none. Faults of
// arguments become NullArguments or InvalidArguments, an error whose method Timeout returns true
// becomes a Timeout, a JSON-RPC error a RemoteRPC and all others Execution, with err as the Cause.
// It returns nil for nil.
func From(tool string, err error) *Error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		if own != nil && own.Tool != "" {
			return own
		}
		e := own.value()
		e.Tool = tool
		return &e
	}
	e := &Error{Kind: Execution, Tool: tool, Cause: err}
	var (
		arguments schema.ArgumentErrors
		one       *schema.ArgumentError
		late      interface{ Timeout() bool }
	)
	rpc := jsonrpc.ErrorOf(err)
	switch {
	case errors.As(err, &arguments):
		e.setParameters(arguments)
	case errors.As(err, &one) && one != nil:
		e.setParameters(schema.ArgumentErrors{one})
	case rpc != nil:
		e = FromRPC(tool, *rpc)
		e.Cause = err
	case errors.As(err, &late) && late.Timeout():
		e.Kind = Timeout
	default:
		e.Exception = exception(err)
	}
	return e
}

// exception returns the type of the innermost error.
func exception(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return clip(fmt.Sprintf("%T", err), maxName)
		}
		err = inner
	}
}

func (e *Error) setParameters(list schema.ArgumentErrors) {
	e.Kind, e.Parameters = InvalidArguments, list
	if len(list) == 1 && list[0] != nil && list[0].Path == "" && list[0].Kind == schema.ArgumentNull {
		e.Kind = NullArguments
	}
}
