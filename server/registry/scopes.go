package registry

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Globals are the groups that every session is offered: a value. The zero Globals has none.
type Globals struct {
	r       *Registry
	version uint64
}

// NewGlobals returns Globals with the groups of r.
func NewGlobals(r *Registry) Globals { return Globals{r: r} }

// Registry returns the groups. It is nil if there never were any.
func (g Globals) Registry() *Registry { return g.r }

// Version returns a number that grows with every change.
func (g Globals) Version() uint64 { return g.version }

// Update changes the groups if the version is still the one that the caller has seen. What f
// returns is taken; its error leaves everything as it was, and so does a Registry that is the same.
// Errors: ErrVersion, ErrNil for a nil Registry, those of f.
func (g Globals) Update(version uint64, f func(*Registry) (*Registry, Change, error)) (Globals, Change, error) {
	if version != g.version {
		return g, Change{}, &VersionError{Want: version, Have: g.version}
	}
	r, change, err := f(g.r)
	switch {
	case err != nil:
		return g, Change{}, err
	case r == g.r:
		return g, Change{}, nil
	case r == nil:
		return g, Change{}, ErrNil
	}
	return Globals{r, g.version + 1}, change, nil
}

// Register adds or replaces a group, by the name of its definition. Errors: those of
// Registry.Register.
func (g Globals) Register(s *Group) (Globals, Change, error) {
	return g.Update(g.version, func(r *Registry) (*Registry, Change, error) { return r.Register(s) })
}

// Unregister removes a group; false if there is none of the name.
func (g Globals) Unregister(name string) (Globals, bool) {
	if _, ok := g.r.at(name); !ok {
		return g, false
	}
	r, _ := g.r.Unregister(name)
	return Globals{r, g.version + 1}, true
}

// Get returns a group. Errors: ErrUnknownGroup.
func (g Globals) Get(name string) (*Group, error) { return g.r.Group(name) }

// List returns the groups in the order of their registration. The caller owns the slice.
func (g Globals) List() []*Group { return g.r.Groups() }

// Clear removes all groups, and returns how many there were.
func (g Globals) Clear() (Globals, int) {
	n := g.r.Len()
	if n == 0 {
		return g, 0
	}
	return Globals{New(g.r.kinds), g.version + 1}, n
}

// Sessions are the groups of single sessions, by the ids that the host gives them: a value. The
// zero Sessions has none.
type Sessions struct {
	byHash  table.Table[[]scope]
	n       int
	version uint64
}

type scope struct {
	id      string
	r       *Registry
	version uint64
}

// Version returns a number that grows with every change of any session.
func (s Sessions) Version() uint64 { return s.version }

// Len returns how many sessions there are.
func (s Sessions) Len() int { return s.n }

// IDs returns the ids of the sessions, sorted. The caller owns the slice.
func (s Sessions) IDs() []string {
	var list []string
	for leaf := range s.byHash.All() {
		for _, sc := range leaf.V {
			list = append(list, sc.id)
		}
	}
	slices.Sort(list)
	return list
}

func keyOf(id string) uint64 { return engine.Hash([2]uint64{}, 0, id) }

func (s Sessions) find(id string) (scope, bool) {
	if leaf := s.byHash.Get(keyOf(id)); leaf != nil {
		for _, sc := range leaf.V {
			if sc.id == id {
				return sc, true
			}
		}
	}
	return scope{}, false
}

// with returns the Sessions with another scope of an id; with none if r is nil.
func (s Sessions) with(id string, r *Registry) Sessions {
	key := keyOf(id)
	var bucket []scope
	if leaf := s.byHash.Get(key); leaf != nil {
		bucket = slices.DeleteFunc(slices.Clone(leaf.V), func(sc scope) bool { return sc.id == id })
		s.n -= len(leaf.V) - len(bucket)
	}
	s.version++
	if r != nil {
		bucket = append(bucket, scope{id, r, s.version})
		s.n++
	}
	if len(bucket) == 0 {
		s.byHash, _ = s.byHash.Delete(key)
	} else {
		s.byHash = s.byHash.Put(key, table.Never, bucket)
	}
	return s
}

// Put gives a session its groups, in the place of those that it has. The same Registry again
// changes nothing, not even the version. Errors: ErrNil, ErrName for an empty id.
func (s Sessions) Put(id string, r *Registry) (Sessions, error) {
	switch {
	case r == nil:
		return s, ErrNil
	case id == "":
		return s, &NameError{Err: ErrName, Kind: "session"}
	}
	if sc, ok := s.find(id); ok && sc.r == r {
		return s, nil
	}
	return s.with(id, r), nil
}

// Get returns the groups of a session, and their version. Errors: ErrUnknownSession.
func (s Sessions) Get(id string) (*Registry, uint64, error) {
	sc, ok := s.find(id)
	if !ok {
		return nil, 0, &NameError{Err: ErrUnknownSession, Kind: "session", Name: id}
	}
	return sc.r, sc.version, nil
}

// Update changes the groups of a session if their version is still the one that the caller has
// seen. What f returns is taken; its error leaves everything as it was, and so does a Registry
// that is the same. Errors: ErrUnknownSession, ErrVersion, ErrNil, those of f.
func (s Sessions) Update(id string, version uint64, f func(*Registry) (*Registry, Change, error)) (Sessions, Change, error) {
	old, have, err := s.Get(id)
	if err != nil {
		return s, Change{}, err
	}
	if have != version {
		return s, Change{}, &VersionError{Want: version, Have: have}
	}
	r, change, err := f(old)
	switch {
	case err != nil:
		return s, Change{}, err
	case r == nil:
		return s, Change{}, ErrNil
	case r == old:
		return s, Change{}, nil
	}
	return s.with(id, r), change, nil
}

// Drop forgets a session; false if there is none.
func (s Sessions) Drop(id string) (Sessions, bool) {
	if _, ok := s.find(id); !ok {
		return s, false
	}
	return s.with(id, nil), true
}

// Effective returns what a session is offered: its own groups, then the global ones whose names
// none of its own has, switched on or not. A session that is not there is offered the global
// ones. It costs time and memory in proportion to what the session has of its own, unless one
// of its groups has the name of a global one: then both are joined anew.
func (s Sessions) Effective(id string, g Globals) *View {
	sc, _ := s.find(id)
	return Effective(sc.r, g.r)
}

// Effective returns the view of own groups over global ones.
func Effective(own, globals *Registry) *View {
	switch {
	case own.Len() == 0 && globals.View().catalog.Offers().Has(own.View().catalog.Offers()):
		return globals.View()
	case globals.Len() == 0 && own.View().catalog.Offers().Has(globals.View().catalog.Offers()):
		return own.View()
	}
	var rest []*Group
	shadowed := false
	for _, e := range globals.list() {
		if _, taken := own.at(e.server.Name()); taken {
			shadowed = true
		} else if e.offered() {
			rest = append(rest, e.server)
		}
	}
	under := globals.View()
	if shadowed {
		under = makeView(rest, under.catalog.Offers())
	}
	return own.View().over(under)
}

func (r *Registry) list() []entry {
	if r == nil {
		return nil
	}
	return r.entries
}
