package nethttp

import (
	"context"
	"crypto/rand"
	"errors"
)

// The errors of a Store.
var (
	// ErrNoSession says that a Store has no record of this id: the session has ended, or
	// there never was one. The client is answered 404 (HTTP-046).
	ErrNoSession = errors.New("nethttp: no such session")
	// ErrStep says that the record has another step than the one that Put was given:
	// somebody else was faster. The turn is made again on the newer record.
	ErrStep = errors.New("nethttp: the record has changed meanwhile")
)

// Store is where sessions live: a table of Records that any number of Handlers share, in
// one process or in many. NewMemory makes one for a single process, NewShared one upon any
// table of bytes with a compare-and-set. Its methods are called from many goroutines. One
// session in 256 waits while Get, Put or Delete of another one runs, so they bound how long
// they take; their context is that of what the turn is for, and seldom ends. Ids are 26 letters
// and digits; what else a client sends as one is not asked for.
//
// An error of Get, Put or Delete that is none of the above makes the request at hand fail
// with 503; the session stays as it was. What no client can ask for again, as to keep the
// answer of a function, is tried for three seconds.
type Store interface {
	// Get returns the newest record, or ErrNoSession.
	Get(ctx context.Context, id string) (Record, error)
	// Put stores r if the stored record still has the given step, and returns ErrStep if it
	// has not, or is gone. Step 0 creates the record: ErrStep if there is one.
	Put(ctx context.Context, id string, r Record, step uint64) error
	// Delete removes the record. It is no error if there is none.
	Delete(ctx context.Context, id string) error
	// Wait returns when the record has another step than the given one or is gone, soon
	// after, and with the error of ctx when that ends first. It may return early.
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
