package nethttp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/delta"
)

// NewShared returns a Store that keeps its records in a Table as bytes, so that Handlers of any number of
// processes share them. They need the same server.Config, with the same HashKey, and the same Options.Streams.
// The Store serves one Handler. If the Table is also a Cluster, one process ends the calls and streams of another
// that has died.
func NewShared(table Table) Store { return &shared{table: table} }

// cluster returns the table as a Cluster, if it is one.
func (s *shared) cluster() Cluster {
	c, _ := s.table.(Cluster)
	return c
}

// errBound says that a Store of NewShared serves two Handlers, or none.
var errBound = errors.New("nethttp: a Store of NewShared serves one Handler")

func (s *shared) bind(h *Handler) error {
	if !s.h.CompareAndSwap(nil, h) {
		return errBound
	}
	return nil
}

// Get implements Store.
func (s *shared) Get(ctx context.Context, id string) (Record, error) {
	h := s.h.Load()
	if h == nil {
		return Record{}, errBound
	}
	cfg := h.app.Load().cfg
	restore := func(data []byte) (Record, error) {
		r, err := restoreRecord(cfg, h.opt.Streams, data, time.Now())
		r.catalog = cfg.Catalog
		return r, err
	}
	if c, ok := s.table.(Changes); ok {
		return s.recall.load(ctx, c, id, cfg.Catalog, restore)
	}
	data, err := s.table.Get(ctx, id)
	if err != nil {
		return Record{}, err
	}
	if data, _, err = delta.Read(data, lifecycle.MaxSnapshot); err != nil { // others may append to what is there
		return Record{}, fmt.Errorf("%w: nethttp: %w", lifecycle.ErrSnapshot, err)
	}
	return restore(data)
}

// Put implements Store.
func (s *shared) Put(ctx context.Context, id string, r Record, step uint64) error {
	h := s.h.Load()
	if h == nil {
		return errBound
	}
	if r.Step != step+1 {
		return fmt.Errorf("nethttp: step %d does not follow %d", r.Step, step)
	}
	return s.put(ctx, id, r, h.opt.IdleTimeout)
}

// Delete implements Store.
func (s *shared) Delete(ctx context.Context, id string) error {
	s.recall.forget(id)
	return s.table.Delete(ctx, id)
}

// Wait implements Store.
func (s *shared) Wait(ctx context.Context, id string, step uint64) error {
	return s.table.Wait(ctx, id, step)
}

// branch returns the branch of the table as far as it is known here, 0 for one that has none.
func (s *shared) branch(ctx context.Context) (uint64, error) {
	if on := s.on.Load(); on != nil {
		return *on, nil
	}
	return s.ask(ctx)
}

// ask asks the table for its branch.
func (s *shared) ask(ctx context.Context) (uint64, error) {
	b, ok := s.table.(Branches)
	if !ok {
		return 0, nil
	}
	on, err := b.Branch(ctx)
	if err == nil {
		s.on.Store(&on)
	}
	return on, err
}

// put stores a record on the branch that is its epoch, if the table has branches.
func (s *shared) put(ctx context.Context, id string, r Record, keep time.Duration) error {
	on, branch := s.on.Load(), r.epoch
	b, ok := s.table.(Branches)
	if ok = ok && (on == nil || *on != 0); !ok {
		branch = 0
	}
	var err error
	switch c, changes := s.table.(Changes); {
	case changes && ok == (branch != 0):
		err = s.recall.store(ctx, c, branch, id, r, keep)
	case !ok:
		return s.table.Put(ctx, id, r.snapshot(), r.Step, keep)
	default:
		err = b.PutOn(ctx, branch, id, r.snapshot(), r.Step, keep)
	}
	if s.moved(on, err) {
		return ErrStep
	}
	return err
}

// moved takes in that the table may be on another branch than on.
func (s *shared) moved(on *uint64, err error) bool {
	if !errors.Is(err, ErrBranch) {
		return false
	}
	s.on.CompareAndSwap(on, nil) // it is asked for again
	if m := s.h.Load().member; m != nil {
		poke(m.again)
	}
	return true
}

// disown is Cluster.Disown after something that was done on a branch.
func (s *shared) disown(ctx context.Context, branch uint64, process, session string, mark uint64) error {
	b, ok := s.table.(Branches)
	if !ok || branch == 0 {
		return s.cluster().Disown(ctx, process, session, mark)
	}
	on := s.on.Load()
	err := b.DisownOn(ctx, branch, process, session, mark)
	s.moved(on, err)
	return err
}

// leave is Cluster.Leave after something that was done on a branch.
func (s *shared) leave(ctx context.Context, branch uint64, process string) error {
	b, ok := s.table.(Branches)
	if !ok || branch == 0 {
		return s.cluster().Leave(ctx, process)
	}
	on := s.on.Load()
	err := b.LeaveOn(ctx, branch, process)
	s.moved(on, err)
	return err
}
