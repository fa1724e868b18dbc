package main

import (
	"bytes"
	"strconv"
	"strings"
)

// mark is what a byte of an answer completes.
type mark uint8

const (
	within    mark = iota // nothing
	headEnd               // the head
	eventEnd              // an event of SSE with an id: from here on the stream can be resumed
	answerEnd             // the answer; the next byte begins another one
)

// answers follows the answers of HTTP/1.1 on one connection, byte by byte, so that a cut
// can be made where it is wanted. The zero value is before the first answer.
type answers struct {
	state   answerState
	line    []byte // of a head or of the size of a chunk, its end when it is long
	left    int    // of the body or the chunk
	chunked bool
	sse     bool
	first   bool // the status line has been read
	bare    bool // the status has no body
	event   []byte
	hasID   bool
}

type answerState uint8

const (
	inHead answerState = iota
	inBody
	inSize
	inChunk
	afterChunk
	inTrailer
	toClose // a body without a length
)

// maxLine is how much of a line is looked at.
const maxLine = 256

// step takes the next byte.
func (f *answers) step(c byte) mark {
	switch f.state {
	case inHead:
		return f.head(c)
	case inBody:
		f.left--
		m := f.text(c)
		if f.left == 0 {
			return f.end()
		}
		return m
	case inSize:
		if f.collect(c) {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(f.line)), 16, 32)
			f.line = f.line[:0]
			f.left, f.state = int(n), inChunk
			if err != nil || n == 0 {
				f.state = inTrailer
			}
		}
	case inChunk:
		f.left--
		m := f.text(c)
		if f.left == 0 {
			f.state = afterChunk
		}
		return m
	case afterChunk:
		if c == '\n' {
			f.state = inSize
		}
	case inTrailer:
		if f.collect(c) {
			empty := len(f.line) == 0
			f.line = f.line[:0]
			if empty {
				return f.end()
			}
		}
	case toClose:
		return f.text(c)
	}
	return within
}

// head takes a byte of a head.
func (f *answers) head(c byte) mark {
	if !f.collect(c) {
		return within
	}
	line := strings.ToLower(string(f.line))
	f.line = f.line[:0]
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case !f.first:
		f.first, f.left = true, -1
		_, status, _ := strings.Cut(line, " ")
		f.bare = strings.HasPrefix(status, "204") || strings.HasPrefix(status, "304")
	case name == "content-length":
		f.left, _ = strconv.Atoi(value)
	case name == "transfer-encoding":
		f.chunked = value == "chunked"
	case name == "content-type":
		f.sse = strings.HasPrefix(value, "text/event-stream")
	case line == "" && (f.bare || f.left == 0):
		return f.end()
	case line == "":
		f.state = toClose
		if f.chunked {
			f.state = inSize
		} else if f.left > 0 {
			f.state = inBody
		}
		return headEnd
	}
	return within
}

// collect adds a byte to the line and reports whether it ends it.
func (f *answers) collect(c byte) bool {
	switch {
	case c == '\n':
		f.line = bytes.TrimSuffix(f.line, []byte("\r"))
		return true
	case len(f.line) < maxLine:
		f.line = append(f.line, c)
	}
	return false
}

// text takes a byte of a body.
func (f *answers) text(c byte) mark {
	if !f.sse {
		return within
	}
	if c != '\n' {
		if len(f.event) < maxLine {
			f.event = append(f.event, c)
		}
		return within
	}
	line := bytes.TrimSuffix(f.event, []byte("\r"))
	f.event = f.event[:0]
	if bytes.HasPrefix(line, []byte("id:")) {
		f.hasID = true
	}
	if len(line) == 0 && f.hasID {
		f.hasID = false
		return eventEnd
	}
	return within
}

func (f *answers) end() mark {
	*f = answers{line: f.line[:0], event: f.event[:0]}
	return answerEnd
}
