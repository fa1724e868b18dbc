package catalog

import (
	"errors"
	"fmt"
	"slices"
)

// Check returns the first invariant that does not hold. Tests call it: no action of a caller or a
// server can make it fail.
func (c Catalog) Check() error {
	if err := errors.Join(c.sources.Check(), c.ops.Check(), c.names.t.Check()); err != nil {
		return err
	}
	uids, texts := map[uint64]bool{}, 0
	for _, k := range c.reads {
		for n := range c.items(k) {
			if n.uid == 0 || n.uid > c.uid || uids[n.uid] || n.kind != k {
				return fmt.Errorf("catalog: item %v has the number %d", n.ref(), n.uid)
			}
			uids[n.uid] = true
			for _, want := range c.texts(n) {
				texts++
				if s := c.names.get(want.tag, want.text); s == nil || want.tag < byLook && !slices.Contains(s.items, n) {
					return fmt.Errorf("catalog: item %v is not found by %d %q", n.ref(), want.tag, want.text)
				}
			}
			if name := c.nameOf(n); name != "" && c.find(k, name) != n {
				return fmt.Errorf("catalog: the name %q leads to another item than %v", name, n.ref())
			}
		}
	}
	if newest := c.newest(); newest != c.nth {
		return fmt.Errorf("catalog: the newest templates are number %d, kept is %d", newest, c.nth)
	}
	if len(uids) != c.listed {
		return fmt.Errorf("catalog: %d items, counted %d", len(uids), c.listed)
	}
	return errors.Join(c.checkNames(texts), c.checkSources())
}

// checkNames returns an error for an entry that should not be in the index.
func (c *Catalog) checkNames(texts int) error {
	servers := 0
	for leaf := range c.names.t.All() {
		for s := leaf.V; s != nil; s = s.next {
			switch {
			case s.tag == byServer:
				servers++
			case s.tag >= byLook:
				texts -= int(s.n)
			}
			texts -= len(s.items)
			if !slices.IsSortedFunc(s.items, func(a, b *item) int { return a.compare(b) }) {
				return fmt.Errorf("catalog: the items of %q are out of order", s.text)
			}
		}
	}
	if texts != 0 || servers != c.sources.Len() {
		return fmt.Errorf("catalog: %d names too few, %d servers", texts, servers)
	}
	return nil
}

func (c *Catalog) checkSources() error {
	for leaf := range c.sources.All() {
		s := leaf.V
		switch at := c.names.get(byServer, s.Name); {
		case at == nil || at.n != leaf.Key || s.rank != leaf.Key || leaf.Key > c.last:
			return fmt.Errorf("catalog: server %q is not found", s.Name)
		case leaf.Deadline != c.due(s):
			return fmt.Errorf("catalog: server %q is due at %d, not at %d", s.Name, c.due(s), leaf.Deadline)
		}
		for _, k := range c.reads {
			switch l := &s.lists[k]; {
			case !l.op.IsZero() && (c.ops.Get(l.op.Seq()) == nil || c.ops.Get(l.op.Seq()).V != place(s.rank, k)):
				return fmt.Errorf("catalog: reading of server %q missing", s.Name)
			case !c.cfg.PassThrough && len(l.list.all()) > c.cfg.Limits.Items:
				return fmt.Errorf("catalog: server %q has %d items", s.Name, len(l.list.all()))
			}
		}
	}
	return nil
}
