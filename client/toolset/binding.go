package toolset

import (
	"math"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
)

// Health is what calls of a tool can expect (E12, E13).
type Health uint8

// The healths.
const (
	// Healthy: the server is ready, or the tool is local.
	Healthy Health = iota
	// Degraded: the server is ready, but did not answer the last pings.
	Degraded
	// Unavailable: the server is not ready, or is back and its list has not been read yet.
	Unavailable
)

// String returns the name of the health.
func (h Health) String() string {
	switch h {
	case Healthy:
		return "healthy"
	case Degraded:
		return "degraded"
	}
	return "unavailable"
}

// Binding is a tool of the catalogue: which one a name leads to. It holds what was known when it
// was made. What it points to must not be changed.
type Binding struct {
	// Name is the name that List gives it, "" if it has none of its own: another tool has it.
	Name string
	// ID is the qualified name. That of a local tool is its own.
	ID string
	// Ref says where it is.
	Ref Ref
	// Tool is its definition.
	Tool protocol.Tool
	// Raw is the definition as the server wrote it, byte for byte (A23); of a local tool as
	// Tool.AppendJSON writes it.
	Raw protocol.Raw
	// Health is what a call can expect.
	Health Health
	// Stale says that the list of its server is to be read again before it is relied on.
	Stale bool
	// Shadows are the tools of the same plain name that it goes before, in their order. Their
	// qualified names lead to them.
	Shadows []Ref
	// ShadowedBy is the tool that has the name, where Name is "" or, under naming.Qualified,
	// the qualified one; else the zero Ref.
	ShadowedBy Ref
	trusted    bool
	uid        uint64
}

// Local reports whether it is a tool of the program itself.
func (b Binding) Local() bool { return b.Ref.Server == "" }

// Hints returns the annotations of the tool; ok is false if nobody who is trusted made them (A25).
// Those of a server count only where manager.Options.TrustAnnotations is set.
func (b Binding) Hints() (a protocol.ToolAnnotations, ok bool) {
	if !b.trusted || b.Tool.Annotations == nil {
		return a, b.trusted
	}
	return *b.Tool.Annotations, true
}

// hints returns what an Executor may know of the tool.
func (b Binding) hints() attempt.Hints {
	h := attempt.HintsOf(b.Tool.Annotations, b.trusted)
	h.Local = b.Local()
	return h
}

// nameOf returns the name that List gives a tool, "" if it gives it none.
func (t *Toolset) nameOf(n *tool) string {
	if n.rank == 0 {
		return n.def.Name
	}
	if n.plain && !t.reserved(n) {
		if t.has(t.names.get(byPlain, n.def.Name)) == n {
			return n.def.Name
		}
		if t.cfg.Naming.OnConflict == naming.Hidden {
			return ""
		}
	}
	if t.names.first(byID, n.id) == n {
		return n.id
	}
	return ""
}

// binding makes the Binding of a tool.
func (t *Toolset) binding(n *tool) Binding {
	b := Binding{Name: t.nameOf(n), ID: n.id, Ref: n.ref(), Tool: n.def, Raw: n.raw, trusted: true, uid: n.uid}
	if e := t.entry(n.rank); e != nil {
		b.Health, b.Stale, b.trusted = e.health(), !t.fresh(e, math.MaxInt64), e.trusted
	}
	var same *slot
	if n.plain && !t.reserved(n) {
		same = t.names.get(byPlain, n.def.Name)
	}
	if same != nil && t.has(same) == n {
		if more := len(same.tools) - 1; more > 0 {
			b.Shadows = make([]Ref, 0, more)
		}
		for _, o := range same.tools {
			if o != n {
				b.Shadows = append(b.Shadows, o.ref())
			}
		}
	} else if same != nil {
		b.ShadowedBy = t.has(same).ref()
	} else if n.rank != 0 && b.Name == "" {
		b.ShadowedBy = t.names.first(byID, n.id).ref()
	}
	return b
}

// find returns the tool that a name leads to, nil if there is none (A4, F1): a local one, then
// one whose qualified name it is, then that of the server that has it.
func (t *Toolset) find(name string) *tool {
	if n := t.local.get(name); n != nil {
		return n
	}
	if n := t.names.first(byID, name); n != nil {
		return n
	}
	if s := t.names.get(byPlain, name); s != nil {
		if n := t.has(s); !t.reserved(n) {
			return n
		}
	}
	return nil
}

// Get returns the tool that a name leads to; false if there is none (A15).
func (t Toolset) Get(name string) (Binding, bool) {
	n := t.find(name)
	if n == nil {
		return Binding{}, false
	}
	return t.binding(n), true
}

// Has reports whether a name leads to a tool (E34).
func (t Toolset) Has(name string) bool { return t.find(name) != nil }

// Resolve returns the tool that a name leads to: a local tool of that name, or else the one whose
// qualified name it is, or else that of the first server that has one (A4, F1). Nothing is asked
// for, and no time passes (A6). The error is ErrClosed, or a *toolerror.Error: UnknownTool, or
// Unavailable for the qualified name of a tool of a server whose tools are not known now.
func (t Toolset) Resolve(name string) (Binding, error) {
	if t.closed {
		return Binding{}, ErrClosed
	}
	if n := t.find(name); n != nil {
		return t.binding(n), nil
	}
	return Binding{}, t.missing(name)
}

// List returns the tools that are offered, each name once: the local ones, then those of the
// servers, in the order of servers and of their lists (A14).
func (t Toolset) List() []Binding { return t.list(false) }

// ListAll returns all tools in that order, those among them that have no name of their own, or
// whose server is away under naming.Hide: ShadowedBy and Health say why (A14).
func (t Toolset) ListAll() []Binding { return t.list(true) }

func (t *Toolset) list(all bool) []Binding {
	list := make([]Binding, 0, t.listed)
	for n := range t.tools {
		if all || t.offered(n) {
			list = append(list, t.binding(n))
		}
	}
	return list
}

// tools walks over all tools.
func (t *Toolset) tools(yield func(*tool) bool) {
	for _, n := range t.local.all() {
		if !yield(n) {
			return
		}
	}
	for leaf := range t.entries.All() {
		for _, n := range leaf.V.list.all() {
			if !yield(n) {
				return
			}
		}
	}
}

// offered reports whether List gives a tool.
func (t *Toolset) offered(n *tool) bool {
	if t.nameOf(n) == "" {
		return false
	}
	e := t.entry(n.rank)
	return e == nil || t.cfg.Naming.OnLoss != naming.Hide || e.health() != Unavailable
}

// Len returns how many tools there are, those among them that have no name of their own (E34).
func (t Toolset) Len() int { return t.listed }

// IDs returns the names of List, in its order (E34).
func (t Toolset) IDs() []string {
	var list []string
	for n := range t.tools {
		if t.offered(n) {
			list = append(list, t.nameOf(n))
		}
	}
	return list
}

// hints returns names for the error about one that is unknown, if there are not too many.
func (t *Toolset) hints() []string {
	if t.listed > 1000 {
		return nil
	}
	return t.IDs()
}
