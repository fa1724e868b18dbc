package nethttp

import (
	"context"
	"hash/maphash"
	"sync"
)

// memory is a Store in a map.
type memory struct {
	shards [memoryShards]shard
}

// memoryShards is a power of two.
const memoryShards = 32

// shard is a part of the records, so that sessions rarely wait for each other.
type shard struct {
	mu      sync.Mutex
	records map[string]*Record
	waiting map[string]chan struct{} // closed when the record changes
}

// NewMemory returns a Store of a single process, in a map.
func NewMemory() Store { return newMemory() }

func newMemory() *memory {
	m := new(memory)
	for i := range m.shards {
		m.shards[i].records = map[string]*Record{}
		m.shards[i].waiting = map[string]chan struct{}{}
	}
	return m
}

func (m *memory) shard(id string) *shard { return &m.shards[hash(id)&(memoryShards-1)] }

// Get implements Store.
func (m *memory) Get(_ context.Context, id string) (Record, error) {
	s := m.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[id]; r != nil {
		return *r, nil
	}
	return Record{}, ErrNoSession
}

// Put implements Store.
func (m *memory) Put(_ context.Context, id string, r Record, step uint64) error {
	s := m.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.records[id]
	switch {
	case old == nil && step == 0:
		old = spare.Get().(*Record) // &r would cost an allocation in every Put
		*old = r
		s.records[id] = old
	case old == nil || old.Step != step || step == 0:
		return ErrStep
	default:
		*old = r
	}
	s.changed(id)
	return nil
}

// spare are Records for reuse: only a shard refers to a Record.
var spare = sync.Pool{New: func() any { return new(Record) }}

// Delete implements Store.
func (m *memory) Delete(_ context.Context, id string) error {
	s := m.shard(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.records[id]; r != nil {
		*r = Record{}
		spare.Put(r)
		delete(s.records, id)
	}
	s.changed(id)
	return nil
}

// Wait implements Store.
func (m *memory) Wait(ctx context.Context, id string, step uint64) error {
	s := m.shard(id)
	s.mu.Lock()
	if r := s.records[id]; r == nil || r.Step != step {
		s.mu.Unlock()
		return nil
	}
	c := s.waiting[id]
	if c == nil {
		c = make(chan struct{})
		s.waiting[id] = c
	}
	s.mu.Unlock()
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// changed wakes the callers that wait for the record. The lock is held.
func (s *shard) changed(id string) {
	if c := s.waiting[id]; c != nil {
		delete(s.waiting, id)
		close(c)
	}
}

// hash spreads session ids over shards and locks. Ids are random, but a client may send anything.
func hash(id string) uint64 { return maphash.String(seed, id) }

var seed = maphash.MakeSeed()
