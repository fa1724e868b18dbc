package jsonrpc

import (
	"math"
	"strings"

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
		text = strings.ToValidUTF8(s, mended)
	}
	i := space(text, 0)
	if i >= len(text) || text[i] != '{' {
		return m
	}
	var e envelope
	last, whole, plain := e.outline(text, i)
	if f == FaultUTF8 && strings.Contains(e.text[fieldID], mended) {
		e.twoIDs = true // what was sent is not known
	}
	var read Message
	e.message(&read)
	if f == FaultUTF8 && strings.Contains(read.Method, mended) {
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
		plain = plain && !strings.Contains(s[i:name], mended)
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

// mended stands for bytes that are not UTF-8: where strings begin and end stays as it is.
const mended = "\x7f"

func invalid(f Fault) Message { return Message{Kind: KindInvalid, Fault: f} }
