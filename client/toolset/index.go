package toolset

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// index finds tools by a text, and servers by their name. Each text has the tools that want it in
// the order of precedence: the first has it. It is persistent, so that a change of one list costs
// what changes and not what there is. Texts that hash alike are told apart.
type index struct{ t table.Table[[]slot] }

// The kinds of texts.
const (
	byPlain  = 'p' // the name of a tool, as its server gave it
	byID     = 'q' // the qualified name
	byLook   = 'l' // the server that the plain name of a tool would be of, if it were a qualified one: how many
	byServer = 's' // the name of a server
)

type slot struct {
	kind  byte
	text  string
	tools []*tool
	n     uint64 // of byServer its rank, of byLook how many tools, of byPlain the rank of the server that has the name
}

func (x index) get(kind byte, text string) *slot {
	if leaf := x.t.Get(engine.Hash([2]uint64{}, uint64(kind), text)); leaf != nil {
		if i := slices.IndexFunc(leaf.V, func(s slot) bool { return s.kind == kind && s.text == text }); i >= 0 {
			return &leaf.V[i]
		}
	}
	return nil
}

// first returns the tool that has a text, nil if there is none.
func (x index) first(kind byte, text string) *tool {
	if s := x.get(kind, text); s != nil && s.tools != nil {
		return s.tools[0]
	}
	return nil
}

// local returns how many of the tools of a text are local ones: they come first.
func local(tools []*tool) (n int) {
	for n < len(tools) && tools[n].rank == 0 {
		n++
	}
	return n
}

// put returns the index with a slot in place of the one with its text.
func (x index) put(s slot) index {
	key := engine.Hash([2]uint64{}, uint64(s.kind), s.text)
	var list []slot
	if leaf := x.t.Get(key); leaf != nil {
		list = slices.DeleteFunc(slices.Clone(leaf.V), func(o slot) bool { return o.kind == s.kind && o.text == s.text })
	}
	if s.tools != nil || s.n != 0 {
		list = append(list, s)
	}
	if len(list) == 0 {
		x.t, _ = x.t.Delete(key)
		return x
	}
	x.t = x.t.Put(key, table.Never, list)
	return x
}

// add returns the index with a tool under a text.
func (x index) add(kind byte, text string, t *tool) index {
	s := slot{kind: kind, text: text}
	if old := x.get(kind, text); old != nil {
		s = *old
	}
	if kind == byLook {
		s.n++
		return x.put(s)
	}
	if kind == byPlain && s.n == 0 {
		s.n = t.rank
	}
	at, _ := slices.BinarySearchFunc(s.tools, t, func(a, b *tool) int { return a.compare(b) })
	s.tools = slices.Insert(slices.Clone(s.tools), at, t)
	return x.put(s)
}

// owner returns the tool that has a plain name: a local one, or that of the server that listed it
// first. nil if there is none.
func (s *slot) owner() *tool {
	for _, t := range s.tools {
		if t.rank == 0 || t.rank == s.n {
			return t
		}
	}
	return nil
}

// remove returns the index without a tool that is there under a text. stays says that its server
// has another definition of it, which is added next: the name stays its own.
func (x index) remove(kind byte, text string, t *tool, stays bool) index {
	s := *x.get(kind, text)
	if kind == byLook {
		s.n--
		return x.put(s)
	}
	s.tools = slices.DeleteFunc(slices.Clone(s.tools), func(o *tool) bool { return o == t })
	if len(s.tools) == 0 {
		s.tools = nil
	}
	if kind == byPlain && s.n == t.rank && !stays {
		s.n = 0
		if n := len(s.tools); n > 0 {
			s.n = s.tools[min(n-1, local(s.tools))].rank
		}
	}
	return x.put(s)
}
