// Package toolerror has the errors of tools: why a call gave no result, as a value that a
// program compares, a model reads and the wire carries.
//
// # Loop
//
// A tool returns an *Error like any other error; package server makes of it what its
// ToolResult says:
//
//	return nil, &toolerror.Error{Kind: toolerror.RateLimited, Tool: p.Name, After: 2 * time.Second}
//
// A caller of tools turns what came back into one, whatever went wrong, and decides by its
// kind:
//
//	if err := toolerror.FromResult(name, result); errors.Is(err, toolerror.RateLimited) {
//		…
//	}
//
// # Contract
//
// Each Kind has a code that never changes. A Kind is an error itself, so that errors.Is finds
// it in an *Error. Payload writes an *Error as JSON for a model, with its members in one
// order, and ParsePayload reads that. Result and FromResult do the same with results of
// tools, JSONRPC and FromRPC with errors of JSON-RPC. All of them are total.
//
// By default nothing leaks. What goes out are fixed sentences, the name of the tool, what is
// wrong with arguments, and the text of a Handler, which its author chose. The Cause is for
// the program alone and is never written. The text of a peer, of a crash or of a lost
// connection is written only with Options.Text, and what a peer said about arguments and
// names too.
//
// Everything is bounded: texts are cut after 4096 bytes, the name of the tool after 128, names that
// are offered after 64, and there are at most 20 of these and 16 faults of arguments. What is kept of a peer's message is a copy.
//
// # Not promised
//
// The wording of the sentences. Members of a payload may be added behind those that there are.
package toolerror
