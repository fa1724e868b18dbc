package nethttp_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// table is a nethttp.Table that processes could share: bytes alone.
type table struct {
	mu      sync.Mutex
	rows    map[string]row
	changed chan struct{}
	puts    int
	refused int // Puts that were too late
	fail    error
	lie     error // what Put says now and then although it has stored the row
	branch  uint64
}

type row struct {
	data string
	step uint64
}

func newTable() *table { return &table{rows: map[string]row{}, changed: make(chan struct{})} }

func (t *table) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *table) Get(_ context.Context, id string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.rows[id]
	switch {
	case t.fail != nil:
		return nil, t.fail
	case !ok:
		return nil, nethttp.ErrNoSession
	}
	return []byte(r.data), nil
}

// at returns the bytes of an entry.
func (t *table) at(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows[id].data
}

func (t *table) Put(_ context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch r, ok := t.rows[id]; {
	case t.fail != nil:
		return t.fail
	case ok != (step > 1) || ok && r.step != step-1:
		t.refused++
		return nethttp.ErrStep
	case keep <= 0:
		return errors.New("it is not kept")
	}
	t.rows[id] = row{string(data), step}
	t.puts++
	t.wake()
	if t.lie != nil && step > 3 && t.puts%3 == 0 {
		return t.lie
	}
	return nil
}

func (t *table) Delete(_ context.Context, id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fail != nil {
		return t.fail
	}
	delete(t.rows, id)
	t.wake()
	return nil
}

func (t *table) Wait(ctx context.Context, id string, step uint64) error {
	t.mu.Lock()
	r, ok := t.rows[id]
	c := t.changed
	t.mu.Unlock()
	if !ok || r.step != step {
		return nil
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
