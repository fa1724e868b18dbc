package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Error codes that MCP adds to those of JSON-RPC (package jsonrpc has these).
const (
	// CodeResourceNotFound answers a read of a resource that does not exist (resources, Error
	// Handling), and nothing else (ERR-008).
	CodeResourceNotFound int64 = -32002
	// CodeURLElicitationRequired answers a request that has to wait until the user has been
	// to some pages (elicitation, URL Mode With Elicitation Required Error; since 2025-11-25).
	CodeURLElicitationRequired int64 = -32042
	// CodeUserRejected answers a sampling request that the user declined (sampling, Error
	// Handling; an example there; SAMP-019).
	CodeUserRejected int64 = -1
)

// The errors that the dispatchers answer with. Their messages are fixed texts:
// nothing of the peer's data goes into them (ERR-014).

// InvalidRequest is -32600: the message is not a valid request in this context (ERR-003).
func InvalidRequest(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}
}

// MethodNotFound is -32601: the method is unknown, or not one that this party answers (ERR-004).
func MethodNotFound() jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
}

// CapabilityNotDeclared is -32601 for a known method whose capability was not declared.
func CapabilityNotDeclared() jsonrpc.Error {
	return jsonrpc.Error{
		Code: jsonrpc.CodeMethodNotFound, Message: "method not found",
		Data: `{"reason":"capability not declared"}`,
	}
}

// InvalidParams is -32602: the params have the wrong shape or value. why is a fixed text.
func InvalidParams(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why}
}

// InternalError is -32603: a failure inside the receiver. why is a fixed text (ERR-006).
func InternalError(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: why}
}

// ResourceNotFound is -32002 with the uri in its data (resources, Error Handling; ERR-007,
// RES-040).
func ResourceNotFound(uri string) jsonrpc.Error {
	data := append(rawjson.AppendQuote([]byte(`{"uri":`), uri), '}')
	return jsonrpc.Error{Code: CodeResourceNotFound, Message: "resource not found", Data: Raw(data)}
}

// UnsupportedRevision is the -32602 of the lifecycle page's error example: data
// lists the supported revisions and the requested one (VERS-011).
func UnsupportedRevision(supported []Revision, requested string) jsonrpc.Error {
	data := []byte(`{"supported":[`)
	for i, r := range supported {
		if i > 0 {
			data = append(data, ',')
		}
		data = rawjson.AppendQuote(data, r.String())
	}
	data = rawjson.AppendQuote(append(data, `],"requested":`...), requested)
	return jsonrpc.Error{
		Code: jsonrpc.CodeInvalidParams, Message: "unsupported protocol version",
		Data: Raw(append(data, '}')),
	}
}

// URLElicitationRequired is -32042: the request can be made again when the user has been to
// the pages of the list, whose mode is ElicitURL.
func URLElicitationRequired(list ...ElicitParams) jsonrpc.Error {
	data := []byte(`{"elicitations":[`)
	for i, p := range list {
		if i > 0 {
			data = append(data, ',')
		}
		data = p.AppendJSON(data)
	}
	return jsonrpc.Error{
		Code: CodeURLElicitationRequired, Message: "an elicitation by url is required",
		Data: Raw(append(data, "]}"...)),
	}
}

// URLElicitations returns the elicitations of a URLElicitationRequired. The error is a
// *DecodeError for data that is not what the code demands, which is an array elicitations
// of params whose mode is ElicitURL.
func URLElicitations(e jsonrpc.Error) ([]ElicitParams, error) {
	const typ = "URLElicitationRequired"
	list, _ := rawjson.Get(string(e.Data), "elicitations")
	var out []ElicitParams
	if err := setList(&out, typ, "elicitations", list, true, mode{}); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Mode != ElicitURL { // ELIC-118
			return nil, fault(typ, item("elicitations", i)+".mode", ReasonValue)
		}
	}
	return out, nil
}
