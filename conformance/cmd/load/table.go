package main

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// table is a nethttp.Table of this process, for handlers that share their sessions.
type table struct {
	mu   sync.Mutex
	rows map[string]*row
}

type row struct {
	data    []byte
	step    uint64
	changed chan struct{} // closed when the row is replaced
}

func newTable() *table { return &table{rows: map[string]*row{}} }

// Get implements nethttp.Table.
func (t *table) Get(_ context.Context, id string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.rows[id]; r != nil {
		return r.data, nil
	}
	return nil, nethttp.ErrNoSession
}

// Put implements nethttp.Table.
func (t *table) Put(_ context.Context, id string, data []byte, step uint64, _ time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rows[id]
	if r == nil && step != 1 || r != nil && r.step != step-1 {
		return nethttp.ErrStep
	}
	t.rows[id] = &row{data: data, step: step, changed: make(chan struct{})}
	if r != nil {
		close(r.changed)
	}
	return nil
}

// Delete implements nethttp.Table.
func (t *table) Delete(_ context.Context, id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.rows[id]; r != nil {
		delete(t.rows, id)
		close(r.changed)
	}
	return nil
}

// Wait implements nethttp.Table.
func (t *table) Wait(ctx context.Context, id string, step uint64) error {
	t.mu.Lock()
	r := t.rows[id]
	t.mu.Unlock()
	if r == nil || r.step != step {
		return nil
	}
	select {
	case <-r.changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
