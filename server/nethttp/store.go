package nethttp

import (
	"context"
	"crypto/rand"
	"errors"
)

// The errors of a Store.
var (
	// ErrNoSession says that a Store has no record with this id: the session has ended, or never
	// began. The client is answered 404 (HTTP-046).
	ErrNoSession = errors.New("nethttp: no such session")
	// ErrStep says that the step of the stored record differs from that given to Put: another turn was
	// stored first. The turn is repeated on the newer record.
	ErrStep = errors.New("nethttp: the record has changed meanwhile")
)

// Store is where sessions live: a table of Records that any number of Handlers share, in one process
// or in many. NewMemory makes one for a single process, NewShared one for any table of bytes with
// compare-and-set. Its methods are called from many goroutines. While Get, Put or Delete runs, its
// session waits, so they must bound their time; their context seldom ends. Ids have 26 letters and
// digits.
//
// Any other error of Get or Delete, and one of Put, makes the request fail with 503. After a failed Put the next
// Get shows whether its record was stored, even if other processes have made turns since. If it may still be
// stored, an empty turn takes its step. While the outcome is unknown no turn is repeated: the client gets an
// unknown outcome, and the turn takes effect once the Store shows that it was stored. In the meantime the answer of
// a function is kept (host.WorkOptions.KeepAnswer), progress is dropped, and a connection waits for three seconds.
type Store interface {
	// Get returns the newest record, or ErrNoSession.
	Get(ctx context.Context, id string) (Record, error)
	// Put stores r if the stored record has the given step, and returns ErrStep if it has another one or does not
	// exist. Step 0 creates the record: ErrStep if there is one. lifecycle.ErrLimit says that the record is too long
	// to be stored: the turn fails, and the answer of a function becomes -32603. A record without a Put for
	// Options.IdleTimeout may be removed, in case no process is left to do so.
	Put(ctx context.Context, id string, r Record, step uint64) error
	// Delete removes the record. An absent record is not an error.
	Delete(ctx context.Context, id string) error
	// Wait returns when the step of the record differs or the record does not exist, or with the
	// error of ctx if that ends first. It may return early.
	Wait(ctx context.Context, id string, step uint64) error
}

// newID returns the id of a session: 26 characters of base 32, 130 bits (HTTP-041, HTTP-042).
func newID() string { return rand.Text() }

// given reports whether an id can be one of newID.
func given(id string) bool {
	if len(id) != 26 {
		return false
	}
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}
