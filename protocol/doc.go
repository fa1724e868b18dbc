// Package protocol has the revisions of the Model Context Protocol and their method tables, its
// capabilities and error codes, and every type of the schema of 2025-11-25, except tasks, with its
// codec. It has no state and does no I/O. Packages server and client build on it, and so can
// programs that only read and write messages.
//
// A type of the schema is a plain struct with the same name. The json tags are the names on the
// wire; omitzero marks optional members. Params and results are separate types (CallToolParams,
// CallToolResult), without the envelope, which belongs to package jsonrpc. A member whose zero
// value is meaningful is a pointer: Cursor, sizes, priorities and hints. Unions are one struct with
// a Type, not an interface: Content, ResourceContents, Reference, PrimitiveSchema. Members of the
// application, such as arguments, structured content, schemas and _meta, are JSON text (Raw, Meta)
// and pass byte for byte.
//
// # Loop
//
// Bodies of messages are Raw. Decode returns the typed value, AppendJSON the text:
//
//	p, err := protocol.Decode[protocol.CallToolParams](body)
//	if err != nil {
//		return protocol.InvalidParams(err.Error())
//	}
//	result := protocol.TextResult("hello, " + p.Name)
//	buf = result.AppendJSON(buf)
//
// To avoid allocations call DecodeJSON on a variable, with the Span of the message, which skips the
// largest member. Neither this, nor appending a text result to a large enough buffer, allocates.
// The types also work with encoding/json, which writes the same text with additional HTML escapes.
//
// # Contract
//
// Decoding is strict where the schema is: required members, JSON types, integral numbers,
// enumerations, ranges, the type "object" of schemas. It is open where the schema is: unknown
// members are ignored, and so are unknown keywords. Names of members are exact; the last of
// repeated members counts. JSON null means an absent optional member; for a required one it is a
// fault, unless any JSON value is allowed. Content of an unknown type is kept, except in sampling,
// where a model could not use it.
//
// Encoding never writes null for an absent member, and WithoutNulls removes it from other text. A
// required nil slice is [], an optional one is absent if nil and [] if empty. An optional false
// bool or empty string is absent. Maps are written in the order of their keys. The text is valid
// JSON whenever every Raw in the value is.
//
// Validate reports whether a value may be sent, and reads every Raw in it. It checks everything
// that decoding does and more, because a sender must follow rules that a receiver does not enforce:
// base64 and MIME types of images and sounds, uris of resources and roots, UTF-8 in text of
// resources, pairs of enum and enumNames, members of a PrimitiveSchema that its type does not have.
//
// Errors of decoding and validation are *DecodeError: a type, a path of schema names, a Reason.
// They contain nothing that was received, so they may be sent to the peer.
//
// A decoded value shares the memory of the text it came from. All types may be copied. Only
// DecodeJSON and UnmarshalJSON change a value, by overwriting it. Values may be read from several
// goroutines at once.
//
// # Not promised
//
// The order of the members in encoded text, apart from maps and form fields. The text of errors.
// The values of Methods, Capability and Reason. The content of a value after a failed decoding.
// That literals without field names keep compiling: later revisions add members.
package protocol

//go:generate go run ./internal/codecgen
