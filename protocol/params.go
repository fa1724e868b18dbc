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
	// sent as it is, without another check that it is JSON.
	Decoded bool
	// Span is where in a Decoded Body the largest value lies, as its message said; the zero
	// Span if that is not known.
	Span jsonrpc.Span

	read bool // Read has found no fault in Body
	meta Meta // then: its _meta
}

// Read returns r with what LooseParams finds in it, for the method of row. A State that leaves bodies alone then
// does not read it again: afterwards change no member of Body but the one that Subject is of. After a fault
// the info is zero, and the State reads it again and reports the fault.
func (r RawRequest) Read(row *Row) (RawRequest, ParamsInfo) {
	info, err := row.LooseParams(r.Body, r.Span)
	r.read, r.meta = err == nil, info.Meta
	return r, info
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

// MarshalJSON returns the text, and null for the empty DecodedResult. It never fails.
func (r DecodedResult) MarshalJSON() ([]byte, error) { return Raw(r).MarshalJSON() }

// UnmarshalJSON copies the text, null too. The error is that of jsonrpc.ParseRaw.
func (r *DecodedResult) UnmarshalJSON(data []byte) error { return (*Raw)(r).UnmarshalJSON(data) }

// MarshalJSON returns r.Body, and null if it is empty: the params without their method. It
// never fails.
func (r RawRequest) MarshalJSON() ([]byte, error) { return r.Body.MarshalJSON() }

// UnmarshalJSON copies the params into r.Body; JSON null becomes "". It keeps Name and clears
// the other fields. The error is that of jsonrpc.ParseRaw.
func (r *RawRequest) UnmarshalJSON(data []byte) error {
	var body Raw
	if err := body.UnmarshalJSON(data); err != nil {
		return err
	}
	if body == "null" {
		body = ""
	}
	*r = RawRequest{Name: r.Name, Body: body}
	return nil
}
