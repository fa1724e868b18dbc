package catalog

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// item is an item of the Catalog. It is never changed.
type item struct {
	uid    uint64 // of all that the Catalog ever had
	rank   uint64 // that of its server, 0 for a local tool
	server string
	key    string      // its name, uri or uriTemplate
	id     string      // the qualified name; of a local tool the plain one
	raw    jsonrpc.Raw // as the server wrote it
	kind   int
	plain  bool // it may have its plain name
	cut    bool // the plain name is as long as qualified names that were cut
}

func (n *item) ref() ItemID { return ItemID{Server: n.server, Key: n.key} }

// compare orders items by precedence. Two items of one list never want the same text but where
// names that were cut collide.
func (n *item) compare(o *item) int {
	if c := cmp.Compare(n.rank, o.rank); c != 0 {
		return c
	}
	return strings.Compare(n.key, o.key)
}

// list is a list that was read to its end. It is never changed.
type list struct {
	items []*item
	named map[string]*item
}

// get returns an item by its own name, nil if there is none.
func (l *list) get(key string) *item {
	if l == nil {
		return nil
	}
	return l.named[key]
}

func (l *list) all() []*item {
	if l == nil {
		return nil
	}
	return l.items
}

// reader makes a list of items (A22): one that is not valid is left out and told of.
type reader struct {
	c      *Catalog
	kind   int
	rank   uint64
	server string
	old    *list
	list   list
	bytes  int
	found  []Dropped
	more   int
}

func (r *reader) drop(index int, key string, err error) {
	if len(r.found) >= r.c.cfg.Limits.Dropped {
		r.more++
		return
	}
	r.found = append(slices.Clip(r.found), Dropped{Server: r.server, Index: index, Key: clip(key), Err: err})
}

// read makes the list of the items of all pages.
func (r *reader) read(items []jsonrpc.Raw) {
	limits := &r.c.cfg.Limits
	r.list.named = make(map[string]*item, min(len(items), limits.Items))
	for i, raw := range items {
		switch {
		case len(raw) > limits.ItemBytes:
			r.drop(i, "", ErrTooLong)
		case len(r.list.items) >= limits.Items || r.bytes+len(raw) > limits.Bytes:
			r.drop(i, "", ErrTooMany)
		default:
			r.item(i, raw)
		}
	}
}

func (r *reader) item(i int, raw jsonrpc.Raw) {
	of := protocol.Lists()[r.kind]
	raw = jsonrpc.Raw(strings.Clone(string(raw))) // of which the key is a part
	if err := of.Check(raw); err != nil {         // the session hands on no such item
		r.drop(i, "", errors.Join(ErrItem, err))
		return
	}
	val, _ := rawjson.Get(string(raw), of.Key)
	key, _ := rawjson.Unquote(val)
	if !isURI(r.kind) && !naming.Valid(key, r.c.cfg.Limits.Name) {
		r.drop(i, key, ErrName)
		return
	}
	if other := r.list.named[key]; other != nil {
		r.drop(i, key, &ConflictError{Name: other.id, Existing: other.ref(), Incoming: other.ref()})
		return
	}
	n := r.old.get(key)
	if n == nil || n.raw != raw {
		n = r.c.item(r.kind, r.rank, r.server, key, raw)
	}
	r.bytes += len(n.raw)
	r.list.items = append(r.list.items, n)
	r.list.named[key] = n
}

// faults notes the items of a page that are not valid. One with an odd optional member is there
// without that member.
func (r *reader) faults(page jsonrpc.Raw) {
	of := protocol.Lists()[r.kind]
	array, _ := rawjson.Get(string(page), of.Member)
	items, _ := rawjson.Elements(array)
	for i := 0; ; i++ {
		raw, ok := items.Next()
		if !ok {
			return
		}
		if _, err := of.Mend(jsonrpc.Raw(raw)); err != nil {
			key, _ := rawjson.Get(raw, of.Key)
			key, _ = rawjson.Unquote(key)
			r.drop(i, key, errors.Join(ErrItem, err))
		}
	}
}

// item makes an item of its key and the text that it was read from. It keeps both.
func (c *Catalog) item(kind int, rank uint64, server, key string, raw jsonrpc.Raw) *item {
	c.uid++
	n := &item{uid: c.uid, rank: rank, server: server, id: key, key: key, kind: kind, plain: true, raw: raw}
	if s := c.source(rank); s != nil {
		n.id = c.qualify(kind, server, key)
		n.plain = c.plain(s, kind)
	}
	n.cut = !isURI(kind) && c.cfg.Naming.Form.Long(key)
	return n
}
