package nethttp

import (
	"context"
	"errors"
	"time"
)

// Table is a table of bytes with a compare-and-set, such as a key-value store or a row of a
// database: what NewShared makes a Store of. Its errors are those of a Store.
type Table interface {
	// Get returns the bytes under the id, or ErrNoSession.
	Get(ctx context.Context, id string) (data []byte, err error)
	// Put stores data as the given step in place of the step before it, and returns ErrStep
	// if another one is there or none. If step is 1, it creates the entry, and returns
	// ErrStep if there is one. The table may forget the entry by itself if no Put follows within keep,
	// which is Options.IdleTimeout, by its own clock. lifecycle.ErrLimit says that data is longer than the table takes,
	// and that it is not stored. data must not be changed, and may be kept.
	Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error
	// Delete removes the entry. An absent one is no error.
	Delete(ctx context.Context, id string) error
	// Wait returns once the step under the id is another one than the given one or there is none, or
	// with the error of ctx if that ends first. It may return early: a table without notifications
	// sleeps for a while.
	Wait(ctx context.Context, id string, step uint64) error
}

// ErrBranch is what Branches.PutOn returns for another branch than that of the store.
var ErrBranch = errors.New("nethttp: the store is on another branch")

// Branches is what a Table may do beside, whose store may lose writes that it has acknowledged: it tells when that may
// have happened. NewShared uses it if its Table has these methods. Then no number that a client was given is given
// again, and it is told so if it names one that was lost (docs/cluster.md). Without it a session that has lost turns is
// known by the processes alone that saw one of them.
type Branches interface {
	// Branch returns the name of what the store has acknowledged up to now, or 0 if it never tells. The name is
	// another one once acknowledged writes may be lost: since a replica took the place of its master, or a server
	// began again with what it had on its disk. It is a random number, and none comes again.
	Branch(ctx context.Context) (uint64, error)
	// PutOn is Put for a record of a branch. If the store is not on that branch in the instant in which it would be
	// stored, it is not, and the error is ErrBranch.
	PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error
	// DisownOn is Disown of a Cluster on a branch: what was stored there before is not lost then.
	DisownOn(ctx context.Context, branch uint64, process, session string, mark uint64) error
	// LeaveOn is Leave on a branch.
	LeaveOn(ctx context.Context, branch uint64, process string) error
}
