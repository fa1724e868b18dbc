package toolset

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

// tool is a tool of the catalogue. It is never changed.
type tool struct {
	uid    uint64 // of all that the Toolset ever had
	rank   uint64 // that of its server, 0 for a local one
	server string
	id     string // the qualified name; of a local tool the plain one
	looks  string // the server that the plain name would be of, if it were a qualified one
	cut    bool   // the plain name is as long as qualified names that were cut
	plain  bool   // it may have its plain name
	def    protocol.Tool
	raw    protocol.Raw // its definition as the server wrote it
	sum    digest
}

func (t *tool) ref() Ref { return Ref{Server: t.server, Tool: t.def.Name} }

// texts returns what a tool is found by.
func (t *tool) texts() []slot {
	list := make([]slot, 0, 3)
	if t.plain {
		list = append(list, slot{kind: byPlain, text: t.def.Name})
	}
	if t.rank != 0 {
		list = append(list, slot{kind: byID, text: t.id})
	}
	if t.plain && t.looks != "" {
		list = append(list, slot{kind: byLook, text: t.looks})
	}
	return list
}

// compare orders tools by precedence. Two tools of one list never want the same text but where
// names that were cut collide.
func (t *tool) compare(o *tool) int {
	if c := cmp.Compare(t.rank, o.rank); c != 0 {
		return c
	}
	return strings.Compare(t.def.Name, o.def.Name)
}

// listing is a list of tools that was read to its end. It is never changed.
type listing struct {
	tools []*tool
	named map[string]*tool
}

// get returns a tool by its own name, nil if there is none.
func (l *listing) get(name string) *tool {
	if l == nil {
		return nil
	}
	return l.named[name]
}

func (l *listing) all() []*tool {
	if l == nil {
		return nil
	}
	return l.tools
}

// reader makes a listing of items (A22): one that is not valid is left out and told of.
type reader struct {
	t      *Toolset
	rank   uint64
	server string
	old    *listing
	list   listing
	bytes  int
	found  []Rejection
	more   int
}

func (r *reader) reject(index int, name string, err error) {
	if len(r.found) >= r.t.cfg.Limits.Rejected {
		r.more++
		return
	}
	r.found = append(slices.Clip(r.found), Rejection{Server: r.server, Index: index, Tool: clip(name), Err: err})
}

// read takes the items of a list in.
func (r *reader) read(items []jsonrpc.Raw) {
	limits := &r.t.cfg.Limits
	r.list.named = make(map[string]*tool, min(len(items), limits.Tools))
	for i, item := range items {
		switch {
		case len(item) > limits.ToolBytes:
			r.reject(i, "", ErrTooLong)
		case len(r.list.tools) >= limits.Tools || r.bytes+len(item) > limits.Bytes:
			r.reject(i, "", ErrTooMany)
		default:
			r.item(i, item)
		}
	}
}

func (r *reader) item(i int, item jsonrpc.Raw) {
	raw := jsonrpc.Raw(strings.Clone(string(item))) // of which all of the tool is made
	def, err := protocol.Decode[protocol.Tool](raw)
	if err != nil { // the session hands on no such definition
		r.reject(i, "", errors.Join(ErrTool, err))
		return
	}
	if !naming.Valid(def.Name, r.t.cfg.Limits.Name) {
		r.reject(i, def.Name, ErrToolName)
		return
	}
	if other := r.list.named[def.Name]; other != nil {
		r.reject(i, def.Name, &CollisionError{ID: other.id, Existing: other.ref(), Incoming: other.ref()})
		return
	}
	t := r.old.get(def.Name)
	if t == nil || t.raw != raw {
		t = r.t.tool(r.rank, r.server, def, raw)
	}
	r.add(t)
}

// faults takes in the definitions of a page that are none. One with an odd optional member is there
// without that member.
func (r *reader) faults(page jsonrpc.Raw) {
	list, _ := rawjson.Get(string(page), protocol.ToolList.Member)
	items, _ := rawjson.Elements(list)
	for i := 0; ; i++ {
		item, ok := items.Next()
		if !ok {
			return
		}
		if _, err := protocol.ToolList.Mend(jsonrpc.Raw(item)); err != nil {
			name, _ := rawjson.Get(item, protocol.ToolList.Key)
			name, _ = rawjson.Unquote(name)
			r.reject(i, name, errors.Join(ErrTool, err))
		}
	}
}

func (r *reader) add(t *tool) {
	r.bytes += len(t.raw)
	r.list.tools = append(r.list.tools, t)
	r.list.named[t.def.Name] = t
}

// tool makes a tool of its definition and the text that it was read from. It keeps both.
func (t *Toolset) tool(rank uint64, server string, def protocol.Tool, raw jsonrpc.Raw) *tool {
	t.uid++
	n := &tool{uid: t.uid, rank: rank, server: server, id: def.Name, plain: true, def: def, raw: raw, sum: digestOf(string(raw), "_meta")}
	if server != "" {
		n.id = t.cfg.Naming.Form.ID(server, def.Name)
		n.plain = t.plain(t.entry(rank))
	}
	n.looks, _, _ = t.cfg.Naming.Form.Parse(def.Name)
	n.cut = t.cfg.Naming.Form.Long(def.Name)
	return n
}
