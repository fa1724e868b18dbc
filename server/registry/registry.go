package registry

import (
	"slices"

	"github.com/sansmcp/mcp/protocol"
)

// Registry holds groups in the order of their registration: an immutable value. A nil *Registry
// and a zero one have none.
type Registry struct {
	entries []entry
	place   map[string]int // of each name
	view    *View
	kinds   protocol.Capability
}

type entry struct {
	group  *Group
	off    bool
	failed error // why it is not offered until it is reset
}

func (e entry) offered() bool { return !e.off && e.failed == nil }

// same reports whether e is what an entry of the same Registry was.
func (e entry) same(old entry) bool {
	return e.group == old.group && e.off == old.off && (e.failed == nil) == (old.failed == nil)
}

// New returns a Registry without groups. It offers the kinds also while it has nothing of them,
// so that sessions that begin now may be offered some later: CapTools, CapResources, CapPrompts.
func New(kinds protocol.Capability) *Registry {
	return &Registry{kinds: kinds, view: join(nil, kinds)}
}

// FromGroups returns a Registry of the groups. Errors: ErrInvalid for two of one name, or nil.
func FromGroups(list ...*Group) (*Registry, error) {
	r, _, err := New(0).SetGroups(list...)
	return r, err
}

// Register adds a group, or puts it in the place of the one of the same name. That keeps its
// switch, unless Definition.Enabled says otherwise, and has no longer failed. Errors: ErrInvalid, also
// for a Group that NewGroup did not make.
func (r *Registry) Register(g *Group) (*Registry, Change, error) {
	if !g.made() {
		return r, Change{}, errNil
	}
	r = r.orNew()
	entries, e := slices.Clone(r.entries), r.entry(g)
	if i, ok := r.at(g.Name()); ok {
		entries[i] = e
	} else {
		entries = append(entries, e)
	}
	return r.changed(entries)
}

// Unregister removes a group. If there is none of the name, nothing changes.
func (r *Registry) Unregister(name string) (*Registry, Change) {
	i, ok := r.at(name)
	if !ok {
		return r, Change{}
	}
	return r.with(slices.Delete(slices.Clone(r.entries), i, i+1))
}

// SetGroups replaces all groups; their order is that of the list. Those that were there keep
// their switch, unless Definition.Enabled says otherwise; those that are the same value keep
// their failure too. Errors: ErrInvalid for two of one name, or nil.
func (r *Registry) SetGroups(list ...*Group) (*Registry, Change, error) {
	base := r.orNew()
	entries, seen := make([]entry, 0, len(list)), map[string]bool{}
	for _, g := range list {
		if !g.made() {
			return r, Change{}, errNil
		}
		if seen[g.Name()] {
			return r, Change{}, &NameError{Err: errDuplicate, Kind: "group", Name: g.Name()}
		}
		seen[g.Name()] = true
		e := base.entry(g)
		if i, ok := base.at(g.Name()); ok && base.entries[i].group == g {
			e.failed = base.entries[i].failed
		}
		entries = append(entries, e)
	}
	return base.changed(entries)
}

// SetEnabled switches a group on or off. Where it is so already, nothing changes and the Change
// is zero. Errors: ErrUnknown.
func (r *Registry) SetEnabled(name string, on bool) (*Registry, Change, error) {
	return r.edit(name, func(e *entry) bool {
		was := e.off
		e.off = !on
		return e.off != was
	})
}

// Fail says that a group has failed: it is not offered until it is reset or replaced, whatever its
// switch says. A nil err counts as ErrFailed. Errors: ErrUnknown.
func (r *Registry) Fail(name string, err error) (*Registry, Change, error) {
	if err == nil {
		err = ErrFailed
	}
	return r.edit(name, func(e *entry) bool {
		e.failed = err
		return true
	})
}

// Reset clears the failure of a group. Its switch stays as it is: a group that was switched
// off stays off. Errors: ErrUnknown.
func (r *Registry) Reset(name string) (*Registry, Change, error) {
	return r.edit(name, func(e *entry) bool {
		was := e.failed
		e.failed = nil
		return was != nil
	})
}

// View returns what the groups that are on offer together.
func (r *Registry) View() *View {
	if r == nil {
		return empty
	}
	return r.view.orEmpty()
}

// entry returns that of a group, which is on if one of its name is, or if it says so.
func (r *Registry) entry(g *Group) entry {
	i, was := r.at(g.Name())
	return entry{group: g, off: g.enabled == Off || was && r.entries[i].off && g.enabled == Unchanged}
}

func (r *Registry) edit(name string, change func(*entry) bool) (*Registry, Change, error) {
	i, ok := r.at(name)
	if !ok {
		return r, Change{}, &NameError{Err: errUnknownGroup, Kind: "group", Name: name}
	}
	entries := slices.Clone(r.entries)
	if !change(&entries[i]) {
		return r, Change{}, nil
	}
	next, c := r.with(entries)
	return next, c, nil
}

// changed is with, or r if nothing is different.
func (r *Registry) changed(entries []entry) (*Registry, Change, error) {
	if slices.EqualFunc(entries, r.entries, entry.same) {
		return r, Change{}, nil
	}
	next, c := r.with(entries)
	return next, c, nil
}

// with returns the Registry of other entries, and what is different. It has the same View if the
// same is offered.
func (r *Registry) with(entries []entry) (*Registry, Change) {
	next := &Registry{entries: entries, place: map[string]int{}, kinds: r.kinds, view: r.view}
	for i, e := range entries {
		next.place[e.group.Name()] = i
		next.kinds |= e.group.view.catalog.Offers()
	}
	if views := offered(entries); next.kinds != r.kinds || !slices.Equal(views, offered(r.entries)) {
		next.view = join(views, next.kinds)
	}
	return next, changeOf(r, next)
}

// offered returns the views of the groups that are offered.
func offered(entries []entry) (list []*View) {
	for _, e := range entries {
		if e.offered() {
			list = append(list, e.group.view)
		}
	}
	return list
}

// changeOf returns what became of a Registry.
func changeOf(old, next *Registry) (c Change) {
	last := -1
	for _, e := range next.entries {
		name := e.group.Name()
		i, was := old.at(name)
		if !was {
			c.Added = append(c.Added, name)
			continue
		}
		c.Moved = c.Moved || i < last
		last = max(last, i)
		before := old.entries[i]
		if before.group != e.group {
			c.Replaced = append(c.Replaced, name)
		}
		switch {
		case e.offered() && !before.offered():
			c.Enabled = append(c.Enabled, name)
		case !e.offered() && before.offered():
			c.Disabled = append(c.Disabled, name)
		}
	}
	for _, e := range old.entries {
		if _, stays := next.at(e.group.Name()); !stays {
			c.Removed = append(c.Removed, e.group.Name())
		}
	}
	a, b := next.View().Catalog(), old.View().Catalog()
	c.Tools, c.Prompts = a.Diff(b, protocol.ToolList), a.Diff(b, protocol.PromptList)
	c.Resources, c.Templates = a.Diff(b, protocol.ResourceList), a.Diff(b, protocol.TemplateList)
	return c
}

func (r *Registry) at(name string) (int, bool) {
	if r == nil {
		return 0, false
	}
	i, ok := r.place[name]
	return i, ok
}

// all returns the entries, none of a nil Registry.
func (r *Registry) all() []entry {
	if r == nil {
		return nil
	}
	return r.entries
}

func (r *Registry) orNew() *Registry {
	if r == nil {
		return New(0)
	}
	return r
}
