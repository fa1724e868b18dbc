// Package sse reads and writes server-sent events: the text/event-stream format in which the
// Streamable HTTP transport sends messages (HTML standard, section 9.2). Append writes an event, and
// a Decoder cuts a stream into events. The package does not read the messages and does no I/O.
//
// # Loop
//
// A client pushes what it reads of a response and fetches the complete events, as with a
// jsonrpc.Framer:
//
//	d := sse.NewDecoder(limit)
//	for {
//		n, err := body.Read(buf)
//		d.Push(buf[:n])
//		for e, ok := d.Next(); ok; e, ok = d.Next() {
//			receive(e)
//		}
//		if err != nil {
//			break
//		}
//	}
//
// A server writes the output of Append and flushes it. Data is the text of a message as
// jsonrpc.Append writes it.
//
// # Contract
//
//   - The Decoder parses streams as the standard says: a byte order mark at the start, lines that
//     end with CR, LF or both, one space after a colon, comments and unknown fields, an id with
//     a zero byte, a retry of digits. It accepts any input.
//   - It also returns events that a browser would not dispatch, for what they say about the
//     stream: those without a data line that have an id or a retry (HTTP-103, HTTP-105).
//   - An event at the end of the stream without a blank line is not returned: the connection
//     broke within it.
//   - The limit applies to the data of an event. A larger event is returned once, with
//     Oversize and the beginning of its data. Memory stays within the limit, plus four thirds of
//     what was pushed and not fetched, plus a few KiB.
//   - Time is linear in the bytes. Neither time nor events depend on how the stream is cut.
//   - Bytes that are not UTF-8 are passed on. The texts of an Event are copies.
//   - A Decoder reads what Append writes as an equal event, except for the line breaks that
//     Append describes.
//
// A Decoder is not safe for use from several goroutines at once.
//
// # Not promised
//
// The order in which Append writes the fields, and the exact use of memory.
package sse
