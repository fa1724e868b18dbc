package server

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// over returns the catalog of what c and base have; of two of one key that of c. Both are made
// by NewCatalog. It refers to both, and takes time in proportion to c.
func (c *Catalog) over(base *Catalog) *Catalog {
	both := &Catalog{upper: c, under: base}
	for _, l := range protocol.Lists() {
		both.list(l).lay(c.list(l), base.list(l))
	}
	both.hash, both.asks = both.version(), c.asks || base.asks
	return both
}

// lay makes l of two lists. If one has nothing, l is the other.
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
			sum: upper.sum + under.sum, nulls: upper.nulls || under.nulls, trims: slices.Clone(under.trims),
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

// join makes the result whose first items are item i of the upper list and item j of the one
// below, or what comes after them.
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

// after returns the place of the first item whose key is behind a key.
func (l *list) after(key string) int {
	i, found := slices.BinarySearch(l.keys, key)
	if found {
		i++
	}
	return i
}

// begins reports whether some key begins with a prefix, which is no key itself.
func (l *list) begins(prefix string) bool {
	if l.upper != nil {
		return l.upper.begins(prefix) || l.under.begins(prefix) // what is hidden is in the upper one
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
	return l.text == m.text // of which most share the bytes
}

// fingerprint tells an item from others.
func fingerprint(member string, item []byte) uint64 {
	return engine.Hash([2]uint64{}, uint64(len(member)), string(item))
}

// needs returns the required arguments of a prompt.
func (c *Catalog) needs(prompt string) []string {
	switch {
	case c.upper == nil:
		return c.required[prompt]
	case c.upper.prompts.has(prompt):
		return c.upper.required[prompt]
	}
	return c.under.required[prompt]
}

// matches reports whether some template matches a uri.
func (c *Catalog) matches(uri string) bool {
	if c.upper != nil {
		return c.upper.matches(uri) || c.under.matches(uri)
	}
	_, found := c.match.Find(uri)
	return found
}

// names returns sorted names of tools; the caller owns the slice.
func (c *Catalog) names(of func(*Catalog) []string) []string {
	if c.upper == nil {
		return slices.Clone(of(c))
	}
	list := c.upper.names(of)
	for _, name := range of(c.under) {
		if !c.upper.tools.has(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
