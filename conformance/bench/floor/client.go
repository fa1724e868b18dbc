package floor

import (
	"errors"
	"strconv"
	"unsafe"

	"github.com/sansmcp/mcp/conformance/bench/scan"
)

var errNotPending = errors.New("floor: response to no pending call")

// alias returns b as a string without a copy. b must not change afterwards.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unquoted returns the content of a JSON string, without a copy if it has no
// escapes.
func unquoted(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	for _, c := range raw {
		if c == '\\' {
			return string(AppendUnquoted(nil, raw))
		}
	}
	return alias(raw[1 : len(raw)-1])
}

// Unquoted returns the content of a JSON string in memory of its own.
func Unquoted(raw []byte) string {
	return alias(AppendUnquoted(make([]byte, 0, len(raw)), raw))
}

// Client is the state of one initialized client session.
type Client struct {
	Pending       Slots
	Version       uint8
	Caps          uint16
	ServerName    string
	ServerVersion string
}

// Call appends a tools/call request to dst and records it as pending. name and
// args are raw JSON.
func (c *Client) Call(dst, name, args []byte, deadline int64) ([]byte, int64) {
	id := c.Pending.Add(Entry{Deadline: deadline})
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":"tools/call","params":{"name":`...)
	dst = append(dst, name...)
	dst = append(dst, `,"arguments":`...)
	dst = append(dst, args...)
	return append(dst, `}}`...), id
}

// Receive handles a response and returns the call it answers and the raw text
// of its first content block.
func (c *Client) Receive(s *scan.Scanner, msg []byte) (id int64, text []byte, err error) {
	var e scan.Envelope
	if err := s.Parse(msg, &e); err != nil {
		return 0, nil, err
	}
	if id = integer(e.ID); !c.Pending.Take(id) {
		return 0, nil, errNotPending
	}
	return id, firstText(s, e.Result), nil
}

// firstText returns the raw text of the first content block of a tools/call result.
func firstText(s *scan.Scanner, result []byte) []byte {
	content := s.Field(result, `"content"`)
	if len(content) < 2 || content[0] != '[' {
		return nil
	}
	return s.Field(content[1:], `"text"`)
}

func integer(b []byte) (n int64) {
	for _, c := range b {
		if c-'0' > 9 || n > 1<<52 {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
