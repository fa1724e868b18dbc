package nethttp

import (
	"context"
	"errors"
	"time"
)

// ErrBranch is what Branches.PutOn returns if the store is not on the given branch.
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
