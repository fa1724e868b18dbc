// Package jsonrpc is the wire of the Model Context Protocol: JSON-RPC 2.0
// messages as MCP narrows them, and the lines in which the stdio transport sends
// them. It knows no method and does no I/O.
//
// Decode turns the bytes of one message into a Message, whatever they are.
// Append and AppendLine write one. A Framer cuts a byte stream into lines and
// decodes them. An ID is exact and comparable. A Raw is JSON text that was
// validated: params, results and error data stay in that form until somebody
// wants them typed.
//
// # Loop
//
// A driver that reads a stream feeds what it reads and takes out what is
// complete:
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
// A driver whose transport delivers whole messages (an HTTP body, a WebSocket
// frame) calls Decode on each. Either way every Message goes to the machine, the
// invalid ones too: it knows what may be answered. What the machine wants sent is
// written by AppendLine to a stream, by Append elsewhere: as the body of a request,
// a frame, or the data line of a server-sent event.
//
// # Contract
//
// Decoding is total and one pass over the text. A text that is not a message is a
// Message of KindInvalid, whose Fault says why, whose Shape says what it looks
// like, and whose ID is set if it can be used. It never panics, and hostile
// nesting costs no stack and an eighth of a byte a level.
//
// Of a text that is not JSON, or over a limit, Shape and ID are set where they are
// certain: where the members of the outermost object say so before the fault or,
// if it is bad UTF-8 in a string or nesting, around it. Of a text over MaxBytes
// the first four KiB are looked at. So a request whose params cannot be read is
// answered, and one whose answer cannot be read ends at once.
//
// It is strict: RFC 8259 and nothing beyond it, UTF-8, member names exact, no
// envelope member twice. Byte order marks at the start are skipped, by the Framer
// at the start of each line. Names may be spelled with escapes. Members that JSON-RPC does not
// name are ignored; inside params and results the last of members with one name
// counts, for those who read them. params may be null, which is absent, and at
// this level an array.
//
// Decode copies its input once and DecodeString not at all; ids, methods and
// bodies are substrings. A kept ID keeps the whole message: ID.Clone cuts it off.
// Requests, notifications and results need no further memory, unless id or method
// is spelled unusually; an error needs one object.
//
// An ID is equal to another if type and value are: 1, 1.0 and 1e0 are equal, 1
// and "1" are not, and integers of any size are exact. How the peer wrote it is
// kept in the Message (Spelling), so that the answer repeats it (Spelled).
//
// What Append writes, Decode reads as an equal message (and notes its Span), if the
// Message is what its Kind can be: a request has an ID, Body is a valid object. Line
// breaks between the tokens of a Raw come back as blanks; it writes none.
// It writes no member that is not defined, no null for params, result or error,
// and escapes no character that needs no escape. Strings that are not UTF-8 get
// U+FFFD for each bad byte.
//
// Nothing here is safe for use from several goroutines at once but the reading of
// values: a Message, ID or Raw may be shared freely.
//
// # Not promised
//
// The order of two faults in the same text is given only as far as it changes the
// answer. A text with a syntax error beyond the depth limit may be called either.
// The texts of String methods may change. Memory use is promised as an order of
// size, the exact numbers are not. The layout of ID, and whether Message can be
// compared with ==, may change; the comparability of ID will not.
package jsonrpc
