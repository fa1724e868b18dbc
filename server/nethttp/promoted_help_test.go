package nethttp_test

import (
	"context"
	"maps"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// branched is a cluster whose store loses acknowledged writes: what was kept is all that is there after promote.
type branched struct {
	*cluster
	rows map[string]row
	of   map[string]process
}

func newBranched() *branched {
	b := &branched{cluster: newCluster()}
	b.table.branch = 1 << 60
	return b
}

// keep has the replica catch up: what is stored from now on is lost.
func (b *branched) keep() {
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	b.rows, b.of = maps.Clone(b.table.rows), map[string]process{}
	for id, p := range b.processes {
		q := *p
		q.sessions = maps.Clone(p.sessions)
		b.of[id] = q
	}
}

// promote puts the replica in the place of the store.
func (b *branched) promote() {
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	b.table.rows = maps.Clone(b.rows)
	b.processes = map[string]*process{}
	for id, p := range b.of {
		p.sessions = maps.Clone(p.sessions)
		b.processes[id] = &p
	}
	b.table.branch++
	b.wake()
}

func (b *branched) Branch(context.Context) (uint64, error) {
	b.table.mu.Lock()
	defer b.table.mu.Unlock()
	return b.table.branch, b.table.fail
}

func (b *branched) PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error {
	b.table.mu.Lock()
	on := b.table.branch
	b.table.mu.Unlock()
	if branch != on { // no test promotes while a Put is under way
		return nethttp.ErrBranch
	}
	return b.cluster.Put(ctx, id, data, step, keep)
}

func (b *branched) DisownOn(ctx context.Context, branch uint64, process, session string, mark uint64) error {
	if on, err := b.Branch(ctx); err != nil || branch != on {
		return nethttp.ErrBranch
	}
	return b.Disown(ctx, process, session, mark)
}

func (b *branched) LeaveOn(ctx context.Context, branch uint64, process string) error {
	if on, err := b.Branch(ctx); err != nil || branch != on {
		return nethttp.ErrBranch
	}
	return b.Leave(ctx, process)
}

var _ nethttp.Branches = (*branched)(nil)
