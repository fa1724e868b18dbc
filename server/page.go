package server

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// list is one list of a catalog: the items sorted by key, encoded and joined by commas, and the
// pages that a client asks for that begins at the start.
type list struct {
	member   string
	declared bool
	keys     []string
	from, to []int // of each item in text
	text     string
	sums     []uint64 // of each item
	sum      uint64   // of all items, to compare lists

	upper, under *list // if made by over
	hidden       []int // the items of under whose keys upper has, ascending

	size  int // items on a page, less if the list is shorter
	full  int // items on a page, even if the list is shorter
	kind  byte
	key   [2]uint64
	pages []jsonrpc.Raw
	cache protocol.Cache      // CACH-005, CACH-006
	nulls bool                // some item has null for an optional member
	trims []protocol.Revision // revisions without some member of some item
}

func (l *list) paginate(of *protocol.List, size int, kind byte, key [2]uint64) {
	l.size, l.kind, l.key = size, kind, key
	row := protocol.Revisions()[0].Row(of.Method)
	for i := 0; i == 0 || i < len(l.keys); i += size {
		page := l.encode(i)
		l.pages = append(l.pages, page)
		l.nulls = l.nulls || row.WithoutNulls(protocol.BodyResult, page) != page
		for _, r := range protocol.AllRevisions() {
			if out, _ := r.Downgrade(of.Method, protocol.BodyResult, page); out != page && !slices.Contains(l.trims, r) {
				l.trims = append(l.trims, r)
			}
		}
	}
}

// encode makes the result whose first item is item i.
func (l *list) encode(i int) jsonrpc.Raw {
	end := min(i+l.size, len(l.keys))
	dst := append(append([]byte(`{"`), l.member...), `":[`...)
	if i < end {
		dst = append(dst, l.text[l.from[i]:l.to[end-1]]...)
	}
	dst = append(dst, ']')
	// PAGE-017
	if end < len(l.keys) {
		dst = rawjson.AppendQuote(append(dst, `,"nextCursor":`...), l.cursor(l.keys[end-1]))
	}
	return jsonrpc.Raw(append(dst, '}'))
}

// page answers the list request m, whose result has the items in member; false for a cursor that no
// catalog of this server made (pagination, Error Handling; PAGE-014, PAGE-015).
func (l *list) page(member string, m *jsonrpc.Message) (jsonrpc.Raw, bool) {
	val, given := rawjson.Get(string(m.Body), "cursor")
	// PAGE-002
	switch first := !given || val == "null"; {
	case first && l.upper != nil:
		return l.join(0, 0), true
	case first && l.pages == nil: // the list of a zero Catalog
		return jsonrpc.Raw(`{"` + member + `":[]}`), true
	case first:
		return l.pages[0], true
	}
	cursor, _ := rawjson.Unquote(val)
	after, ok := l.parse(cursor)
	switch {
	case ok && l.upper != nil:
		return l.join(l.upper.after(after), l.under.after(after)), true
	case !ok || l.pages == nil:
		return "", false
	}
	// PAGE-016
	i := l.after(after)
	if i%l.size == 0 && i/l.size < len(l.pages) {
		return l.pages[i/l.size], true
	}
	return l.encode(i), true
}

// cursor returns the cursor of the items after the key: opaque, and valid for this list only, in
// any session or without one (PAGE-013, PAGE-018, PAGE-202).
func (l *list) cursor(after string) string { return l.tag(after) + after }

func (l *list) parse(cursor string) (after string, ok bool) {
	if len(cursor) < tagLen {
		return "", false
	}
	after = cursor[tagLen:]
	return after, cursor[:tagLen] == l.tag(after)
}

// tagLen is the length of the tag that marks our cursors.
const tagLen = 16

func (l *list) tag(after string) string {
	h := engine.Hash(l.key, uint64(l.kind), after)
	return strconv.FormatUint(h|1<<63, 16) // always tagLen digits
}

// defaultPageSize is the number of items on a page.
const defaultPageSize = 100

// has reports whether the list has an item with the key.
func (l *list) has(key string) bool {
	if l.upper != nil {
		return l.upper.has(key) || l.under.has(key)
	}
	_, found := slices.BinarySearch(l.keys, key)
	return found
}

// lay makes l of two lists. If one is empty, l is the other.
func (l *list) lay(upper, under *list) {
	declared := upper.declared || under.declared
	switch {
	case len(upper.keys) == 0 && under.pages != nil:
		*l = *under
	case len(under.keys) == 0:
		*l = *upper
	default:
		*l = list{
			member: upper.member, size: under.full, full: under.full, kind: under.kind, key: under.key, upper: upper, under: under,
			cache: upper.cacheOver(under), sum: upper.sum + under.sum, nulls: upper.nulls || under.nulls, trims: slices.Clone(under.trims),
		}
		for _, r := range upper.trims {
			if !slices.Contains(l.trims, r) {
				l.trims = append(l.trims, r)
			}
		}
		for _, key := range upper.keys {
			if i, found := slices.BinarySearch(under.keys, key); found {
				l.hidden = append(l.hidden, i)
				l.sum -= under.sums[i]
			}
		}
	}
	l.declared = declared
}

// cacheOver returns the Cache of l over another list; a list without items does not count.
func (l *list) cacheOver(under *list) protocol.Cache {
	switch {
	case len(l.keys) == 0 && l.upper == nil:
		return under.cache
	case len(under.keys) == 0 && under.upper == nil:
		return l.cache
	}
	return shorter(l.cache, under.cache)
}

// shorter returns the Cache of a list that is made of two.
func shorter(a, b protocol.Cache) protocol.Cache {
	a.TTL = min(a.TTL, b.TTL)
	if b.Scope != protocol.CachePublic {
		a.Scope = b.Scope
	}
	return a
}

// join encodes a page that begins with item i of the upper list and item j of the lower one.
func (l *list) join(i, j int) jsonrpc.Raw {
	up, low := l.upper, l.under
	h, _ := slices.BinarySearch(l.hidden, j)
	dst := append(append([]byte(`{"`), l.member...), `":[`...)
	last := ""
	for n := 0; ; n++ {
		for h < len(l.hidden) && l.hidden[h] == j {
			h, j = h+1, j+1
		}
		upper := i < len(up.keys) && (j == len(low.keys) || up.keys[i] < low.keys[j])
		if !upper && j == len(low.keys) {
			dst = append(dst, ']')
			break
		}
		if n == l.size {
			// PAGE-017
			dst = rawjson.AppendQuote(append(dst, `],"nextCursor":`...), l.cursor(last))
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		if upper {
			dst, last = append(dst, up.text[up.from[i]:up.to[i]]...), up.keys[i]
			i++
		} else {
			dst, last = append(dst, low.text[low.from[j]:low.to[j]]...), low.keys[j]
			j++
		}
	}
	return jsonrpc.Raw(append(dst, '}'))
}

// after returns the index of the first item whose key is greater than key.
func (l *list) after(key string) int {
	i, found := slices.BinarySearch(l.keys, key)
	if found {
		i++
	}
	return i
}

// begins reports whether some key begins with prefix, which is not a key itself.
func (l *list) begins(prefix string) bool {
	if l.upper != nil {
		return l.upper.begins(prefix) || l.under.begins(prefix) // the upper list has the hidden keys
	}
	i, _ := slices.BinarySearch(l.keys, prefix)
	return i < len(l.keys) && strings.HasPrefix(l.keys[i], prefix)
}

// same reports whether two lists have the same items.
func (l *list) same(m *list) bool {
	switch {
	case l.sum != m.sum:
		return false
	case l.upper != nil || m.upper != nil:
		return true
	}
	return l.text == m.text // usually the same bytes in memory, so this is fast
}
