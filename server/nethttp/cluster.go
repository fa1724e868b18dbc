package nethttp

import (
	"context"
	"errors"
	"time"
)

// ErrLease is returned by a Cluster for a process without a lease: it never joined, its lease has ended, or it has
// left. The contexts of running functions then end with this cause, because other processes answer the calls.
var ErrLease = errors.New("nethttp: the lease of the process has ended")

// Cluster is an optional interface of a Table: it knows the processes that share it. With it, another process
// ends the calls and connections of one that has died (docs/cluster.md). Without it the death of a process goes
// unnoticed.
//
// A process is named by an id of 20 letters and digits, as the ids of sessions have. The id is new at each start and
// after each lost lease, and never reused. Times are by the clock of the Cluster; processes do not pass it the time.
// Each method may be called from many goroutines, is atomic, and bounds its time; its context ends after at most a
// third of a lease. A failed call may have taken effect, or take effect later: each can be repeated.
type Cluster interface {
	// Join begins the lease of a process, which ends after that time.
	Join(ctx context.Context, process string, lease time.Duration) error
	// Renew extends the lease to that time from now, and returns ErrLease if it does not exist or has
	// ended.
	Renew(ctx context.Context, process string, lease time.Duration) error
	// Own records that the process may own a part of a session. It returns once that is as durable as a Put of the
	// Table. The highest mark for a process and session stays. It may return ErrLease if the process has no lease.
	Own(ctx context.Context, process, session string, mark uint64) error
	// Disown removes the entry of Own, unless it has a higher mark. An absent entry is not an
	// error.
	Disown(ctx context.Context, process, session string, mark uint64) error
	// Owned returns a page, of any size, of the sessions recorded for the process. The cursor is "" at first and
	// then the last next; next is "" at the end. A session that stays recorded is returned at least once, in no
	// order.
	Owned(ctx context.Context, process, cursor string) (sessions []string, next string, err error)
	// Lost returns some of the processes whose lease has ended and that have not left. It claims each for the
	// caller: during claim no other caller gets it, and the same caller gets it again, with a new claim. It never
	// returns processes with a lease.
	Lost(ctx context.Context, by string, claim time.Duration) (processes []string, err error)
	// Expire ends the lease of a process that has died: from now on Renew and Own return ErrLease for it, and Lost
	// returns it. An absent lease is not an error.
	Expire(ctx context.Context, process string) error
	// Leave removes a process: its lease, its claim and the sessions recorded for it. An absent process is
	// not an error.
	Leave(ctx context.Context, process string) error
}
