package relay

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// shown returns the texts of a merged list from the beginning of a page, each with its position: pages
// are made on request. The zero page is the beginning of the list.
func (r *Relay) shown(k int, from page) iter.Seq2[page, string] {
	of := protocol.Lists()[k]
	return func(yield func(page, string) bool) {
		for _, u := range r.up.all()[max(r.up.place(from.server), 0):] {
			if r.seen(u, k) == 0 {
				continue
			}
			if u.id != from.server {
				from.item = 0
			}
			for at, it := range r.c.ItemsOf(of, u.Name, from.item) {
				text := it.Raw
				switch it.Name {
				case "":
					continue
				case it.Key:
				default:
					text = set(text, of.Key, it.Name)
				}
				if !yield(page{from.first, u.id, at}, string(text)) {
					return
				}
				from.first++
			}
		}
	}
}

// merge returns a merged list, and assigns free names.
func (r *Relay) merge(k int) merged {
	if r.merged[k].version != 0 {
		return r.merged[k]
	}
	r.c = r.c.Claim(protocol.Lists()[k])
	m := merged{version: 1}
	begin, size := 0, 0
	for at, text := range r.shown(k, page{}) {
		m.version = engine.Hash([2]uint64{r.cfg.key[0], r.cfg.key[1] ^ m.version}, uint64('l'), text)
		if len(m.pages) == 0 || at.first-begin == r.cfg.Lists.PageItems || size+len(text) >= r.cfg.Lists.PageBytes {
			m.pages = append(m.pages, at)
			begin, size = at.first, 0
		}
		size += len(text) + 1
	}
	r.merged[k] = m
	return m
}

// paged returns the page of a merged list for a cursor, "" for the first; false for a cursor of
// another list, or of an earlier version.
func (r *Relay) paged(k int, cursor string) (jsonrpc.Raw, bool) {
	m, i := r.merge(k), 0
	if cursor != "" {
		_, number, _ := strings.Cut(cursor, ".")
		first, _ := strconv.Atoi(number) // 0 if absent
		at, ok := slices.BinarySearchFunc(m.pages, first, func(p page, first int) int { return p.first - first })
		if !ok || first == 0 || r.cursor(m.version, first) != cursor {
			return "", false
		}
		i = at
	}
	var b strings.Builder
	b.WriteString(`{"` + protocol.Lists()[k].Member + `":[`)
	if i < len(m.pages) {
		begin := m.pages[i]
		for at, text := range r.shown(k, begin) {
			if i+1 < len(m.pages) && at.first == m.pages[i+1].first {
				return jsonrpc.Raw(b.String() + `],"nextCursor":"` + r.cursor(m.version, at.first) + `"}`), true
			}
			if at.first > begin.first {
				b.WriteByte(',')
			}
			b.WriteString(text)
		}
	}
	return jsonrpc.Raw(b.String() + `]}`), true
}

// cursor returns the cursor of the page that begins after first items. It is keyed: no peer can
// forge one.
func (r *Relay) cursor(of uint64, first int) string {
	number := strconv.Itoa(first)
	return strconv.FormatUint(engine.Hash([2]uint64{r.cfg.key[0], r.cfg.key[1] ^ of}, 'p', number), 16) + "." + number
}
