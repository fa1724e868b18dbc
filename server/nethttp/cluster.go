package nethttp

import (
	"context"
	"errors"
	"time"
)

// ErrLease is what a Cluster returns for a process without a lease: it never joined, its lease has ended, or it has
// left. Then the contexts of the functions that run here end with ErrLease as their cause, because other processes
// answer the calls.
var ErrLease = errors.New("nethttp: the lease of the process has ended")

// Cluster are optional methods of a Table that knows the processes that share it. NewShared uses them if its
// Table has them. Then another process ends the calls and connections of a process that has died
// (docs/cluster.md). Without them the death of a process goes unnoticed.
//
// A process is named by an id of 20 letters and digits, as the ids of sessions have. It gets a new one whenever the
// process begins, and whenever its lease has ended: no id is used again. Only the clock of the Cluster counts; no
// process passes it the time. Each method may be called from many goroutines, does all of its work or none, and
// bounds how long it takes; its context ends after a third of a lease at the latest. A call that failed may have
// been done, or may be done later, so repeating each must be harmless.
type Cluster interface {
	// Join begins the lease of a process, which ends after that time.
	Join(ctx context.Context, process string, lease time.Duration) error
	// Renew makes the lease end that time from now. It returns ErrLease if the process has none or it has
	// ended.
	Renew(ctx context.Context, process string, lease time.Duration) error
	// Own notes that the process may have calls or connections of a session. It returns once the note is stored as
	// safely as a Put of the Table. mark is the number of this note: of several for the same process and session
	// the highest stays. Own may return ErrLease if the process has no lease.
	Own(ctx context.Context, process, session string, mark uint64) error
	// Disown removes the note, unless it has a higher mark. An absent note is not an error.
	Disown(ctx context.Context, process, session string, mark uint64) error
	// Owned returns sessions that are noted for the process; of many it returns as many as it likes. The cursor is
	// "" at first and then the last next; next is "" once there are no more. A session that is noted all the time
	// is returned at least once, in no particular order.
	Owned(ctx context.Context, process, cursor string) (sessions []string, next string, err error)
	// Lost returns processes whose lease has ended and that have not left; of many it returns some. Each is claimed
	// for the process by: until the time of claim has passed, Lost returns it to no other process, and to by again,
	// which renews the claim. It never returns a process with a lease.
	Lost(ctx context.Context, by string, claim time.Duration) (processes []string, err error)
	// Expire ends the lease of a process that is known to have died: from now on Renew and Own return ErrLease for it,
	// and Lost returns it. An absent lease is not an error.
	Expire(ctx context.Context, process string) error
	// Leave removes a process: its lease, its claim and its notes. An absent process is not an error.
	Leave(ctx context.Context, process string) error
}
