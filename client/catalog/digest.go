package catalog

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
)

// digest is the hash of a JSON value: equal values have equal ones, whatever the order of their
// members and the spelling of their strings and numbers (E6).
type digest [2]uint64

// digestOf returns the digest of a valid JSON object without the members of the given name. It
// takes time in proportion to the text: the hash of a value is made of those of its parts.
func digestOf(raw, without string) digest {
	w := walk{s: raw, without: without}
	w.value(rawjson.DefaultDepth)
	return w.sum
}

// walk reads a JSON text once. Each method leaves the place behind a value in at, and its digest
// in sum.
type walk struct {
	s       string
	at      int
	without string // of members of the outermost object
	sum     digest
}

type member struct {
	key string
	sum digest
}

func hash(kind byte, text string) digest {
	return digest{engine.Hash([2]uint64{}, uint64(kind), text), engine.Hash([2]uint64{1, 1}, uint64(kind), text)}
}

func (w *walk) value(depth int) {
	w.at = rawjson.Space(w.s, w.at)
	if depth == 0 || w.at >= len(w.s) { // no text that was decoded
		w.sum, w.at = hash('?', ""), len(w.s)
		return
	}
	switch w.s[w.at] {
	case '{':
		w.object(depth)
	case '[':
		w.array(depth)
	default:
		w.scalar()
	}
}

func (w *walk) scalar() {
	end := rawjson.Skip(w.s, w.at, 0)
	if end < 0 {
		end = len(w.s)
	}
	text := w.s[w.at:end]
	w.at = end
	if s, ok := rawjson.Unquote(text); ok {
		w.sum = hash('s', s)
	} else if neg, digits, exp, ok := rawjson.Decimal(text); ok {
		sign := byte('+')
		if neg {
			sign = '-'
		}
		w.sum = hash(sign, digits+"e"+string(word(nil, uint64(exp))))
	} else {
		w.sum = hash('t', text)
	}
}

func (w *walk) array(depth int) {
	var parts []byte
	for w.at++; ; w.at++ {
		if w.at = rawjson.Space(w.s, w.at); w.at >= len(w.s) || w.s[w.at] == ']' {
			break
		}
		w.value(depth - 1)
		parts = word(word(parts, w.sum[0]), w.sum[1])
		if w.at = rawjson.Space(w.s, w.at); w.at >= len(w.s) || w.s[w.at] == ']' {
			break
		}
	}
	w.at++
	w.sum = hash('a', string(parts))
}

func (w *walk) object(depth int) {
	without := w.without
	w.without = ""
	var list []member
	for w.at++; ; w.at++ {
		if w.at = rawjson.Space(w.s, w.at); w.at >= len(w.s) || w.s[w.at] != '"' {
			break
		}
		end, val := rawjson.Key(w.s, w.at)
		if val < 0 {
			w.at = len(w.s)
			break
		}
		key, _ := rawjson.Unquote(w.s[w.at:end])
		w.at = val
		w.value(depth - 1)
		if without == "" || key != without {
			list = append(list, member{key, w.sum})
		}
		if w.at = rawjson.Space(w.s, w.at); w.at >= len(w.s) || w.s[w.at] == '}' {
			break
		}
	}
	w.at++
	slices.SortStableFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	var parts []byte
	for i, m := range list {
		if i+1 < len(list) && list[i+1].key == m.key { // of members of one name the last counts
			continue
		}
		key := hash('k', m.key)
		parts = word(word(parts, key[0]), key[1])
		parts = word(word(parts, m.sum[0]), m.sum[1])
	}
	w.sum = hash('o', string(parts))
}

// word appends a number as eight bytes.
func word(dst []byte, n uint64) []byte {
	for range 8 {
		dst = append(dst, byte(n))
		n >>= 8
	}
	return dst
}
