package calls

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Tools is the Catalog of a Caller, for reading, with the definitions of tools.
type Tools struct {
	catalog.Catalog
	used table.Table[*used] // tools that were called, by usedKey
}

// used is what is read once of a tool for all calls of it.
type used struct {
	number uint64 // that of the item
	id     catalog.ItemID
	tool   protocol.Tool
	input  *attempt.Input
}

func usedKey(id catalog.ItemID) uint64 {
	return engine.Hash([2]uint64{engine.Hash([2]uint64{}, 's', id.Server)}, 't', id.Key)
}

// Binding is the tool of the catalog with a name. Do not modify what it points to.
type Binding struct {
	catalog.Item
	// Tool is its definition.
	Tool protocol.Tool
}

// hints returns what an Executor may know of the tool.
func (b Binding) hints() attempt.Hints {
	h := attempt.HintsOf(b.Tool.Annotations, b.Trusted)
	h.Local = b.Local()
	return h
}

// binding makes the Binding of an item.
func (t *Tools) binding(i catalog.Item) Binding {
	if leaf := t.used.Get(usedKey(i.Ref())); leaf != nil && leaf.V.number == i.Number {
		return Binding{i, leaf.V.tool}
	}
	tool, _ := protocol.Decode[protocol.Tool](i.Raw) // it was read before
	return Binding{i, tool}
}

// use is binding for a call, which has the schema of the arguments as well.
func (t *Tools) use(i catalog.Item) (Binding, *attempt.Input) {
	i.Shadows = nil // as many as there are servers, and of no interest to a call
	key := usedKey(i.Ref())
	if leaf := t.used.Get(key); leaf != nil && leaf.V.number == i.Number {
		return Binding{i, leaf.V.tool}, leaf.V.input
	}
	b := t.binding(i)
	in := attempt.NewInput(b.Tool.InputSchema)
	t.used = t.used.Put(key, table.Never, &used{i.Number, i.Ref(), b.Tool, in})
	return b, in
}

// forget drops what is known of tools that are gone.
func (t *Tools) forget(changes []catalog.Change) {
	for _, ch := range changes {
		if t.used.Len() == 0 {
			return
		}
		for _, id := range ch.Removed {
			t.used, _ = t.used.Delete(usedKey(id))
		}
	}
}

// Lookup returns the tool with a name: a local tool with that name, otherwise the tool with that qualified
// name, otherwise the tool of the server that owns the name (A4, A15, F1). It sends nothing and does not
// wait (A6). The error is lifecycle.ErrClosed, or a *toolerror.Error: UnknownTool, or Unavailable for the
// qualified name of a tool of a server whose tools are unknown.
func (t Tools) Lookup(name string) (Binding, error) {
	if i, ok := t.Catalog.Lookup(protocol.ToolList, name); ok && !t.Closed() {
		return t.binding(i), nil
	}
	err := t.Missing(protocol.ToolList, name)
	if errors.Is(err, lifecycle.ErrClosed) {
		return Binding{}, err
	}
	return Binding{}, t.fault(name, err)
}

// List returns the tools that are offered, each name once: the local ones, then those of the
// servers, in the order of servers and of their lists (A14).
func (t Tools) List() []Binding { return t.list(false) }

// ListAll returns all tools in that order, including those without a name, or with a lost server under
// naming.Hide: ShadowedBy and Health say why (A14).
func (t Tools) ListAll() []Binding { return t.list(true) }

func (t *Tools) list(all bool) []Binding {
	list := make([]Binding, 0, t.Len())
	for i := range t.Items(protocol.ToolList, all) {
		list = append(list, t.binding(i))
	}
	return list
}

// Definitions returns the definitions of List, with the names of List and otherwise unchanged, for
// provider.Export (A16, A17). Calls of a model then have the names for Caller.Call and Lookup.
func (t Tools) Definitions() []protocol.Tool {
	var list []protocol.Tool
	for _, b := range t.List() {
		b.Tool.Name = b.Name
		list = append(list, b.Tool)
	}
	return list
}

// names returns names for the error about one that is unknown, if there are not too many.
func (t *Tools) names() (list []string) {
	if t.Len() <= 1000 {
		for i := range t.Items(protocol.ToolList, false) {
			list = append(list, i.Name)
		}
	}
	return list
}

// fault returns the error of a tool that an error of the Catalog or of the Manager is (E10), and when the
// server will be opened again.
func (t *Tools) fault(name string, err error) *toolerror.Error {
	if errors.Is(err, catalog.ErrUnknown) {
		return toolerror.Unknown(name, t.names())
	}
	e := attempt.FromError(name, err).Err
	var me *manager.Error
	if e.Kind == toolerror.Unavailable && errors.As(err, &me) && !me.RetryAt.IsZero() {
		_, now := t.Advance(time.Time{}) // the latest that a step was given
		e.After = max(me.RetryAt.Sub(now), 0)
	}
	return e
}
