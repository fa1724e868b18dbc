package registry

import (
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Scopes are the groups that all sessions share, and those of single sessions by the ids that the
// host gives them: an immutable value. A session is offered its own groups, then the shared
// ones, except those that have the name of one of its own, whether that is enabled or not. The zero Scopes has no groups.
type Scopes struct {
	shared        *Registry
	sharedVersion uint64
	sessions      table.Index[scope]
	version       uint64
}

type scope struct {
	own     *Registry
	view    *View // of own over the shared groups
	version uint64
}

// Edit changes groups, as Registry.Register does. It gets the current groups, possibly a nil
// Registry, and returns the next ones. An error, or the same Registry, changes nothing.
type Edit func(*Registry) (*Registry, Change, error)

// NewScopes returns Scopes in which all sessions share the groups of r.
func NewScopes(r *Registry) Scopes { return Scopes{shared: r} }

// Version returns a number that grows with every change, and only then.
func (s Scopes) Version() uint64 { return s.version }

// Shared returns the groups that all sessions share, and their version. The Registry is nil if
// there have never been any.
func (s Scopes) Shared() (*Registry, uint64) { return s.shared, s.sharedVersion }

// UpdateShared changes the groups that all sessions share, if their version is still the one that
// the caller has seen. It takes time in proportion to the number of sessions with their own groups.
// Errors: ErrVersion, ErrInvalid for an Edit that returns nil, those of f.
func (s Scopes) UpdateShared(version uint64, f Edit) (Scopes, Change, error) {
	r, change, err := edited(s.shared, s.sharedVersion, version, f)
	if err != nil || r == s.shared {
		return s, Change{}, err
	}
	s.version++
	old := s.shared
	s.shared, s.sharedVersion = r, s.version
	if r.View() == old.View() {
		return s, change, nil
	}
	for id, sc := range s.sessions.All() { // over them as they were
		s.sessions = s.sessions.Put(hash(id), id, scope{sc.own, joined(sc.own, r), sc.version})
	}
	return s, change, nil
}

// Sessions returns the ids of the sessions that have their own groups, sorted. The caller owns the
// slice.
func (s Scopes) Sessions() []string {
	list := make([]string, 0, s.sessions.Len())
	for id := range s.sessions.All() {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// Put sets the groups of a session. The same Registry again changes nothing, not even the version.
// Errors: ErrInvalid for a nil Registry or an empty id.
func (s Scopes) Put(session string, r *Registry) (Scopes, error) {
	switch {
	case r == nil:
		return s, errNil
	case session == "":
		return s, &NameError{Err: errName, Kind: "session"}
	case s.find(session).own == r:
		return s, nil
	}
	return s.with(session, r), nil
}

// Get returns the groups of a session, and their version. Errors: ErrUnknown.
func (s Scopes) Get(session string) (*Registry, uint64, error) {
	sc := s.find(session)
	if sc.own == nil {
		return nil, 0, &NameError{Err: errUnknownSession, Kind: "session", Name: session}
	}
	return sc.own, sc.version, nil
}

// Update changes the groups of a session, if their version is still the one that the caller has
// seen. Errors: ErrUnknown, ErrVersion, ErrInvalid for an Edit that returns nil, those of f.
func (s Scopes) Update(session string, version uint64, f Edit) (Scopes, Change, error) {
	old, have, err := s.Get(session)
	if err != nil {
		return s, Change{}, err
	}
	r, change, err := edited(old, have, version, f)
	if err != nil || r == old {
		return s, Change{}, err
	}
	return s.with(session, r), change, nil
}

// Edit changes the groups of a session, whatever their version. A session without groups may get
// some. Errors: those of f and of Put.
func (s Scopes) Edit(session string, f Edit) (Scopes, Change, error) {
	old := s.find(session).own
	r, change, err := f(old)
	if err != nil || r == old {
		return s, Change{}, err
	}
	next, err := s.Put(session, r)
	if err != nil {
		return s, Change{}, err
	}
	return next, change, nil
}

// Reload gives the groups of a session another version, so that a host that compares it announces
// them again. Errors: ErrUnknown.
func (s Scopes) Reload(session string) (Scopes, error) {
	r, _, err := s.Get(session)
	if err != nil {
		return s, err
	}
	return s.with(session, r), nil
}

// Drop removes the groups of a session, which is offered the shared ones then; false if it has
// none.
func (s Scopes) Drop(session string) (Scopes, bool) {
	if s.find(session).own == nil {
		return s, false
	}
	s.version++
	s.sessions = s.sessions.Delete(hash(session), session)
	return s, true
}

// View returns what a session is offered, the same *View until it changes. A session without its
// own groups is offered the shared ones.
func (s Scopes) View(session string) *View {
	if sc := s.find(session); sc.own != nil {
		return sc.view
	}
	return s.shared.View()
}

// Offered returns the group with a name that a session may use. Errors: ErrUnknown, ErrDisabled,
// ErrFailed.
func (s Scopes) Offered(session, name string) (*Group, error) {
	own := s.find(session).own
	if _, ok := own.at(name); ok {
		return own.Offered(name)
	}
	return s.shared.Offered(name)
}

func hash(id string) uint64 { return engine.Hash([2]uint64{}, 0, id) }

// find returns the scope of a session, the zero scope for one without its own groups.
func (s Scopes) find(id string) scope {
	if sc := s.sessions.Get(hash(id), id); sc != nil {
		return *sc
	}
	return scope{}
}

// with returns the Scopes with other groups of a session.
func (s Scopes) with(id string, r *Registry) Scopes {
	s.version++
	s.sessions = s.sessions.Put(hash(id), id, scope{r, joined(r, s.shared), s.version})
	return s
}

// edited returns the groups that f returns, if have is the version that the caller has seen.
func edited(r *Registry, have, seen uint64, f Edit) (*Registry, Change, error) {
	if have != seen {
		return r, Change{}, fmt.Errorf("%w: want %d, have %d", ErrVersion, seen, have)
	}
	next, change, err := f(r)
	if err == nil && next == nil && r != nil {
		err = errNil
	}
	return next, change, err
}

// joined returns the view of own groups over shared ones. It takes time and memory in proportion to
// the own ones, unless one of them has the name of a shared one: then all are indexed again.
func joined(own, shared *Registry) *View {
	top, under := own.View(), shared.View()
	switch {
	case len(own.all()) == 0 && under.catalog.Offers().Has(top.catalog.Offers()):
		return under
	case len(shared.all()) == 0 && top.catalog.Offers().Has(under.catalog.Offers()):
		return top
	}
	var rest []*View
	shadowed := false
	for _, g := range shared.Groups() {
		if _, taken := own.at(g.Name()); taken {
			shadowed = true
		} else if under.Has(g.Name()) {
			rest = append(rest, g.view)
		}
	}
	if shadowed {
		under = join(rest, under.catalog.Offers())
	}
	return top.over(under)
}
