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
	// CodeHeaderMismatch answers an HTTP request whose headers are missing or do not say what its
	// body says (transports, Streamable HTTP; since 2026-07-28).
	CodeHeaderMismatch int64 = -32020
	// CodeMissingCapability answers a request that cannot be processed without a capability that
	// the client has not declared for it (since 2026-07-28).
	CodeMissingCapability int64 = -32021
	// CodeUnsupportedVersion answers a request that names a revision which the server does not
	// serve without a handshake (since 2026-07-28).
	CodeUnsupportedVersion int64 = -32022
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
// RES-040, RES-201, RES-202).
func ResourceNotFound(uri string) jsonrpc.Error {
	data := append(rawjson.AppendQuote([]byte(`{"uri":`), uri), '}')
	return jsonrpc.Error{Code: CodeResourceNotFound, Message: "resource not found", Data: Raw(data)}
}

// UnsupportedRevision is the -32602 of the lifecycle page's error example: data
// lists the supported revisions and the requested one (VERS-011).
func UnsupportedRevision(supported []Revision, requested string) jsonrpc.Error {
	return unsupported(jsonrpc.CodeInvalidParams, supported, requested)
}

// UnsupportedVersion is -32022: the request names a revision that the server does not serve. data
// lists those that it serves and the requested one (ERR-201, ERR-202, VERS-202).
func UnsupportedVersion(supported []Revision, requested string) jsonrpc.Error {
	return unsupported(CodeUnsupportedVersion, supported, requested)
}

// UnknownState is the -32602 to a request that is made again with a requestState of which nothing is open here.
func UnknownState() jsonrpc.Error {
	return InvalidParams("unknown requestState: the call has ended, or is open at another process; make it again without requestState")
}

// HandshakeNotServed is the -32601 to initialize of a server without sessions: data lists the
// revisions that a request may name in its _meta (ERA-006).
func HandshakeNotServed(supported []Revision, requested string) jsonrpc.Error {
	e := unsupported(jsonrpc.CodeMethodNotFound, supported, requested)
	e.Message = "method not found"
	return e
}

// MissingCapability is -32021: the request cannot be processed without the capabilities, which the
// client has not declared for it (ERR-203, MRTR-007).
func MissingCapability(lacks Capability) jsonrpc.Error {
	v := DeclareClient(lacks | lacks.Wholes())
	data := v.AppendJSON([]byte(`{"requiredCapabilities":`))
	return jsonrpc.Error{Code: CodeMissingCapability, Message: "missing required client capability", Data: Raw(append(data, '}'))}
}

// HeaderMismatch is -32020: a header is missing or does not say what the body says. why is a fixed
// text (HTTP-203).
func HeaderMismatch(why string) jsonrpc.Error {
	return jsonrpc.Error{Code: CodeHeaderMismatch, Message: why}
}

func unsupported(code int64, supported []Revision, requested string) jsonrpc.Error {
	data := []byte(`{"supported":[`)
	for i, r := range supported {
		if i > 0 {
			data = append(data, ',')
		}
		data = rawjson.AppendQuote(data, r.String())
	}
	data = rawjson.AppendQuote(append(data, `],"requested":`...), requested)
	return jsonrpc.Error{
		Code: code, Message: "unsupported protocol version", Data: Raw(append(data, '}')),
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
