package nethttp_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// cluster is a table that knows its processes: a nethttp.Cluster in memory.
type cluster struct {
	*table
	mu        sync.Mutex
	processes map[string]*process
}

// process is what a cluster knows of one.
type process struct {
	until    time.Time // the end of its lease
	by       string    // who has claimed it
	claimed  time.Time // until then
	sessions map[string]uint64
}

func newCluster() *cluster { return &cluster{table: newTable(), processes: map[string]*process{}} }

// away returns why the cluster cannot be reached.
func (c *cluster) away() error {
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	return c.fail
}

// with runs f on a process, which is nil if there is none.
func (c *cluster) with(id string, f func(p *process) error) error {
	if err := c.away(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return f(c.processes[id])
}

func (c *cluster) Join(_ context.Context, id string, lease time.Duration) error {
	return c.with(id, func(p *process) error {
		if p == nil {
			p = &process{sessions: map[string]uint64{}}
			c.processes[id] = p
		}
		p.until = time.Now().Add(lease)
		return nil
	})
}

func (c *cluster) Renew(_ context.Context, id string, lease time.Duration) error {
	return c.with(id, func(p *process) error {
		if p == nil || !time.Now().Before(p.until) {
			return nethttp.ErrLease
		}
		p.until = time.Now().Add(lease)
		return nil
	})
}

func (c *cluster) Own(_ context.Context, id, session string, mark uint64) error {
	return c.with(id, func(p *process) error {
		if p == nil || !time.Now().Before(p.until) {
			return nethttp.ErrLease
		}
		p.sessions[session] = max(p.sessions[session], mark)
		return nil
	})
}

func (c *cluster) Disown(_ context.Context, id, session string, mark uint64) error {
	return c.with(id, func(p *process) error {
		if p != nil && p.sessions[session] <= mark {
			delete(p.sessions, session)
		}
		return nil
	})
}

func (c *cluster) Owned(_ context.Context, id, cursor string) (sessions []string, next string, err error) {
	err = c.with(id, func(p *process) error {
		if p == nil {
			return nil
		}
		for _, s := range slices.Sorted(maps.Keys(p.sessions)) {
			if s > cursor {
				sessions = append(sessions, s)
			}
		}
		if len(sessions) > 2 {
			sessions, next = sessions[:2], sessions[1]
		}
		return nil
	})
	return sessions, next, err
}

func (c *cluster) Lost(_ context.Context, by string, claim time.Duration) (processes []string, err error) {
	err = c.with("", func(*process) error {
		now := time.Now()
		for _, id := range slices.Sorted(maps.Keys(c.processes)) {
			if p := c.processes[id]; !now.Before(p.until) && (p.by == by || !now.Before(p.claimed)) {
				p.by, p.claimed = by, now.Add(claim)
				processes = append(processes, id)
			}
		}
		return nil
	})
	return processes, err
}

func (c *cluster) Expire(_ context.Context, id string) error {
	return c.with(id, func(p *process) error {
		if p != nil {
			p.until = time.Now()
		}
		return nil
	})
}

func (c *cluster) Leave(_ context.Context, id string) error {
	return c.with(id, func(*process) error {
		delete(c.processes, id)
		return nil
	})
}

var _ nethttp.Cluster = (*cluster)(nil)
