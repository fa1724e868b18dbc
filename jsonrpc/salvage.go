package jsonrpc

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// headBytes is how much of a text over the size limit is looked at. Peers that
// write the id before the body have it within the first hundred bytes.
const headBytes = 4 << 10

// salvage makes the message of a text with the fault f, or of the start of one
// that is too long: with shape and id where they are certain, so that whoever
// waits for an answer learns at once that there is none. Only members of the
// outermost object count, and only those before the first place that cannot be
// read. The rest of what JSON-RPC names is left out, for it may be damaged.
func salvage(s string, f Fault) Message {
	m := invalid(f)
	text := s
	if f == FaultUTF8 {
		text = mend(s)
	}
	i := space(text, 0)
	if i >= len(text) || text[i] != '{' {
		return m
	}
	var e envelope
	last, whole, plain := e.outline(text, i)
	if f == FaultUTF8 && strings.IndexByte(e.text[fieldID], mended) >= 0 {
		e.twoIDs = true // what was sent is not known
	}
	var read Message
	e.message(&read)
	if strings.IndexByte(read.Method, mended) >= 0 && f == FaultUTF8 {
		read.Method = ""
	}
	if last == fieldID {
		read.ID = ID{} // given twice, or not known to its end
	}
	usable := !read.ID.IsZero()
	method := e.text[fieldMethod] != "" || last == fieldMethod
	answer := e.text[fieldResult] != "" || e.text[fieldFailure] != "" || last == fieldResult || last == fieldFailure
	switch {
	case !method && !answer && (!plain || f == FaultTrailing):
		return m // what decides may have had the name that is damaged, or is behind a stray brace
	case whole && read.Kind == KindError:
		m.Shape = KindResult
	case whole && read.Kind != KindInvalid:
		m.Shape = read.Kind
	case whole:
		m.Shape = read.Shape
	case method && usable:
		m.Shape = KindRequest
	case answer:
		m.Shape = KindResult
	default:
		return m // what decides may come later
	}
	m.ID, m.Method, m.ext = read.ID, read.Method, read.ext
	if len(s) >= large {
		m = m.apart()
	}
	return m
}

// outline is scan for a text that is known to have a fault, at any depth. It
// ends at the first member that cannot be read to its end and returns which one
// that is; whole is true if there is none, and plain if no name has mended in it. A
// value counts as read once the comma or brace after it is: of a number there might
// be more.
func (e *envelope) outline(s string, i int) (last field, whole, plain bool) {
	plain = true
	i = space(s, i+1)
	if i < len(s) && s[i] == '}' {
		return fieldOther, true, plain
	}
	for {
		name, v := rawjson.Key(s, i)
		if v < 0 {
			return fieldOther, false, plain
		}
		f := named(s[i:name])
		plain = plain && strings.IndexByte(s[i:name], mended) < 0
		end := rawjson.Skip(s, v, math.MaxInt)
		if end < 0 {
			return f, false, plain
		}
		i = space(s, end)
		if i >= len(s) || s[i] != ',' && s[i] != '}' {
			return f, false, plain
		}
		if f < fieldOther {
			e.twoIDs = e.twoIDs || f == fieldID && e.text[f] != ""
			e.repeated = e.repeated || e.text[f] != ""
			e.text[f] = s[v:end]
		}
		if s[i] == '}' {
			return fieldOther, true, plain
		}
		i = space(s, i+1)
	}
}

// mended stands for each byte that is not UTF-8.
const mended = '\x7f'

// mend returns s with mended for each byte that is not UTF-8: where strings begin
// and end stays as it is.
func mend(s string) string {
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = mended
		}
		i += n
	}
	return string(b)
}

func invalid(f Fault) Message { return Message{Kind: KindInvalid, Fault: f} }
