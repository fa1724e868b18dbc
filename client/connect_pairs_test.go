package client_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A client and a server of any revisions, of either era or both, meet under the newest that is said first where both have
// it, and otherwise end: each with each alone, with all sessions, without any, and with all.
//
// rows: ERA-021
// revisions: 2026-07-28
func TestEveryPairOfRevisions(t *testing.T) {
	all := protocol.AllRevisions()
	sets := [][]protocol.Revision{protocol.Revisions(), protocol.StatelessRevisions(), all}
	for _, r := range protocol.Revisions() {
		sets = append(sets, []protocol.Revision{r}, append([]protocol.Revision{r}, protocol.StatelessRevisions()...))
	}
	newest := func(of []protocol.Revision, stateless bool) (rev protocol.Revision, ok bool) {
		for _, r := range all { // which go from the newest to the oldest
			if slices.Contains(of, r) && r.Stateless() == stateless {
				return r, true
			}
		}
		return rev, false
	}
	for _, of := range sets {
		for _, at := range sets {
			var want protocol.Revision
			modern, ok := newest(of, true)
			offered, sessions := newest(of, false)
			switch other, has := newest(at, false); {
			case ok && slices.Contains(at, modern):
				want = modern
			case !sessions || !has:
			case slices.Contains(at, offered):
				want = offered
			case slices.Contains(of, other):
				want = other
			}
			p := newPair(t, all, all)
			var o client.Output
			var err error
			p.cfg.Revisions, p.cfg.Serve, p.serverOf.Revisions = of, nil, at
			if p.c, err = client.New(p.cfg, began); err != nil {
				t.Fatal(err)
			}
			if p.s, err = server.New(p.serverOf, began); err != nil {
				t.Fatal(err)
			}
			if p.c, o, err = p.c.Connect(began, ""); err != nil {
				t.Fatal(err)
			}
			p.deliver(o)
			if p.c.Revision() != want || (p.c.Phase() == lifecycle.Ready) == want.IsZero() {
				t.Errorf("%v at %v: %v, want %v\n%s", of, at, p.c.Revision(), want, strings.Join(p.wire, "\n"))
			}
		}
	}
}
