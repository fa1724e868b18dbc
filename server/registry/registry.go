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
	server *Group
	off    bool
	failed error // why it is not offered until it is reset
}

func (e entry) offered() bool { return !e.off && e.failed == nil }

// same reports whether e is what an entry of the same Registry was.
func (e entry) same(old entry) bool {
	return e.server == old.server && e.off == old.off && (e.failed == nil) == (old.failed == nil)
}

// New returns a Registry without groups. It offers the kinds also while it has nothing of them,
// so that sessions that begin now may be offered some later: CapTools, CapResources, CapPrompts.
func New(kinds protocol.Capability) *Registry {
	r := &Registry{kinds: kinds}
	r.view = makeView(nil, kinds)
	return r
}

// FromGroups returns a Registry of the groups. Errors: ErrDuplicate for two of one name, ErrNil.
func FromGroups(list ...*Group) (*Registry, error) {
	r, _, err := New(0).SetGroups(list...)
	return r, err
}

// Register adds a group, or puts it in the place of the one of the same name. That keeps its
// switch, unless Definition.Enabled says otherwise, and is no longer failed. Errors: ErrNil, also
// for a Group that NewGroup did not make.
func (r *Registry) Register(s *Group) (*Registry, Change, error) {
	if !s.made() {
		return r, Change{}, ErrNil
	}
	r = r.orNew()
	entries := slices.Clone(r.entries)
	e := entry{server: s, off: s.def.Enabled == Off}
	if i, ok := r.place[s.Name()]; ok {
		e.off = e.off || entries[i].off && s.def.Enabled == Keep
		entries[i] = e
	} else {
		entries = append(entries, e)
	}
	if slices.EqualFunc(entries, r.entries, entry.same) {
		return r, Change{}, nil
	}
	next, change := r.with(entries)
	return next, change, nil
}

// Unregister removes a group. Without one of the name nothing changes.
func (r *Registry) Unregister(name string) (*Registry, Change) {
	i, ok := r.at(name)
	if !ok {
		return r, Change{}
	}
	return r.with(slices.Delete(slices.Clone(r.entries), i, i+1))
}

// SetGroups replaces all groups; their order is that of the list. Those that were there keep
// their switch, unless Definition.Enabled says otherwise; those that are the same value keep
// their failure too. Errors: ErrDuplicate, ErrNil.
func (r *Registry) SetGroups(list ...*Group) (*Registry, Change, error) {
	base := r.orNew()
	entries, seen := make([]entry, 0, len(list)), map[string]bool{}
	for _, s := range list {
		if !s.made() {
			return r, Change{}, ErrNil
		}
		if seen[s.Name()] {
			return r, Change{}, &NameError{Err: ErrDuplicate, Kind: "group", Name: s.Name()}
		}
		seen[s.Name()] = true
		e := entry{server: s, off: s.def.Enabled == Off}
		if i, ok := base.place[s.Name()]; ok {
			old := base.entries[i]
			e.off = e.off || old.off && s.def.Enabled == Keep
			if old.server == s {
				e.failed = old.failed
			}
		}
		entries = append(entries, e)
	}
	if slices.EqualFunc(entries, base.entries, entry.same) {
		return base, Change{}, nil
	}
	next, change := base.with(entries)
	return next, change, nil
}

// SetEnabled switches a group on or off. Where it is so already, nothing changes and the Change
// is zero. Errors: ErrUnknownGroup.
func (r *Registry) SetEnabled(name string, on bool) (*Registry, Change, error) {
	return r.edit(name, func(e *entry) bool {
		was := e.off
		e.off = !on
		return e.off != was
	})
}

// Fail says that a group has failed: it is not offered until it is reset or replaced, whatever its
// switch says. A nil err counts as ErrFailed. Errors: ErrUnknownGroup.
func (r *Registry) Fail(name string, err error) (*Registry, Change, error) {
	return r.edit(name, func(e *entry) bool {
		if e.failed = err; err == nil {
			e.failed = ErrFailed
		}
		return true
	})
}

// Reset clears the failure of a group. Its switch stays as it is: a group that was switched
// off stays off. Errors: ErrUnknownGroup.
func (r *Registry) Reset(name string) (*Registry, Change, error) {
	return r.edit(name, func(e *entry) bool {
		was := e.failed
		e.failed = nil
		return was != nil
	})
}

func (r *Registry) edit(name string, change func(*entry) bool) (*Registry, Change, error) {
	i, ok := r.at(name)
	if !ok {
		return r, Change{}, &NameError{Err: ErrUnknownGroup, Kind: "group", Name: name}
	}
	entries := slices.Clone(r.entries)
	if !change(&entries[i]) {
		return r, Change{}, nil
	}
	if r.entries[i].offered() == entries[i].offered() { // so the view is the same
		next := *r
		next.entries = entries
		return &next, Change{}, nil
	}
	next, c := r.with(entries)
	return next, c, nil
}

// with returns the Registry of other entries, and what is different.
func (r *Registry) with(entries []entry) (*Registry, Change) {
	next := &Registry{entries: entries, place: map[string]int{}, kinds: r.kinds}
	var groups []*Group
	for i, e := range entries {
		next.place[e.server.Name()] = i
		next.kinds |= e.server.catalog.Offers()
		if e.offered() {
			groups = append(groups, e.server)
		}
	}
	next.view = makeView(groups, next.kinds)
	return next, changeOf(r, next)
}

func (r *Registry) at(name string) (int, bool) {
	if r == nil {
		return 0, false
	}
	i, ok := r.place[name]
	return i, ok
}

func (r *Registry) orNew() *Registry {
	if r == nil {
		return New(0)
	}
	return r
}
