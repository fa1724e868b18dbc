package jsonrpc

import (
	"bytes"
)

// Framer cuts a byte stream into lines and decodes them: one message a line, as
// the stdio transport sends them. The zero Framer is ready; set Decoder before
// the first Push for other limits. It does no I/O: the reader of the stream
// calls Push with what came and then Next until it reports false.
//
// Byte order marks at the start of a line, a carriage return before a newline
// and blank lines are skipped. A line longer than Decoder.MaxBytes is
// skipped as well and gives one message of KindInvalid with FaultSize. How the
// stream is cut into chunks makes no difference to the messages.
//
// Between calls it holds bytes that were pushed and not fetched; of an unfinished line at most
// Decoder.MaxBytes and the bytes since the last Next. Do not copy a Framer in use.
type Framer struct {
	Decoder Decoder // the limits; set it before the first Push

	buf     []byte
	start   int  // of the current line in buf
	scanned int  // no newline in buf[start:scanned]
	skip    bool // the rest of the current line is dropped
}

// keepBuffer is the largest empty buffer that a Framer keeps.
const keepBuffer = 64 << 10

// Push adds what was read from the stream. It copies chunk.
func (f *Framer) Push(chunk []byte) {
	if f.skip {
		// The rest of an oversize line: keep nothing of it.
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			return
		}
		chunk, f.skip = chunk[end+1:], false
	}
	// Move the rest to the front only when it is the smaller half: then the
	// moves cost no more than the bytes moved over did.
	if f.start > 0 && f.start >= len(f.buf)-f.start {
		f.buf = f.buf[:copy(f.buf, f.buf[f.start:])]
		f.scanned -= f.start
		f.start = 0
	}
	f.buf = append(f.buf, chunk...)
}

// Next returns the next message; ok is false if no further line is complete.
func (f *Framer) Next() (m Message, ok bool) {
	line, ok := f.NextLine()
	if !ok {
		return Message{}, false
	}
	return f.Decoder.Decode(line), true
}

// NextLine returns the next line that is not blank, without its line break, for
// a driver that decodes elsewhere; ok is false if no further line is complete.
// The line is valid until the next Push or Close. Of an oversize line it
// returns the first Decoder.MaxBytes+1 bytes, which Decoder.Decode refuses (STDIO-003).
func (f *Framer) NextLine() (line []byte, ok bool) {
	for {
		rest := f.buf[f.start:]
		for marked(rest) {
			f.start += len(byteOrderMark)
			rest = f.buf[f.start:]
		}
		f.scanned = max(f.scanned, f.start)
		end := bytes.IndexByte(f.buf[f.scanned:], '\n')
		if end < 0 {
			return f.unfinished(rest)
		}
		end += f.scanned
		line = f.buf[f.start:end]
		f.start = end + 1
		if line, ok = f.trim(line); ok {
			return line, true
		}
	}
}

// unfinished looks at the part of a line that has come so far.
func (f *Framer) unfinished(rest []byte) (line []byte, ok bool) {
	f.scanned = len(f.buf)
	// One byte more than the limit may turn out to be a carriage return.
	if limit := f.Decoder.maxBytes(); len(rest)-1 > limit {
		f.skip = true
		f.start = len(f.buf)
		return rest[:limit+1], true
	}
	if len(rest) == 0 {
		f.start, f.scanned = 0, 0
		if f.buf = f.buf[:0]; cap(f.buf) > keepBuffer {
			f.buf = nil
		}
	}
	return nil, false
}

// trim returns what of a whole line is to be decoded; ok is false if it is blank (STDIO-005).
func (f *Framer) trim(line []byte) (_ []byte, ok bool) {
	if n := len(line) - 1; n >= 0 && line[n] == '\r' {
		line = line[:n]
	}
	if limit := f.Decoder.maxBytes(); len(line) > limit {
		return line[:limit+1], true
	}
	for _, c := range line {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return line, true
		}
	}
	return nil, false
}

// Close is Next at the end of the stream: the rest counts as the last line, without a newline. Call
// it until ok is false; the Framer is then ready for another stream.
func (f *Framer) Close() (m Message, ok bool) {
	line, ok := f.CloseLine()
	if !ok {
		return Message{}, false
	}
	return f.Decoder.Decode(line), true
}

// CloseLine is NextLine at the end of the stream, as Close is Next.
func (f *Framer) CloseLine() (line []byte, ok bool) {
	if line, ok = f.NextLine(); ok {
		return line, true
	}
	line = f.buf[f.start:]
	*f = Framer{Decoder: f.Decoder}
	return f.trim(line)
}
