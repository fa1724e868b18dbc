package protocol

import "github.com/sansmcp/mcp/jsonrpc"

// RawRequest is the params of any request or notification, given as JSON text.
type RawRequest struct {
	// Name is the name of the method.
	Name string
	// Body is the params object; "" sends none. A State does not send one that can be
	// read in two ways: with the name, uri, level, ref, arguments or _meta of its method
	// twice, or in another case.
	Body Raw
	// Decoded says that Body is that of a message which jsonrpc.Decode has returned, or was made
	// of one by package rawjson. Where bodies are left alone (lifecycle.Policy.PassThrough) it is
	// not read again to see that it is JSON: what is none goes out as it is.
	Decoded bool
	// Span is where in a Decoded Body the largest value lies, as its message said; the zero
	// Span if that is not known.
	Span jsonrpc.Span
}

// DecodedResult is a result that jsonrpc.Decode has returned, or that was made of one by package
// rawjson: what RawRequest is with Decoded. Everywhere else it is what Raw is.
type DecodedResult Raw

// AppendJSON appends r as it is.
func (r DecodedResult) AppendJSON(dst []byte) []byte { return append(dst, r...) }

// Method returns r.Name.
func (r RawRequest) Method() string { return r.Name }

// AppendJSON appends r.Body as it is.
func (r RawRequest) AppendJSON(dst []byte) []byte { return append(dst, r.Body...) }
