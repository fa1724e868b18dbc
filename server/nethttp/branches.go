package nethttp

import (
	"context"
	"errors"
	"time"
)

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
