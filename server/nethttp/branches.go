package nethttp

import (
	"context"
	"errors"
	"time"
)

// Table is a table of bytes with a compare-and-set, such as a key-value store or a table of a
// database, for NewShared. Its errors are those of a Store.
type Table interface {
	// Get returns the bytes under the id, or ErrNoSession.
	Get(ctx context.Context, id string) (data []byte, err error)
	// Put stores data as the given step in place of the step before it, and returns ErrStep if the stored step
	// differs or there is none. If step is 1, it creates the entry, and returns ErrStep if there is one. The table
	// may remove the entry if no Put follows within keep, which is Options.IdleTimeout, by its own clock.
	// lifecycle.ErrLimit says that data is too long, and not stored. Put must not change data, and may keep it.
	Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error
	// Delete removes the entry. An absent one is not an error.
	Delete(ctx context.Context, id string) error
	// Wait returns when the step under the id differs or there is none, or with the error of ctx if
	// that ends first. It may return early: a table without notifications may just sleep.
	Wait(ctx context.Context, id string, step uint64) error
}

// ErrBranch is returned by Branches.PutOn if the store is on another branch.
var ErrBranch = errors.New("nethttp: the store is on another branch")

// Branches is an optional interface of a Table whose store can lose acknowledged writes: it reports when that may
// have happened. With it, ids are never reused after a loss, and a client that uses a lost one gets an error
// (docs/cluster.md). Without it only a process that saw a lost turn notices the loss.
type Branches interface {
	// Branch returns the branch of the store, or 0 if the store cannot tell. The branch changes whenever
	// acknowledged writes may be lost: when a replica replaces its master, or a server restarts from its disk. It
	// is a random number, and never reused.
	Branch(ctx context.Context) (uint64, error)
	// PutOn is Put for a record of a branch. If the store is not on that branch when it would store the record, it
	// stores nothing and returns ErrBranch.
	PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error
	// DisownOn is Disown of a Cluster on a branch, so that earlier writes are not lost.
	DisownOn(ctx context.Context, branch uint64, process, session string, mark uint64) error
	// LeaveOn is Leave on a branch.
	LeaveOn(ctx context.Context, branch uint64, process string) error
}
