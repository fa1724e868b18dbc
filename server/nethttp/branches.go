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

// ErrBranch is what Branches.PutOn returns if the store is on another branch.
var ErrBranch = errors.New("nethttp: the store is on another branch")

// Branches are optional methods of a Table whose store may lose writes that it has acknowledged: they tell when that
// may have happened. NewShared uses them if its Table has them. Then no number that a client was given is used again,
// and a client that names a lost one is told (docs/cluster.md). Without them only the processes that saw a lost turn
// know that a session has lost it.
type Branches interface {
	// Branch returns the name of what the store has acknowledged so far, or 0 if the store never tells. The name
	// changes once acknowledged writes may be lost: because a replica replaced its master, or a server restarted
	// with what it had on its disk. It is a random number, and none is used again.
	Branch(ctx context.Context) (uint64, error)
	// PutOn is Put for a record of a branch. If the store is not on that branch at the instant of storing, it
	// stores nothing and returns ErrBranch.
	PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error
	// DisownOn is Disown of a Cluster on a branch. It returns ErrBranch if the store is on another
	// one, which may have lost what was stored before.
	DisownOn(ctx context.Context, branch uint64, process, session string, mark uint64) error
	// LeaveOn is Leave on a branch.
	LeaveOn(ctx context.Context, branch uint64, process string) error
}
