package schema

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// canon appends a canonical text of v: equal values have the same text, others differ. It is
// incomplete if the call is over.
func (w *work) canon(dst []byte, v string) []byte {
	if !w.read(v) {
		return dst
	}
	switch v[0] {
	case '{':
		return w.canonObject(dst, v)
	case '[':
		dst = append(dst, '[')
		a, _ := rawjson.Elements(v)
		a.Trust(depthWithin)
		for x := range a.All {
			if dst = append(w.canon(dst, x), ','); w.dead {
				break
			}
		}
		w.ended(a.Fault())
		return append(dst, ']')
	case '"':
		if strings.IndexByte(v, '\\') < 0 {
			return append(dst, v...)
		}
		if !w.step(len(v) / escapeBytes) {
			return dst
		}
		s, ok := rawjson.Unquote(v)
		if !ok {
			return append(append(dst, '?'), v...)
		}
		return rawjson.AppendQuote(dst, s)
	case 't', 'f', 'n':
		return append(dst, v...)
	}
	d, ok := parseDecimal(v)
	if !ok {
		return append(append(dst, '?'), v...)
	}
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return strconv.AppendInt(dst, d.exp, 10)
}

func (w *work) canonObject(dst []byte, v string) []byte {
	from := len(w.list)
	if _, ok := w.members(v); !ok {
		return dst
	}
	list := w.list[from:]
	names := 0
	for i := range list {
		names += len(list[i].key)
	}
	// The comparisons of a sort, for names that may be equal up to their ends.
	if !w.step(bits.Len(uint(len(list))) * (len(list) + names/stepBytes) / sortSteps) {
		return dst
	}
	slices.SortStableFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i := range list {
		m := &w.list[from+i]
		dst = append(rawjson.AppendQuote(dst, m.key), ':')
		dst = append(w.canon(dst, m.val), ',')
	}
	w.drop(from)
	return append(dst, '}')
}

// codePoints returns the length of the JSON string v. An unpaired surrogate counts as one,
// in any spelling.
func codePoints(v string) int {
	v = v[1 : len(v)-1]
	n := 0
	for {
		i := strings.IndexByte(v, '\\')
		if i < 0 {
			return n + utf8.RuneCountInString(v)
		}
		n += utf8.RuneCountInString(v[:i]) + 1
		end := i + 2
		if end > len(v) { // no validated text ends like this
			return n
		}
		if v[i+1] == 'u' {
			end = i + 6
			if high(v[i:]) && strings.HasPrefix(v[end:], `\u`) && low(v[end:]) {
				end += 6
			}
		}
		v = v[min(end, len(v)):]
	}
}

// high and low report which half of a surrogate pair an escape \uXXXX is.
func high(escape string) bool { return surrogate(escape, "89abAB") }
func low(escape string) bool  { return surrogate(escape, "cdefCDEF") }

func surrogate(escape, third string) bool {
	return len(escape) >= 6 && escape[2]|0x20 == 'd' && strings.IndexByte(third, escape[3]) >= 0
}
