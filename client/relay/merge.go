package relay

import (
	"iter"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// version is one of what a list of all servers says, as the client sees it, if it is known.
type version struct {
	of   uint64
	some bool
}

// target is what a name or uri of the client's stands for. Without a server it is withdrawn.
type target struct {
	server uint64
	key    string // as the server calls it
}

// shown returns the texts of a merged list: pages are made of them when they are asked for.
func (r *Relay) shown(k int) iter.Seq[string] {
	of := protocol.Lists()[k]
	return func(yield func(string) bool) {
		for _, u := range r.up {
			if r.seen(u, k) == 0 {
				continue
			}
			for it := range r.c.ItemsOf(of, u.Name) {
				text := it.Raw
				switch it.Name {
				case "":
					continue
				case it.Key:
				default:
					text = set(text, of.Key, it.Name)
				}
				if !yield(string(text)) {
					return
				}
			}
		}
	}
}

// merge returns the version of a merged list. It gives out the names that nobody has yet.
func (r *Relay) merge(k int) uint64 {
	m := &r.merged[k]
	if !m.some {
		r.c = r.c.Claim(protocol.Lists()[k])
		*m = version{some: true}
		for text := range r.shown(k) {
			m.of = engine.Hash([2]uint64{r.cfg.key[0], r.cfg.key[1] ^ m.of}, uint64('l'), text)
		}
	}
	return m.of
}

// paged returns the page of a merged list that a cursor stands for, "" the first; false for one of
// another list, or of what the list was before.
func (r *Relay) paged(k int, cursor string) (jsonrpc.Raw, bool) {
	of := r.merge(k)
	_, number, _ := strings.Cut(cursor, ".")
	first, err := strconv.Atoi(number)
	if cursor != "" && (err != nil || first <= 0 || r.cursor(of, first) != cursor) {
		return "", false
	}
	var b strings.Builder
	b.WriteString(`{"` + protocol.Lists()[k].Member + `":[`)
	at, size := 0, 0
	for text := range r.shown(k) {
		switch {
		case at < first:
		case at == first:
			b.WriteString(text)
		case at-first == r.cfg.Lists.PageItems || size+len(text) >= r.cfg.Lists.PageBytes:
			return jsonrpc.Raw(b.String() + `],"nextCursor":"` + r.cursor(of, at) + `"}`), true
		default:
			b.WriteString("," + text)
		}
		if at >= first {
			size += len(text) + 1
		}
		at++
	}
	return jsonrpc.Raw(b.String() + `]}`), at > first || first == 0
}

// cursor returns the cursor of the page that begins at an item: nobody else can make one.
func (r *Relay) cursor(of uint64, at int) string {
	number := strconv.Itoa(at)
	return strconv.FormatUint(engine.Hash([2]uint64{r.cfg.key[0], r.cfg.key[1] ^ of}, 'p', number), 16) + "." + number
}
