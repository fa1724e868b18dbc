package catalog

import (
	"errors"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// listOf returns a list of items, of which those are shown that pass a Filter.
func listOf(kind int, items []*item, f *Filter) *list {
	l := &list{items: items, shown: items}
	if of := protocol.Lists()[kind]; f.Restricts(of) {
		l.shown, l.hidden = make([]*item, 0, len(items)), map[string]bool{}
		for _, n := range items {
			if f.Passes(of, n.key, n.raw) {
				l.shown = append(l.shown, n)
			} else if kind == ofResources {
				l.hidden[n.key], l.hidden[plainURI(n.key)] = true, true
			}
		}
	}
	if len(l.shown) > few {
		l.byKey = slices.SortedFunc(slices.Values(l.shown), func(a, b *item) int { return strings.Compare(a.key, b.key) })
	}
	if kind == ofTemplates && (f.Restricts(protocol.ResourceList) || f.Restricts(protocol.TemplateList)) {
		l.makes = setOf(l.shown) // which May asks for
	}
	return l
}

// versioned returns a list with a version of its own; the one before if it is the same.
func (c *Catalog) versioned(before, l *list) *list {
	if before != nil && slices.Equal(before.items, l.items) {
		return before
	}
	c.uid++
	l.version = c.uid
	return l
}

// reader makes a list of items (A22): one that is not valid is left out and told of.
type reader struct {
	kind  int
	of    *owner
	old   *list
	items []*item
	named map[string]*item
	bytes int
	faults
}

func (r *reader) drop(c *Catalog, index int, key string, err error) {
	if len(r.dropped) >= c.cfg.Limits.Dropped {
		r.more++
		return
	}
	r.dropped = append(slices.Clip(r.dropped), Dropped{Server: r.of.server, Index: index, Key: strings.Clone(rawjson.Clip(key, longestKey)), Err: err})
}

// read takes the items of all pages.
func (r *reader) read(c *Catalog, items []jsonrpc.Raw) {
	limits := &c.cfg.Limits
	r.items = make([]*item, 0, min(len(items), limits.Items))
	r.named = make(map[string]*item, cap(r.items))
	for i, raw := range items {
		switch {
		case c.cfg.PassThrough:
			r.item(c, i, raw)
		case len(raw) > limits.ItemBytes:
			r.drop(c, i, "", errTooLong)
		case len(r.items) >= limits.Items || r.bytes+len(raw) > limits.Bytes:
			r.drop(c, i, "", errTooMany)
		default:
			r.item(c, i, raw)
		}
	}
	r.items = slices.Clip(r.items)
}

func (r *reader) item(c *Catalog, i int, raw jsonrpc.Raw) {
	of := protocol.Lists()[r.kind]
	raw = jsonrpc.Raw(strings.Clone(string(raw))) // of which the key is a part
	val, _ := rawjson.Get(string(raw), of.Key)
	key, ok := rawjson.Unquote(val)
	if !c.cfg.PassThrough {
		if err := of.Check(raw); err != nil { // the session hands on no such item
			r.drop(c, i, "", errors.Join(ErrItem, err))
			return
		}
		if !isURI(r.kind) && !naming.Valid(key, c.cfg.Limits.Name) {
			r.drop(c, i, key, errName)
			return
		}
	} else if !ok {
		r.drop(c, i, "", ErrItem)
		return
	}
	if other := r.named[key]; other != nil {
		r.drop(c, i, key, &ConflictError{Name: other.id, Existing: other.ref(), Incoming: other.ref()})
		return
	}
	n := r.old.get(key)
	if at := len(r.items); n == nil && r.old != nil && at < len(r.old.items) {
		n = r.old.items[at] // one that is not shown
	}
	if n == nil || n.raw != raw {
		n = c.item(r.kind, r.of, key, raw)
	}
	r.bytes += len(n.raw)
	r.items = append(r.items, n)
	r.named[key] = n
}

// reader returns what reads a list of a server.
func (s *source) reader(kind int) reader {
	r := reader{kind: kind, of: s.owner, old: s.lists[kind].list}
	if f := s.lists[kind].faults; f != nil {
		r.faults = *f
	}
	return r
}

// fault notes the items of a page that are not valid. One with an odd optional member is there
// without that member.
func (r *reader) fault(c *Catalog, page jsonrpc.Raw) {
	of := protocol.Lists()[r.kind]
	array, _ := rawjson.Get(string(page), of.Member)
	items, _ := rawjson.Elements(array)
	i := 0
	for raw := range items.All {
		if _, err := of.Mend(jsonrpc.Raw(raw)); err != nil {
			r.drop(c, i, rawjson.Text(raw, of.Key), errors.Join(ErrItem, err))
		}
		i++
	}
}

// item makes an item of its key and the text that it was read from. It keeps both.
func (c *Catalog) item(kind int, of *owner, key string, raw jsonrpc.Raw) *item {
	c.uid++
	n := &item{owner: of, uid: c.uid, id: key, key: key, kind: kind, plain: true, raw: raw}
	if s := c.source(of.rank); s != nil {
		n.id = c.qualify(kind, of.server, key)
		n.plain = c.plain(s, kind)
	}
	n.cut = !isURI(kind) && c.cfg.Naming.Form.Long(key)
	return n
}

// What is matched of the templates of servers, so that those of one do not make the reads of the
// others slow.
const (
	longestURI      = 1024
	longestTemplate = 256 // bytes
	mostVariables   = 8
)

// setOf returns the templates that can be understood, and are matched.
func setOf(items []*item) *uritemplate.Set {
	list := make([]uritemplate.Template, 0, len(items))
	for _, n := range items {
		if len(n.key) > longestTemplate {
			continue
		}
		if t, err := uritemplate.Parse(strings.Clone(n.key)); err == nil && len(t.Vars()) <= mostVariables {
			list = append(list, t)
		}
	}
	set := uritemplate.NewSet(list...)
	return &set
}
