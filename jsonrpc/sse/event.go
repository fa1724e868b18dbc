package sse

import (
	"strconv"
	"strings"
	"time"
)

// Event is one event of a stream.
type Event struct {
	// Data is the text of the event: the content of its data lines, joined by newlines.
	Data string
	// ID is the id of the event, if HasID is set. A client sends it to resume after the event
	// (HTTP-037). The empty id clears that of the stream.
	ID string
	// Name is the type of the event; "" stands for "message".
	Name string
	// Retry is how long a client waits before it reconnects, if HasRetry is set. It is written in
	// whole milliseconds (HTTP-106).
	Retry time.Duration

	HasID    bool // the event has an id, which may be empty
	HasRetry bool // the event has a retry

	// Oversize is set by a Decoder on an event whose data exceeds its limit. Data is then
	// the first limit+1 bytes, which jsonrpc.Decoder with the same limit rejects with
	// jsonrpc.FaultSize, under the id of the message if the id is early enough.
	Oversize bool
}

// Append appends one event and the blank line that ends it. Its lines have the order id, event,
// retry, data, and end with a newline.
//
// Each line of Data becomes a data line. A carriage return counts as a line break, alone
// or before a newline, and is read as a newline; JSON text from jsonrpc.Append has none.
// An event with an id or a name has a data line even if Data is empty, as the event that
// primes a stream does (HTTP-103). An event with only a Retry has no data line, so that no client
// takes it for a message. Append writes nothing for an empty event.
//
// Append omits an ID or a Name that the format cannot carry: with a line break, or an ID with a
// zero byte. It omits a negative Retry, and rounds others up to whole milliseconds.
func Append(dst []byte, e Event) []byte {
	start := len(dst)
	text := e.Data != ""
	if e.HasID && strings.IndexByte(e.ID, 0) < 0 && oneLine(e.ID) {
		dst = appendLine(dst, "id: ", e.ID)
		text = true
	}
	if e.Name != "" && oneLine(e.Name) {
		dst = appendLine(dst, "event: ", e.Name)
		text = true
	}
	if e.HasRetry && e.Retry >= 0 {
		ms := int64(e.Retry / time.Millisecond)
		if e.Retry%time.Millisecond != 0 {
			ms++
		}
		dst = append(dst, "retry: "...)
		dst = append(strconv.AppendInt(dst, ms, 10), '\n')
	}
	if text {
		dst = appendLines(dst, "data: ", e.Data)
	}
	if len(dst) == start {
		return dst
	}
	return append(dst, '\n')
}

// AppendComment appends a comment, which clients ignore, to keep a quiet connection open. It must
// not stand within an event.
func AppendComment(dst []byte, text string) []byte {
	return append(appendLines(dst, ": ", text), '\n')
}

func oneLine(s string) bool { return strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 }

func appendLine(dst []byte, field, value string) []byte {
	dst = append(append(dst, field...), value...)
	return append(dst, '\n')
}

// appendLines appends a field for each line of text, at least one.
func appendLines(dst []byte, field, text string) []byte {
	for {
		end := lineBreak(text, strings.IndexByte)
		dst = appendLine(dst, field, text[:end])
		if end == len(text) {
			return dst
		}
		if strings.HasPrefix(text[end:], "\r\n") {
			end++
		}
		text = text[end+1:]
	}
}

// lineBreak returns the index of the first line break, or the length of text. It scans at most
// twice as far as the break, in steps of a size for which index is fast; index is IndexByte for T.
func lineBreak[T string | []byte](text T, index func(T, byte) int) int {
	for at, size := 0, 64; at < len(text); size *= 2 {
		part := text[at:min(at+size, len(text))]
		end := index(part, '\n')
		if end < 0 {
			end = len(part)
		}
		if cr := index(part[:end], '\r'); cr >= 0 {
			return at + cr
		}
		if at += end; end < len(part) {
			return at
		}
	}
	return len(text)
}
