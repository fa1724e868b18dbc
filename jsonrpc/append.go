package jsonrpc

import (
	"bytes"
	"errors"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Append appends the JSON text of m. It writes the members that the kind of m calls for and no
// others, in the order jsonrpc, id, method, params, result, error. It never writes null for params
// or error: params are left out if Body is empty or null, a result without Body is {}, an error
// without Err an internal error. The id is omitted in notifications and if it is zero, and is
// written as m.Spelling if that is set. A batch is an array of its elements.
//
// The text never has a line break, so it can be the data line of a server-sent event or a line of
// any transport: breaks between the tokens of a Raw become blanks, and JSON strings have none.
//
// A message of KindInvalid, or a batch without valid elements, has no text: dst is returned
// unchanged.
func Append(dst []byte, m Message) []byte {
	from := len(dst)
	switch m.Kind {
	case KindRequest, KindNotification, KindResult, KindError:
		dst = appendOne(dst, &m)
	case KindBatch:
		dst = appendBatch(dst, m.Batch())
	}
	blank(dst[from:], '\n')
	blank(dst[from:], '\r')
	return dst
}

// AppendLine appends the JSON text of m and a newline, the form in which the stdio transport sends
// messages. If Append appends nothing, so does AppendLine.
//
// Follows Transports, stdio: messages are delimited by newlines and must not
// contain embedded newlines (STDIO-004).
func AppendLine(dst []byte, m Message) []byte {
	from := len(dst)
	dst = Append(dst, m)
	if len(dst) == from {
		return dst
	}
	return append(dst, '\n')
}

// blank overwrites every c in b. Within JSON strings there is none.
func blank(b []byte, c byte) {
	for {
		i := bytes.IndexByte(b, c)
		if i < 0 {
			return
		}
		b[i] = ' '
		b = b[i+1:]
	}
}

func appendOne(dst []byte, m *Message) []byte {
	// All but the escapes of an unusual string is known to fit.
	const fixed = len(`{"jsonrpc":"2.0","id":-9223372036854775808,"method":"","params":}`) + len("\n")
	size := fixed + len(m.ID.s) + len(m.Method) + len(m.Body)
	if m.Err != nil {
		size += len(`{"code":-9223372036854775808,"message":"","data":}`) + len(m.Err.Message) + len(m.Err.Data)
	}
	spelling := m.Spelling()
	dst = slices.Grow(dst, size+len(spelling))
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	switch {
	case m.Kind == KindNotification:
		// No id, whatever m.ID holds (JRPC-021).
	case spelling != "":
		dst = append(append(dst, `,"id":`...), spelling...)
	// HTTP-011: the zero id is that of an error which answers nothing readable.
	case !m.ID.IsZero():
		dst = m.ID.Append(append(dst, `,"id":`...))
	}
	switch m.Kind {
	// The kind decides: a response has a result or an error, never both (JRPC-010).
	case KindRequest, KindNotification:
		dst = rawjson.AppendQuote(append(dst, `,"method":`...), m.Method)
		if m.Body != "" && m.Body != "null" {
			dst = append(append(dst, `,"params":`...), m.Body...)
		}
	case KindResult:
		body := m.Body
		if body == "" || body == "null" {
			body = "{}"
		}
		dst = append(append(dst, `,"result":`...), body...)
	default:
		dst = append(dst, `,"error":`...)
		if m.Err != nil {
			dst = m.Err.AppendJSON(dst)
		} else {
			dst = append(dst, `{"code":-32603,"message":"internal error"}`...)
		}
	}
	return append(dst, '}')
}

func appendBatch(dst []byte, all []Message) []byte {
	from := len(dst)
	for i := range all {
		if all[i].Kind == KindInvalid || all[i].Kind == KindBatch {
			continue
		}
		sep := byte(',')
		if len(dst) == from {
			sep = '['
		}
		dst = appendOne(append(dst, sep), &all[i])
	}
	if len(dst) == from {
		return dst
	}
	return append(dst, ']')
}

// MarshalJSON returns what Append appends. A message that has no text is an error:
// one of KindInvalid, or a batch without valid elements.
func (m Message) MarshalJSON() ([]byte, error) {
	text := Append(nil, m)
	if len(text) == 0 {
		return nil, errMessage
	}
	return text, nil
}

// UnmarshalJSON reads and copies a message with Decode. JSON null leaves m as it is. A message
// of KindInvalid is an error that tells the Fault.
func (m *Message) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	got := Decode(data)
	if got.Kind == KindInvalid {
		return messageError{got.Fault}
	}
	*m = got
	return nil
}

var errMessage = errors.New("jsonrpc: not a valid message")

type messageError struct{ fault Fault }

func (e messageError) Error() string { return errMessage.Error() + ": " + e.fault.String() }
