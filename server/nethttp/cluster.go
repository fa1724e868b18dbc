package nethttp

import (
	"context"
	"errors"
	"time"
)

// ErrLease is what a Cluster returns for a process that has no lease: it never joined, its lease has ended, or
// it has left. Then the contexts of the functions that run here end with it as their cause, for others answer the calls.
var ErrLease = errors.New("nethttp: the lease of the process has ended")

// Cluster is what a Table may do beside: it knows the processes that share it. NewShared uses it if its Table has
// these methods. Then what a process that has died had of sessions is ended by another one (docs/cluster.md).
// Without it the death of a process goes unnoticed.
//
// A process is named by an id of 20 letters and digits, as the ids of sessions have. It is a new one whenever the
// process begins, and whenever its lease has ended: no id is used again. Times are by the clock of the Cluster,
// or of nobody: no process tells it what time it is. Each method may be called from many goroutines, does all of its
// work or none, and bounds how long it takes; its context ends after a third of a lease at the latest. A call that
// failed may have been done, or be done later: each can be made again.
type Cluster interface {
	// Join begins the lease of a process, which ends after that time.
	Join(ctx context.Context, process string, lease time.Duration) error
	// Renew lets the lease end that time from now, and returns ErrLease if there is none or it has ended.
	Renew(ctx context.Context, process string, lease time.Duration) error
	// Own notes that the process may have something of a session. It returns once that is stored as safely as a Put
	// of the Table. The mark is that of this note: the highest one for the two stays. It may return ErrLease if the
	// process has no lease.
	Own(ctx context.Context, process, session string, mark uint64) error
	// Disown removes the note, unless it has a higher mark. An absent note is no error.
	Disown(ctx context.Context, process, session string, mark uint64) error
	// Owned returns sessions that are noted for the process, of many some: as many as it likes. The cursor is "" at
	// first and then the last next; next is "" once there are no more. A session that is noted all the while is
	// returned at least once, in no order.
	Owned(ctx context.Context, process, cursor string) (sessions []string, next string, err error)
	// Lost returns processes whose lease has ended and that have not left, of many some. Each is claimed for the one
	// that asks: for the time of claim nobody else is told of it, and whoever asks again is, with the claim
	// begun anew. It is told of none with a lease.
	Lost(ctx context.Context, by string, claim time.Duration) (processes []string, err error)
	// Expire ends the lease of a process that is known to have died: from now on Renew and Own return ErrLease for it,
	// and Lost tells of it. An absent lease is no error.
	Expire(ctx context.Context, process string) error
	// Leave removes a process: its lease, its claim and what is noted for it. An absent process is no error.
	Leave(ctx context.Context, process string) error
}
