package manager

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// CallTool calls a tool. arguments is a JSON object, which is sent byte for byte, or "" or null for
// none; anything else is refused before the server is looked up. The result is unchanged, even if
// the tool failed. Errors: lifecycle.ErrParams; those of Request.
func (m Manager) CallTool(now time.Time, name, tool string, arguments protocol.Raw, opt RequestOptions) (Manager, Effects, error) {
	args, err := shape(arguments, protocol.ToolList.Use)
	if err != nil {
		return m, Effects{}, err
	}
	return m.Request(now, name, protocol.CallToolParams{Name: tool, Arguments: args}, opt)
}

// GetPrompt gets a prompt. arguments is a JSON object of strings, or "" or null for
// none, as for CallTool. Errors: lifecycle.ErrParams; those of Request.
func (m Manager) GetPrompt(now time.Time, name, prompt string, arguments protocol.Raw, opt RequestOptions) (Manager, Effects, error) {
	args, err := shape(arguments, protocol.PromptList.Use)
	if err != nil {
		return m, Effects{}, err
	}
	list, _ := rawjson.Members(string(args))
	for key, val := range list.All {
		if kind := rawjson.Type(val); kind != "string" {
			return m, Effects{}, badParams(protocol.PromptList.Use, fmt.Errorf("argument %.64q is of type %s, not string", key, kind))
		}
	}
	body := append(rawjson.AppendQuote([]byte(`{"name":`), prompt), '}')
	p := protocol.RawRequest{Name: protocol.PromptList.Use, Body: jsonrpc.Raw(rawjson.Set(string(body), "arguments", string(args)))}
	return m.Request(now, name, p, opt)
}

// Complete asks for completions of an argument. A reference without a name or uri is
// refused before the server is looked up. Errors: lifecycle.ErrParams; those of Request.
func (m Manager) Complete(now time.Time, name string, p protocol.CompleteParams, opt RequestOptions) (Manager, Effects, error) {
	err := p.Ref.Validate()
	if err == nil && p.Ref.Name == "" && p.Ref.URI == "" {
		err = fmt.Errorf("the reference has no name or uri")
	}
	if err != nil {
		return m, Effects{}, badParams(protocol.MethodName(p), err)
	}
	return m.Request(now, name, p, opt)
}

// shape returns arguments that are an object, or none.
func shape(raw protocol.Raw, method string) (protocol.Raw, error) {
	switch kind := rawjson.Type(string(raw)); {
	case raw == "" || raw == "null":
		return "", nil
	case kind != "object":
		return "", badParams(method, fmt.Errorf("arguments are of type %s, not object", kind))
	case !rawjson.Valid(string(raw)):
		return "", badParams(method, fmt.Errorf("arguments are not JSON"))
	}
	return raw, nil
}

// badParams refuses arguments, whatever server they are for.
func badParams(method string, err error) error {
	return &Error{Class: ClassConfig, Method: method, Field: "arguments", Err: fmt.Errorf("%w: %w", lifecycle.ErrParams, err)}
}
