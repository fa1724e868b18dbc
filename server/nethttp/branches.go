package nethttp

import (
	"context"
	"errors"
	"time"
)

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
