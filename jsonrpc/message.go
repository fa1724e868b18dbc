package jsonrpc

import "github.com/sansmcp/mcp/jsonrpc/rawjson"

// Kind is the kind of a message.
type Kind uint8

// The kinds of message.
const (
	KindInvalid      Kind = iota // not a message: Fault says why
	KindRequest                  // a method and an id: expects an answer
	KindNotification             // a method without id: expects none
	KindResult                   // answers a request with a result
	KindError                    // answers a request with an error, or none that could be read
	KindBatch                    // an array of messages (MCP 2025-03-26 only)
)

// String returns the lower-case name of k.
func (k Kind) String() string {
	return rawjson.NameOf(k, "unknown kind", "invalid", "request", "notification", "result", "error", "batch")
}

// Fault says why a text is not a valid message.
type Fault uint8

// The faults of a message of KindInvalid.
const (
	_              Fault = iota // the message is valid
	FaultSyntax                 // not JSON
	FaultUTF8                   // a string is not UTF-8
	FaultTrailing               // more after the JSON value
	FaultSize                   // longer than Decoder.MaxBytes
	FaultDepth                  // nested deeper than Decoder.MaxDepth
	FaultNotObject              // JSON, but neither object nor array
	FaultEmpty                  // an object without method, id, result and error
	FaultVersion                // jsonrpc is not "2.0" or is missing
	FaultID                     // the id is missing or not usable
	FaultNullID                 // the id of a request is null
	FaultMethod                 // method is no string, or has an unpaired surrogate
	FaultParams                 // params is neither object nor array
	FaultRepeated               // an envelope member is given twice
	FaultMixed                  // a method together with result or error
	FaultBoth                   // a response with result and error
	FaultResult                 // a response without result and error, or whose result is no object
	FaultError                  // error has no integer code or no string message
	FaultBatch                  // an array with no elements, or more than Decoder.MaxBatch
)

// String returns a short lower-case phrase.
func (f Fault) String() string { return rawjson.NameOf(f, "unknown fault", faultNames[:]...) }

var faultNames = [...]string{
	0:              "none",
	FaultSyntax:    "not JSON",
	FaultUTF8:      "invalid UTF-8",
	FaultTrailing:  "data after the JSON value",
	FaultSize:      "too long",
	FaultDepth:     "nested too deeply",
	FaultNotObject: "not an object",
	FaultEmpty:     "no method, id, result or error",
	FaultVersion:   `jsonrpc is not "2.0"`,
	FaultID:        "id is not usable",
	FaultNullID:    "id is null",
	FaultMethod:    "method is not a string",
	FaultParams:    "params is neither object nor array",
	FaultRepeated:  "a member is repeated",
	FaultMixed:     "method together with result or error",
	FaultBoth:      "both result and error",
	FaultResult:    "result is not an object",
	FaultError:     "error has no integer code or no string message",
	FaultBatch:     "empty or too long array",
}

// Span is the position of the largest member value in a Body: Body[Start:End]. A second reader can
// skip it (rawjson.Object.Jump). The zero Span means unknown.
type Span struct {
	Start uint32 // the index of the first byte of the value
	End   uint32 // the index after its last
}

// Message is a decoded message or one to be sent. It is a value: copy it, and
// change the exported fields of the copy.
type Message struct {
	// ID is the id of a request or response. It is zero for a notification,
	// for an error that answers nothing readable, and for an invalid message
	// whose id is not usable: no integer or string, or given twice.
	ID ID

	// Method is the method of a request or notification; of an invalid message
	// too, if it is a string.
	Method string

	// Body is params or result: an object or, for params, an array; "" if there
	// are no params. For a malformed response it is the text of its error, or of
	// its result if it has no error.
	Body Raw

	// Err is the error of a KindError, and of a malformed response if it could
	// be read. It may be shared: do not change what it points to.
	Err *Error

	// Span is about Body.
	Span Span

	// Kind says what the message is.
	Kind Kind

	// Fault says why a message of KindInvalid is invalid; zero for others.
	Fault Fault

	// Shape says what a message of KindInvalid looks like, which decides how it may be answered: as
	// KindRequest under its ID, or not at all if that is zero; as KindNotification or KindResult (a
	// response of either kind) not at all. KindInvalid means none of these. A method together with
	// result or error is KindRequest if its ID is usable, otherwise KindResult. For a text that
	// could not be read to its end it is set only if certain.
	Shape Kind

	ext *ext
}

// ext is what few messages have. It is never changed once it is in a Message.
type ext struct {
	id       ID  // the id that spelling spells
	spelling Raw // how the peer wrote the id, if not as ID.Append does
	batch    []Message
	limit    int // of FaultSize
}

// Limit returns the limit in bytes that a message of FaultSize exceeds; 0 for others.
func (m Message) Limit() int {
	if m.ext == nil {
		return 0
	}
	return m.ext.limit
}

// over returns m as a message that is longer than a limit.
func (m Message) over(limit int) Message {
	x := ext{limit: limit}
	if m.ext != nil {
		x = *m.ext
		x.limit = limit
	}
	m.ext = &x
	return m
}

// Batch returns the elements of a KindBatch. An element may be invalid, and is never
// a batch itself. Do not change them.
func (m Message) Batch() []Message {
	if m.ext == nil {
		return nil
	}
	return m.ext.batch
}

// BatchOf returns the KindBatch of ms, which it copies.
func BatchOf(ms ...Message) Message {
	return Message{Kind: KindBatch, ext: &ext{batch: append([]Message(nil), ms...)}}
}

// Spelling returns how the peer wrote the id, if that differs from what
// ID.Append writes (1.0, 1e3, "\u0061"), else "". An answer repeats it.
func (m Message) Spelling() Raw {
	if m.ext == nil || m.ext.id != m.ID {
		return ""
	}
	return m.ext.spelling
}

// Spelled returns m with the id to be written as raw. It has no effect if raw
// does not spell m.ID, or is what ID.Append writes.
func (m Message) Spelled(raw Raw) Message {
	if raw == "" {
		return m
	}
	if id, canonical, ok := ParseID(string(raw)); ok && !canonical && id == m.ID {
		m.ext = &ext{id: id, spelling: raw}
	}
	return m
}
