package jsonrpc_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
)

// told is all that a Message says, and how it is written again.
func told(m jsonrpc.Message) string {
	s := fmt.Sprintf("%v %v %v %q %q %v %q", m.Kind, m.Fault, m.Shape, m.ID.String(), m.Method, m.Body, m.Spelling())
	if m.Err != nil {
		s += fmt.Sprintf(" %d %q %s", m.Err.Code, m.Err.Message, m.Err.Data)
	}
	for _, part := range m.Batch() {
		s += " [" + told(part) + "]"
	}
	if m.Kind != jsonrpc.KindInvalid {
		s += " " + string(jsonrpc.Append(nil, m))
	}
	return s
}

// Every short object of the members of a message is what it was, and so is what is near a message:
// its kind, its fault, and what can be said of a text that is none.
func TestAllShortMessages(t *testing.T) {
	decode := func(s string) string { return told(jsonrpc.DecodeString(s)) }
	head := []string{`"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`, `"id":1`, `"id":"x"`, `"id":null`, `"id":1.5`, `"method":"m"`, `"method":3`, `"params":{}`, `"params":[1]`, `"params":1`,
		`"result":{}`, `"result":1`, `"error":{"code":1,"message":"e"}`, `"error":{"code":"x"}`, `"error":{"message":"e","code":2,"data":[]}`, `"other":0`}
	for i := range head {
		head[i] += ","
	}
	texts.Same(t, "88741 of 88741, 0a940dbf", texts.Every(4, head...), func(s string) string {
		if s == "" {
			return decode("{}")
		}
		return decode("{" + s[:len(s)-1] + "}")
	})
	texts.Same(t, "5220 of 5220, 25facfd7", texts.Every(3, head...), func(s string) string { return decode(`{"jsonrpc":"2.0",` + s) })
	texts.Same(t, "58828 of 58828, 237d8797", texts.Near(
		`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"a":[1]}}`, `{"result":{"é":"\n"},"id":"a\u0041","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":-1e2,"error":{"code":-32600,"message":"m","data":{}}}`, `[{"jsonrpc":"2.0","method":"m"},1]`,
	), decode)
	small := jsonrpc.Decoder{MaxBytes: 40, MaxDepth: 2, MaxBatch: 2}
	texts.Same(t, "97656 of 97656, 82af0ab6", texts.Every(7, "[", "]", ",", "1", `{"jsonrpc":"2.0","method":"m"}`), func(s string) string { return told(small.DecodeString(s)) })
	texts.Same(t, "55987 of 55987, 58517a84", texts.Every(6, `{"jsonrpc":"2.0","id":1,"result":`, "{", "}", "[", "]", " "), func(s string) string { return told(small.DecodeString(s)) })
}

// An id is what it was, however it is spelled.
func TestAllShortIDs(t *testing.T) {
	read := func(s string) string {
		id, canonical, ok := jsonrpc.ParseID(s)
		return fmt.Sprintf("%q %v %v %v %s", id.String(), id.IsZero(), canonical, ok, id.Append(nil))
	}
	texts.Same(t, "137257 of 137257, afe86ab6", texts.Every(6, "0", "1", "-", ".", "e", "+", `"`), read)
	texts.Same(t, "25809 of 25809, ef343bd8", texts.Near("9223372036854775807", "-9223372036854775808", "18446744073709551616", "1.50e1", "10e-1", `"a\u0062"`, `"𝄞\ud83d"`, "null", "1e400"), read)
}

// A stream is the same messages, however it is cut.
func TestAllShortStreams(t *testing.T) {
	for _, cut := range []int{1, 3, 100} {
		texts.Same(t, "54894 of 55987, c277b58e", texts.Every(6, "\n", "\r", " ", `{"jsonrpc":"2.0","method":"m"}`, "{", "\xff"), func(s string) string {
			f := jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: 45}}
			out := ""
			for s != "" {
				n := min(cut, len(s))
				f.Push([]byte(s[:n]))
				s = s[n:]
				for {
					m, ok := f.Next()
					if !ok {
						break
					}
					out += told(m) + ";"
				}
			}
			if m, ok := f.Close(); ok {
				out += "close " + told(m)
			}
			return out
		})
	}
}
