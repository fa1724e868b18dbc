package sse

import (
	"bytes"
	"math"
	"strings"
	"time"
)

const (
	// defaultMaxBytes is the limit of a Decoder without one: the message limit of package jsonrpc.
	defaultMaxBytes = 16 << 20
	// maxName is the longest id or name of an event that a Decoder returns, in bytes.
	maxName = 4096
)

const (
	byteOrderMark = "\xEF\xBB\xBF"
	// fieldRoom is room for the name of a field, its colon and a space.
	fieldRoom = 16
	// keepBuffer is the largest empty buffer that a Decoder keeps.
	keepBuffer = 64 << 10
)

// Decoder cuts a byte stream into events by the event stream format of the HTML standard.
// The zero Decoder is ready, with the default limit. It does no I/O: the reader of the
// stream calls Push with each chunk and then Next until it reports false. An unfinished
// event at the end of the stream, without a blank line, is not returned.
//
// The events do not depend on how the stream is cut into chunks. Between calls the Decoder
// holds what was pushed and not fetched; of an unfinished event it holds at most the limit,
// its id and its name. Each stream needs its own Decoder, which must not be copied while in use.
type Decoder struct {
	limit int

	buf     []byte
	start   int  // of the current line in buf
	scanned int  // no line break in buf[start:scanned]
	begun   bool // the byte order mark is behind us
	afterCR bool // a newline at start belongs to the line break before
	skip    bool // the rest of the current line is dropped

	event   Event // the current one, without Data
	data    []byte
	hasData bool

	lastID   string
	retry    time.Duration
	hasRetry bool
}

// NewDecoder returns a Decoder for events with at most limit bytes of data. Zero or less
// stands for 16 MiB.
func NewDecoder(limit int) *Decoder { return &Decoder{limit: limit} }

// LastID returns the last event id of the stream, whether or not Next returned that event with
// data.
func (d *Decoder) LastID() string { return d.lastID }

// Retry returns how long to wait before the next connection; ok is false if the stream has not
// said so. It is valid from its line on, before the event is complete.
func (d *Decoder) Retry() (wait time.Duration, ok bool) { return d.retry, d.hasRetry }

// Push adds what was read from the stream. It copies chunk.
func (d *Decoder) Push(chunk []byte) {
	if d.skip {
		// The rest of a line that is too long: keep none of it.
		end := lineBreak(chunk, bytes.IndexByte)
		if end == len(chunk) {
			return
		}
		d.skip, d.afterCR = false, chunk[end] == '\r'
		chunk = chunk[end+1:]
	}
	// Move the rest to the front only when it is the smaller half: then the moves copy no more
	// bytes than they free.
	if d.start > 0 && d.start >= len(d.buf)-d.start {
		d.buf = d.buf[:copy(d.buf, d.buf[d.start:])]
		d.scanned -= d.start
		d.start = 0
	}
	d.buf = append(d.buf, chunk...)
}

// Next returns the next event; ok is false if no further one is complete. In addition to the
// events that a browser dispatches, it returns those without a data line that have an id or a retry.
// It skips comments, unknown fields, and ids with a zero byte, as the standard says.
//
// An event with more data than the limit is returned once, with Oversize and the beginning of
// its data. An id longer than 4096 bytes counts as empty, since no request could name it;
// a longer name is cut.
func (d *Decoder) Next() (e Event, ok bool) {
	for {
		line, ok := d.line()
		if !ok {
			return Event{}, false
		}
		if len(line) > 0 {
			d.field(line)
		} else if e, ok := d.dispatch(); ok {
			return e, true
		}
	}
}

func (d *Decoder) maxBytes() int {
	if d.limit <= 0 {
		return defaultMaxBytes
	}
	return d.limit
}

// line returns the next line without its line break, cut one byte after most. It is valid
// until the next Push.
func (d *Decoder) line() (line []byte, ok bool) {
	if !d.begun && !d.begin() {
		return nil, false
	}
	if d.afterCR && d.start < len(d.buf) {
		d.afterCR = false
		if d.buf[d.start] == '\n' {
			d.start++
		}
	}
	d.scanned = max(d.scanned, d.start)
	end := d.scanned + lineBreak(d.buf[d.scanned:], bytes.IndexByte)
	line = d.buf[d.start:end]
	most := d.most(line)
	if end == len(d.buf) {
		d.scanned = end
		if len(line) > most {
			d.skip, d.start = true, end
			return line[:most+1], true
		}
		if len(line) == 0 {
			d.buf, d.start, d.scanned = emptied(d.buf), 0, 0
		}
		return nil, false
	}
	d.afterCR = d.buf[end] == '\r'
	d.start = end + 1
	return line[:min(len(line), most+1)], true
}

// begin skips a byte order mark at the start of the stream; it reports false until enough bytes
// came to tell.
func (d *Decoder) begin() bool {
	if len(d.buf) < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, string(d.buf)) {
		return false
	}
	d.begun = true
	if bytes.HasPrefix(d.buf, []byte(byteOrderMark)) {
		d.start = len(byteOrderMark)
	}
	return true
}

// most is how many bytes of a line are of use: for a data line, what the event has room for.
// A line that has just begun is always shorter.
func (d *Decoder) most(line []byte) int {
	if bytes.HasPrefix(line, []byte("data")) {
		return d.maxBytes() - len(d.data) + fieldRoom
	}
	return maxName + fieldRoom
}

// field handles a line that is not blank.
func (d *Decoder) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		d.addData(value)
	case "id":
		if len(value) > maxName {
			value = nil
		}
		if bytes.IndexByte(value, 0) < 0 {
			d.event.ID, d.event.HasID = string(value), true
		}
	case "event":
		d.event.Name = string(value[:min(len(value), maxName)])
	case "retry":
		if wait, ok := milliseconds(value); ok && len(value) <= maxName {
			d.event.Retry, d.event.HasRetry = wait, true
			d.retry, d.hasRetry = wait, true
		}
	}
}

// addData appends a data line, and drops what exceeds the limit of the event.
func (d *Decoder) addData(value []byte) {
	room := d.maxBytes() + 1 - len(d.data)
	if d.hasData && room > 0 {
		d.data = append(d.data, '\n')
		room--
	}
	d.hasData = true
	d.data = append(d.data, value[:min(len(value), room)]...)
	d.event.Oversize = len(d.data) > d.maxBytes()
}

// dispatch ends the current event; ok is false if there is none.
func (d *Decoder) dispatch() (e Event, ok bool) {
	e, ok = d.event, d.hasData || d.event.HasID || d.event.HasRetry
	e.Data = string(d.data)
	d.event, d.data, d.hasData = Event{}, emptied(d.data), false
	if e.HasID {
		d.lastID = e.ID
	}
	return e, ok
}

// emptied returns buf, emptied for reuse.
func emptied(buf []byte) []byte {
	if cap(buf) > keepBuffer {
		return nil
	}
	return buf[:0]
}

// milliseconds reads the value of a retry field: only digits. A time beyond the range of
// Duration becomes the longest one.
func milliseconds(digits []byte) (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Millisecond)
	var ms int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		ms = min(ms*10+int64(c-'0'), most)
	}
	return time.Duration(ms) * time.Millisecond, len(digits) > 0
}
