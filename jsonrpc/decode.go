package jsonrpc

import (
	"math"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The limits of a Decoder whose fields are zero.
const (
	DefaultMaxBytes = 16 << 20 // bytes of a message or batch
	defaultMaxBatch = 1000     // elements of a batch
)

// Decoder decodes messages within its limits. A zero or negative field means its default. The zero
// Decoder is ready for use.
type Decoder struct {
	MaxBytes int // longest text in bytes; DefaultMaxBytes
	MaxDepth int // arrays and objects open at a time, the message being one; rawjson.DefaultDepth
	MaxBatch int // elements of a batch; 1000
}

// Decode decodes one message or batch with the default limits. It copies data once, so that the
// caller may reuse it; the Message shares the copy. Text that is not a message returns KindInvalid.
func Decode(data []byte) Message { return Decoder{}.Decode(data) }

// DecodeString is Decode for immutable text: the Message shares s, unless it is a small part of a large
// s (unknown members, blanks, the rest of a batch). So a Message keeps little more memory than it shows.
func DecodeString(s string) Message { return Decoder{}.DecodeString(s) }

// Decode is the function Decode under the limits of d.
func (d Decoder) Decode(data []byte) (m Message) {
	for marked(data) {
		data = data[len(byteOrderMark):]
	}
	if limit := d.maxBytes(); len(data) > limit {
		return salvage(string(data[:min(limit, headBytes)]), FaultSize).over(limit)
	}
	d.decode(string(data), &m)
	return m
}

// DecodeString is the function DecodeString under the limits of d.
func (d Decoder) DecodeString(s string) (m Message) {
	d.decode(s, &m)
	return m
}

// decode is DecodeString that makes *m, which is zero, the message.
func (d *Decoder) decode(s string, m *Message) {
	for marked(s) {
		s = s[len(byteOrderMark):]
	}
	if limit := d.maxBytes(); len(s) > limit {
		*m = salvage(strings.Clone(s[:min(limit, headBytes)]), FaultSize).over(limit)
		return
	}
	depth := orDefault(d.MaxDepth, rawjson.DefaultDepth)
	i := rawjson.Space(s, 0)
	if i < len(s) && s[i] == '{' {
		var e envelope
		if i = e.scan(s, i, depth); i >= 0 && rawjson.Space(s, i) == len(s) {
			if e.message(m); len(s) >= large && m.size() < len(s)/2 {
				*m = m.apart()
			}
			return
		}
	}
	// Anything but one object: find out what it is.
	switch f := faultOf[rawjson.Check(s, depth)]; {
	case f != 0:
		*m = salvage(s, f)
	case s[i] == '[':
		*m = d.batch(s)
	default:
		*m = invalid(FaultNotObject)
	}
}

// faultOf names what keeps a text from being JSON.
var faultOf = [...]Fault{
	rawjson.Syntax: FaultSyntax, rawjson.Depth: FaultDepth,
	rawjson.UTF8:     FaultUTF8,     // TRANS-001
	rawjson.Trailing: FaultTrailing, // STDIO-002: a line is one message
}

const byteOrderMark = "\ufeff"

// marked reports whether text starts with a byte order mark. It says nothing in
// UTF-8, but some writers of files and pipes put it there (STDIO-014).
func marked[T string | []byte](text T) bool {
	return len(text) >= len(byteOrderMark) && text[0] == byteOrderMark[0] && text[1] == byteOrderMark[1] && text[2] == byteOrderMark[2]
}

func (d Decoder) maxBytes() int { return orDefault(d.MaxBytes, DefaultMaxBytes) }

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// batch decodes the elements of the array s, which was validated.
func (d Decoder) batch(s string) Message {
	limit, n := orDefault(d.MaxBatch, defaultMaxBatch), 0
	count, _ := rawjson.Elements(s)
	for range count.All {
		if n++; n > limit {
			break
		}
	}
	if n == 0 || n > limit {
		return invalid(FaultBatch)
	}
	all := make([]Message, 0, n)
	elements, _ := rawjson.Elements(s)
	for val := range elements.All {
		m := invalid(FaultNotObject)
		var e envelope
		// The depth of the whole was within its limit.
		if val[0] == '{' && e.scan(val, 0, math.MaxInt) > 0 {
			m = Message{}
			e.message(&m)
		}
		if len(s) >= large && m.size() < len(s)/2 {
			m = m.apart()
		}
		all = append(all, m)
	}
	return Message{Kind: KindBatch, ext: &ext{batch: all}}
}
