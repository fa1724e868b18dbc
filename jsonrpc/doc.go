// Package jsonrpc has the messages of the Model Context Protocol, JSON-RPC 2.0 as restricted by
// MCP, and the line format of the stdio transport. It does no I/O.
//
// Decode turns the bytes of one message into a Message, whatever they are. Append and AppendLine
// write one. A Framer cuts a byte stream into lines and decodes them. An ID is exact and
// comparable. A Raw is JSON text that was validated: params, results and error data stay in that
// form until they are typed.
//
// # Loop
//
// A driver that reads a stream pushes what it reads and takes complete messages:
//
//	var f jsonrpc.Framer
//	for {
//		n, err := r.Read(buf)
//		f.Push(buf[:n])
//		for m, ok := f.Next(); ok; m, ok = f.Next() {
//			receive(m)
//		}
//		if err != nil {
//			break
//		}
//	}
//	for m, ok := f.Close(); ok; m, ok = f.Close() {
//		receive(m)
//	}
//
// A driver whose transport delivers whole messages (an HTTP body, a WebSocket frame) calls Decode
// on each. Either way pass every Message to the machine, even invalid ones: it decides the answer.
// Write outgoing messages by AppendLine to a stream, or by Append elsewhere: as the body of a
// request, a frame, or the data line of a server-sent event.
//
// # Contract
//
// Decoding accepts any text, in one pass. Text that is not a message becomes a Message of
// KindInvalid, whose Fault says why, whose Shape says what it looks like, and whose ID is set if it
// is usable. It never panics; nesting uses no stack and an eighth of a byte per level.
//
// Of a text that is not JSON, or over a limit, Shape and ID are set if the members of the outermost
// object before the fault determine them or, for bad UTF-8 in a string or nesting, those around it.
// Of a text over MaxBytes the first 4 KiB are read. So a request with unreadable params is
// answered, and a request with an unreadable answer ends at once.
//
// It is strict: RFC 8259 and nothing beyond it, UTF-8, member names exact, no envelope member
// twice. Byte order marks at the start are skipped, by the Framer at the start of each line. Names
// may have escapes. Members that JSON-RPC does not define are ignored; inside params and results
// the last of several members with the same name counts. params may be null, which means absent, or
// an array.
//
// Decode copies its input once and DecodeString not at all; ids, methods and bodies are substrings.
// A kept ID keeps the whole message alive; ID.Clone copies it. Requests, notifications and results
// need no further memory, unless id or method has escapes; an error needs one object.
//
// IDs are equal if type and value are: 1, 1.0 and 1e0 are equal, 1 and "1" are not, and integers of
// any size are exact. The Message keeps the spelling of the peer (Spelling), so that the answer
// repeats it (Spelled).
//
// What Append writes, Decode reads as an equal message (and notes its Span), if the Message is
// valid for its Kind: a request has an ID, Body is a valid object. Line breaks between the tokens
// of a Raw become blanks. It writes only defined members, no null for params, result or error, and
// only necessary escapes. Strings that are not UTF-8 get U+FFFD for each bad byte.
//
// Values such as a Message, ID or Raw may be shared between goroutines; a Framer may not.
//
// # Not promised
//
// Which of two faults in a text is reported, unless it changes the answer. The texts of String
// methods. The exact memory use. The layout of ID, and whether Message can be compared with ==, may
// change; the comparability of ID will not.
package jsonrpc
