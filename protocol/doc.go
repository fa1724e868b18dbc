// Package protocol is the vocabulary of the Model Context Protocol: its
// revisions and their method tables, its capabilities and error codes, and every
// type of the schema of 2025-11-25, but for tasks, with its codec. It holds no state
// and does no I/O; packages server and client are built on it, and so can other
// programs be that only need to read and write messages.
//
// A type of the schema is a plain struct with the name it has there. The json
// tags give the names on the wire; omitzero marks what is optional. Params and
// results are separate types (CallToolParams, CallToolResult), because the
// envelope is the business of package jsonrpc. Where the zero value of a member
// means something, the member is a pointer: Cursor, sizes, priorities and hints.
// Unions are one struct with a Type, not an interface: Content, ResourceContents,
// Reference, PrimitiveSchema. Members that belong to the application, as
// arguments, structured content, schemas and _meta, are JSON text (Raw, Meta) and
// pass through byte for byte.
//
// # Loop
//
// Bodies of messages are Raw. Decode gives the typed value, AppendJSON the text:
//
//	p, err := protocol.Decode[protocol.CallToolParams](body)
//	if err != nil {
//		return protocol.InvalidParams(err.Error())
//	}
//	result := protocol.TextResult("hello, " + p.Name)
//	buf = result.AppendJSON(buf)
//
// A reader that cares for allocations calls DecodeJSON on a variable of its own,
// with the Span of the message, which saves reading the largest member again.
// Neither this, nor appending a result of text to a buffer with room, allocates.
// The types also work with encoding/json, in which they write the same text, but
// for the escapes that encoding/json adds for HTML.
//
// # Contract
//
// Decoding is strict where the schema is: required members, JSON types, integral
// numbers, enumerations, ranges, the type "object" of schemas. It is open where
// the schema is: unknown members are ignored, and so are unknown keywords. Names
// of members are exact; of members that repeat, the last counts. JSON null in
// place of an optional member is the same as no member; in place of a required
// one it is a fault, unless any JSON value is allowed there. Content of an unknown
// type is kept, except in sampling, where it could not be given to a model.
//
// Encoding never writes null for an absent member, and WithoutNulls takes it out of
// text that others wrote. A required slice that is nil is [], an optional one is
// absent if nil and [] if empty. A false bool and an empty string are absent where
// they are optional. Maps are written in the order of their keys. The text is valid
// JSON whenever every Raw in the value is.
//
// Validate reports whether a value may be sent, and reads every Raw in it. It
// holds values to what decoding does and to more, since a sender has to follow
// rules that a receiver does not enforce: base64 and MIME types of images and
// sounds, uris of resources and roots, UTF-8 in text of resources, pairs of enum
// and enumNames, members of a PrimitiveSchema that its type does not have.
//
// Errors of decoding and validation are *DecodeError: a type, a path of schema
// names, a Reason. They hold nothing that was received, so they may go back to the
// peer.
//
// A decoded value shares the memory of the text it came from. All types may be
// copied; none is changed by its methods but by DecodeJSON and UnmarshalJSON,
// which overwrite it whole. Values may be read from several goroutines at once.
//
// # Not promised
//
// The order of the members in encoded text, apart from maps and form fields. The
// text of errors. The numbers behind Methods, Capability and Reason. What is in a
// value after its decoding failed. That literals without field names go on
// compiling: revisions to come add members.
package protocol

//go:generate go run ./internal/codecgen
