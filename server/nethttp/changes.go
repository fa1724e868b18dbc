package nethttp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/delta"
)

// Changes is an optional interface of a Table: it appends bytes to an entry, and returns only the bytes that are new
// to the caller. With it, the cost of a turn is that of its changes, not of the whole record (docs/cluster.md). The
// content of an entry is the same as without it.
//
// A process whose Table hides these methods reads appended bytes, and stores whole records.
//
// A mark identifies an entry after one Put or Append, in any form; "" means no entry.
type Changes interface {
	// GetSince returns what was appended since to the entry that mark names, with all false; if the entry is another
	// one, or that is unknown, it returns the whole entry. next is the current mark. Otherwise it is Get.
	GetSince(ctx context.Context, id, mark string) (data []byte, all bool, next string, err error)
	// Append appends data to the entry that mark names, and returns the new mark. If the stored entry has another
	// mark, or its step is not step-1, it returns ErrStep. With the mark "" data replaces the entry. Otherwise it is
	// Put, or PutOn if branch is not 0. errors.ErrUnsupported says that the store cannot append, and stored nothing.
	Append(ctx context.Context, branch uint64, id, mark string, data []byte, step uint64, keep time.Duration) (next string, err error)
}

// A record is put as a whole if it is short, if most of it is new, or if what was appended is twice as long as what it was
// appended to, and longer than foldAfter. So folding costs half of what is appended, and an entry is three times as long as a
// record at most, or longer by foldAfter.
const (
	shortRecord = 1 << 10
	foldAfter   = 4 << 10
)

// load is Get of a Table with Changes. What restore returns has the given catalog, and so has what load returns: functions
// may have been replaced since it was read.
func (r *recall) load(ctx context.Context, c Changes, id string, catalog *server.Catalog, restore func(data []byte) (Record, error)) (Record, error) {
	have := r.get(id)
	data, all, mark, err := c.GetSince(ctx, id, have.mark)
	switch {
	case err != nil:
		r.forget(id)
		return Record{}, err
	case !all && len(data) == 0 && have.record.catalog == catalog && catalog != nil:
		return have.record, nil
	}
	now := recalled{mark: mark, base: have.base, size: have.size + len(data)}
	if all {
		now.size = len(data)
		now.data, now.base, err = delta.Read(data, lifecycle.MaxSnapshot)
	} else {
		now.data, err = delta.Follow(have.data, data, lifecycle.MaxSnapshot)
		if err != nil && have.mark != "" { // the store has lost what was read here: all is read
			r.forget(id)
			return r.load(ctx, c, id, catalog, restore)
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: nethttp: %w", lifecycle.ErrSnapshot, err)
	} else {
		now.record, err = restore(now.data)
	}
	if err != nil {
		r.forget(id)
		return Record{}, err
	}
	r.put(id, now)
	return now.record, nil
}

// store is Put of a Table with Changes, on a branch.
func (r *recall) store(ctx context.Context, c Changes, branch uint64, id string, rec Record, keep time.Duration) error {
	now := recalled{record: rec, data: rec.snapshot()}
	if have := r.get(id); have.mark != "" && have.record.Step == rec.Step-1 && len(now.data) > shortRecord {
		change := delta.Change(nil, have.data, now.data)
		now.base, now.size = have.base, have.size+len(change)
		if len(change) < len(now.data)/2 && now.size-now.base <= max(2*now.base, foldAfter) {
			mark, err := c.Append(ctx, branch, id, have.mark, change, rec.Step, keep)
			if err == nil {
				now.mark = mark
				r.put(id, now)
			}
			if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, lifecycle.ErrLimit) {
				return err
			}
		}
	}
	mark, err := c.Append(ctx, branch, id, "", now.data, rec.Step, keep)
	if err == nil {
		now.mark, now.base, now.size = mark, len(now.data), len(now.data)
		r.put(id, now)
	}
	return err
}
