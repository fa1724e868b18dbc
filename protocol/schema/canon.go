package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// canon appends a text of v that equal values share and no others have. It is
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
		for !w.dead {
			x, ok := a.Next()
			if !ok {
				break
			}
			dst = append(w.canon(dst, x), ',')
		}
		return append(dst, ']')
	case '"':
		s, ok := rawjson.Unquote(v)
		if !ok {
			return append(append(dst, '?'), v...)
		}
		return rawjson.AppendQuote(dst, s)
	case 't', 'f', 'n':
		return append(dst, v...)
	}
	d, _ := parseDecimal(v)
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return strconv.AppendInt(dst, d.exp, 10)
}

func (w *work) canonObject(dst []byte, v string) []byte {
	o, ok := w.members(v)
	if !ok {
		return dst
	}
	slices.SortStableFunc(o.list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, m := range o.list {
		dst = append(rawjson.AppendQuote(dst, m.key), ':')
		dst = append(w.canon(dst, m.val), ',')
	}
	return append(dst, '}')
}
