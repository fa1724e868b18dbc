package server

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// list is one list of a catalog: the items sorted by key, encoded and joined by
// commas, and the pages that a listing from the start will ask for.
type list struct {
	member   string
	declared bool
	keys     []string
	from, to []int // where each item stands in text
	text     string
	sums     []uint64 // of each item
	sum      uint64   // of all, which tells lists apart

	upper, under *list // of which it is made: see over
	hidden       []int // the items of under whose keys upper has, ascending

	size  int // of a page, as far as there are items
	full  int // of a page, however many there are
	kind  byte
	key   [2]uint64
	pages []jsonrpc.Raw
	nulls bool                // some item has a null in place of an optional member
	trims []protocol.Revision // those that lack something of some item
}

func (l *list) paginate(of *protocol.List, size int, kind byte, key [2]uint64) {
	l.size, l.kind, l.key = size, kind, key
	row := protocol.Revisions()[0].Row(of.Method)
	for i := 0; i == 0 || i < len(l.keys); i += size {
		page := l.encode(i)
		l.pages = append(l.pages, page)
		l.nulls = l.nulls || row.WithoutNulls(protocol.BodyResult, page) != page
		for _, r := range protocol.Revisions() {
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

// list answers a list request from the catalog.
func (s *State) list(row *protocol.Row, m *jsonrpc.Message, o *Output) {
	l := s.catalog().list(row.Lists)
	body, ok := l.page(row.Lists.Member, m)
	if !ok {
		engine.ReplyError(m, protocol.InvalidParams("invalid cursor"), o)
		return
	}
	if l.nulls && !s.cfg.env.Policy.KeepNulls && !s.core.PassThrough() { // else there are none, or they stay
		body = row.WithoutNulls(protocol.BodyResult, body)
	}
	if slices.Contains(l.trims, row.Revision()) { // else it has all, and pages can be long
		body = s.core.Downgrade(row, protocol.BodyResult, body, o.Opened, Req{}, o)
	}
	engine.Reply(m, body, o)
}

// page answers the list request m, whose result has the items in member; false for a
// cursor that no catalog of this server gave out (pagination, Error Handling; PAGE-014,
// PAGE-015).
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

// cursor returns the cursor of the items that come after the key: opaque, and good
// for this list only (PAGE-013, PAGE-018).
func (l *list) cursor(after string) string { return l.tag(after) + after }

func (l *list) parse(cursor string) (after string, ok bool) {
	if len(cursor) < tagLen {
		return "", false
	}
	after = cursor[tagLen:]
	return after, cursor[:tagLen] == l.tag(after)
}

// tagLen is the length of the tag that tells our cursors from others.
const tagLen = 16

func (l *list) tag(after string) string {
	h := engine.Hash(l.key, uint64(l.kind), after)
	return strconv.FormatUint(h|1<<63, 16) // always tagLen digits
}
