package protocol

// RawRequest is the params of any request or notification, given as JSON text.
type RawRequest struct {
	// Name is the name of the method.
	Name string
	// Body is the params object; "" sends none. A State does not send one that can be
	// read in two ways: with the name, uri, level, ref, arguments or _meta of its method
	// twice, or in another case.
	Body Raw
}

// Method returns r.Name.
func (r RawRequest) Method() string { return r.Name }

// AppendJSON appends r.Body as it is.
func (r RawRequest) AppendJSON(dst []byte) []byte { return append(dst, r.Body...) }
