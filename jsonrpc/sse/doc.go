// Package sse is server-sent events as bytes: the text/event-stream format in which the Streamable
// HTTP transport sends messages (HTML standard, section 9.2). Append writes an event, and a
// Decoder cuts a stream into events. It knows no message and does no I/O.
//
// # Loop
//
// A client feeds what it reads of a response and takes out what is complete, as from a
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
// A server writes what Append makes and flushes it. The text of a message is Data as
// jsonrpc.Append writes it.
//
// # Contract
//
//   - The Decoder follows the standard, where streams are parsed: a byte order mark at the
//     start, lines that end with CR, LF or both, one blank behind a colon, comments and
//     unknown fields, an id with a zero byte, a retry of digits. It is total.
//   - It also returns events that a browser would not dispatch, for what they say about the
//     stream: those without a data line that have an id or a retry (HTTP-103, HTTP-105).
//   - An event at the end of the stream that no blank line ends is none: the connection
//     broke within it.
//   - The limit is about the data of an event. An event beyond it is returned once, with
//     Oversize and the beginning of its data. Memory stays within the limit, four thirds of
//     what was pushed and not fetched, and a few KiB.
//   - Time is in proportion to the bytes, however they are cut. How they are cut makes
//     no difference to the events.
//   - Bytes that are not UTF-8 are passed on. The texts of an Event are copies.
//   - What Append writes, a Decoder reads as an equal event, apart from what the comment of
//     Append says about line breaks.
//
// A Decoder is not safe for use from several goroutines at once.
//
// # Not promised
//
// The order in which Append writes the fields, and the exact use of memory.
package sse
