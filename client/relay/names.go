package relay

import (
	"slices"

	"github.com/sansmcp/mcp/client/naming"
)

// names fills in the targets of a merged list, and returns what each item is called; "" for one that
// is not to be listed.
//
// Qualified names come first: no server can take the calls of another by the name of a tool. Then
// come the plain names that servers had in the list before, so that none moves, and then those that
// nobody had, in the order of the servers. What a server that is away has listed keeps its names.
func (r *Relay) names(m *merged, k int) [][]string {
	names := make([][]string, len(r.up.list))
	for i, u := range r.up.list {
		names[i] = make([]string, len(u.lists[k].shown))
		for j, it := range u.lists[k].shown {
			name := r.qualify(u, k, it.key)
			if _, taken := m.targets[name]; taken {
				continue // the hash of another
			}
			names[i][j] = name
			m.targets[name] = target{u.id, it.key}
		}
	}
	for i, u := range r.up.list {
		for j, owned := range u.lists[k].owns {
			if owned {
				r.keepName(m, u, k, u.lists[k].shown[j].key, &names[i][j])
			}
		}
	}
	var list []*upstream // with those that get a name
	for i, u := range r.up.list {
		if !r.plain(u, k) {
			continue
		}
		var owns []bool
		for j, it := range u.lists[k].shown {
			if u.lists[k].owned(j) {
				continue
			}
			if names[i][j] != "" && r.free(m, k, it.key) {
				m.targets[it.key] = target{u.id, it.key}
				names[i][j] = it.key
				if owns == nil {
					owns = make([]bool, len(names[i]))
					copy(owns, u.lists[k].owns)
				}
				owns[j] = true
			} else if r.cfg.Naming.OnConflict == naming.Hidden && !uris(k) {
				names[i][j] = ""
			}
		}
		if owns != nil {
			next := *u
			next.lists[k].owns = owns
			if list == nil {
				list = slices.Clone(r.up.list)
			}
			list[i] = &next
		}
	}
	if list != nil {
		up := *r.up
		up.list = list
		r.up = &up
	}
	for i := range names {
		for j, name := range names[i] {
			if m.targets[name].server == 0 {
				names[i][j] = "" // withdrawn
			}
		}
	}
	return names
}

// keepName gives a plain name to the server that had it, or withdraws it if it is another's now: the
// qualified name of something of a server that was added later.
func (r *Relay) keepName(m *merged, u *upstream, k int, key string, name *string) {
	was, taken := m.targets[key]
	if to, means := r.parse(k, key); means && to.server != u.id || taken && was != (target{u.id, key}) {
		m.targets[key] = target{}
		return
	}
	m.targets[key] = target{u.id, key}
	*name = key
}

// free reports whether nobody has a plain name, and no server has it as a qualified one.
func (r *Relay) free(m *merged, k int, key string) bool {
	_, taken := m.targets[key]
	_, means := r.parse(k, key)
	return !taken && !means
}

// uris reports whether the names of a kind are uris.
func uris(k int) bool { return k == resources || k == templates }

// plain reports whether a server may have plain names of a kind.
func (r *Relay) plain(u *upstream, k int) bool {
	switch {
	case uris(k):
		return r.cfg.Naming.URIs != naming.Always
	case r.cfg.Naming.Names == naming.Auto:
		return u.alone
	}
	return r.cfg.Naming.Names == naming.Plain
}

// owned reports whether an item has its plain name.
func (l *list) owned(j int) bool { return j < len(l.owns) && l.owns[j] }

// owning returns which items of another list have their plain names: those that had them in this.
func (l *list) owning(items []item) []bool {
	if !slices.Contains(l.owns, true) {
		return nil
	}
	had := make(map[string]bool, len(l.owns))
	for j, it := range l.shown {
		had[it.key] = l.owned(j)
	}
	owns := make([]bool, len(items))
	for j, it := range items {
		owns[j] = had[it.key]
	}
	return owns
}
