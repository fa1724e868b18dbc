// Package floor models the least work that an MCP library can do. It is not a library:
// it handles only the benchmarked messages, and exists to show how near a real
// implementation comes.
//
// Decode, Session.Receive and Message.Append have an API of immutable
// values: they copy the message, decode strings, and return fresh slices and a
// new state. Their allocations are those that such an API needs.
package floor

import (
	"errors"

	"github.com/sansmcp/mcp/conformance/bench/scan"
)

var errUnknown = errors.New("floor: unknown method or name")

// Handler answers a decoded call.
type Handler func(s *scan.Scanner, args []byte) CallResult

// CallResult is a typed tools/call result.
type CallResult struct {
	Content []Content
	IsError bool
}

// Content is one text block.
type Content struct{ Text string }

// Registry is the part that sessions of one server share. It is immutable.
type Registry struct {
	Handlers  map[string]Handler
	Tools     []Tool
	Resources map[string]string // by URI
}

// Tool is one listed tool.
type Tool struct {
	Name, Description string
	InputSchema       []byte // raw JSON
}

// Session is the state of one initialized server session.
type Session struct {
	Registry      *Registry
	Version       uint8
	Caps          uint16
	Initialized   bool
	ClientName    string
	ClientVersion string
	Pending       Slots
	Notified      int // notifications
}

// Message is a decoded message or reply as an immutable value.
type Message struct {
	ID     string // raw
	Method Method
	Name   string // tool name or resource URI, unquoted
	Args   []byte
	Result any // CallResult, ReadResult, ListResult or nil
}

// Method is an interned method name.
type Method uint8

// The methods the floor knows.
const (
	None Method = iota
	Call
	Ping
	List
	Read
	Changed
)

// ReadResult is a typed resources/read result.
type ReadResult struct{ URI, MIME, Text string }

// ListResult is a typed tools/list result.
type ListResult struct{ Tools []Tool }

// Decode decodes msg, copying it once so that the Message owns its bytes.
func Decode(s *scan.Scanner, msg []byte) (Message, error) {
	msg = append([]byte(nil), msg...)
	var e scan.Envelope
	if err := s.Parse(msg, &e); err != nil {
		return Message{}, err
	}
	m := Message{Args: e.Arguments}
	if e.ID != nil {
		m.ID = alias(e.ID)
	}
	switch string(e.Method) {
	case `"tools/call"`:
		m.Method, m.Name = Call, unquoted(e.Name)
	case `"ping"`:
		m.Method = Ping
	case `"tools/list"`:
		m.Method = List
	case `"resources/read"`:
		m.Method, m.Name = Read, unquoted(e.URI)
	case `"notifications/roots/list_changed"`:
		m.Method = Changed
	default:
		return Message{}, errUnknown
	}
	return m, nil
}

// Receive returns the state after m and the messages to send. It does not
// change c.
func (c Session) Receive(s *scan.Scanner, m Message) (Session, []Message, error) {
	switch m.Method {
	case Call:
		h := c.Registry.Handlers[m.Name]
		if h == nil {
			return c, nil, errUnknown
		}
		return c, []Message{{ID: m.ID, Result: h(s, m.Args)}}, nil
	case Ping:
		return c, []Message{{ID: m.ID}}, nil
	case List:
		return c, []Message{{ID: m.ID, Result: ListResult{c.Registry.Tools}}}, nil
	case Read:
		text, ok := c.Registry.Resources[m.Name]
		if !ok {
			return c, nil, errUnknown
		}
		return c, []Message{{ID: m.ID, Result: ReadResult{m.Name, "text/plain", text}}}, nil
	case Changed:
		c.Notified++
		return c, nil, nil
	}
	return c, nil, errUnknown
}

// Append appends the encoding of the reply m to dst.
func (m Message) Append(dst []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, m.ID...)
	dst = append(dst, `,"result":`...)
	switch r := m.Result.(type) {
	case CallResult:
		dst = append(dst, `{"content":[`...)
		for i, c := range r.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"type":"text","text":`...)
			dst = AppendQuoted(dst, c.Text)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
		if r.IsError {
			dst = append(dst, `,"isError":true`...)
		}
		dst = append(dst, '}')
	case ReadResult:
		dst = append(dst, `{"contents":[{"uri":`...)
		dst = AppendQuoted(dst, r.URI)
		dst = append(dst, `,"mimeType":`...)
		dst = AppendQuoted(dst, r.MIME)
		dst = append(dst, `,"text":`...)
		dst = AppendQuoted(dst, r.Text)
		dst = append(dst, `}]}`...)
	case ListResult:
		dst = append(dst, `{"tools":[`...)
		for i, t := range r.Tools {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"name":`...)
			dst = AppendQuoted(dst, t.Name)
			dst = append(dst, `,"description":`...)
			dst = AppendQuoted(dst, t.Description)
			dst = append(dst, `,"inputSchema":`...)
			dst = append(dst, t.InputSchema...)
			dst = append(dst, '}')
		}
		dst = append(dst, `]}`...)
	default:
		dst = append(dst, `{}`...)
	}
	return append(dst, '}')
}
