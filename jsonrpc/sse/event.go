package sse

import (
	"strconv"
	"strings"
	"time"
)

// Event is one event of a stream.
type Event struct {
	// Data is the text of the event: what its data lines hold, joined by newlines.
	Data string
	// ID is the id of the event, if HasID is set. A client names it to go on behind the event
	// (HTTP-037). The empty id unsets that of the stream.
	ID string
	// Name is the type of the event; "" stands for "message".
	Name string
	// Retry is how long a client waits before it connects again, if HasRetry is set, in whole
	// milliseconds (HTTP-106).
	Retry time.Duration

	HasID    bool // the event has an id, which may be empty
	HasRetry bool // the event has a retry

	// Oversize is set by a Decoder on an event whose data is longer than its limit. Data is
	// then the first limit+1 bytes: what jsonrpc.Decoder with the same limit refuses with
	// jsonrpc.FaultSize, under the id of the message if it stands early enough.
	Oversize bool
}

// Append appends one event, with the blank line that ends it. Its lines stand in the order
// id, event, retry, data, and end with a newline.
//
// Each line of Data becomes a data line. A carriage return counts as a line break, alone
// and before a newline, and comes back as a newline: JSON text as jsonrpc.Append writes it
// has none. There is a data line also for empty Data if the event has an id or a name: the
// event that primes a stream (HTTP-103). An event of nothing but a Retry has no data
// line, so that no client takes it for a message, and an event of nothing at all is not
// written.
//
// An ID or Name that the format cannot carry is left out: either with a line break, an ID with a
// zero byte. So is a Retry below zero; what is not whole milliseconds is rounded up.
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

// AppendComment appends a comment, which every client ignores: what keeps a quiet connection
// open. It stands for itself, between two events.
func AppendComment(dst []byte, text string) []byte {
	return append(appendLines(dst, ": ", text), '\n')
}

func oneLine(s string) bool { return strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 }

func appendLine(dst []byte, field, value string) []byte {
	dst = append(append(dst, field...), value...)
	return append(dst, '\n')
}

// appendLines appends a line for each line of text, which is one at least.
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

// lineBreak returns the index of the first line break, the length of text if it has none. It
// looks no farther than twice as far as the break is, in steps that index is fast with, which is
// the function IndexByte for T.
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
