// Package toolerror has the errors of tool calls, as values for programs, models and the wire.
//
// # Loop
//
// A tool returns an *Error like any other error; package server answers with its ToolResult:
//
//	return nil, &toolerror.Error{Kind: toolerror.RateLimited, Tool: p.Name, After: 2 * time.Second}
//
// A caller of tools converts a failure into one, and decides by its kind:
//
//	if err := toolerror.FromResult(name, result); errors.Is(err, toolerror.RateLimited) {
//		…
//	}
//
// # Contract
//
// Each Kind has a code that never changes. A Kind is an error itself, so that errors.Is finds it in
// an *Error. Payload writes an *Error as JSON for a model, with its members in one order, and
// ParsePayload reads that. Result and FromResult do the same with results of tools, JSONRPC and
// FromRPC with errors of JSON-RPC. They accept any input.
//
// By default nothing leaks: the output has fixed sentences, the name of the tool, faults of
// arguments, and the text of a Handler, chosen by its author. The Cause is only for the program and
// never written. The text of a peer, of a crash or of a lost connection is written only with
// Options.Text, and so are a peer's texts about arguments and names.
//
// Everything is bounded: texts are cut after 4096 bytes, the name of the tool after 128, available names after 64,
// with at most 20 names and 16 faults of arguments. Data of a peer's message are copied.
//
// # Not promised
//
// The texts of the sentences. Members may be added at the end of a payload.
package toolerror
