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
	// ErrStep says that the stored record has another step than Put was given: another turn was stored
	// first. The turn is made again on the newer record.
	ErrStep = errors.New("nethttp: the record has changed meanwhile")
)

// Store is where sessions live: a table of Records that any number of Handlers share, in one process
// or in many. NewMemory makes one for a single process, NewShared one for any table of bytes with a
// compare-and-set. Its methods are called from many goroutines. While Get, Put or Delete runs, its
// session waits, so they bound how long they take; their context seldom ends. Ids are 26
// letters and digits; the Store is asked for no others.
//
// Any other error of Get or Delete, and one of Put, makes the request fail with 503. After Put the next Get says
// what became of its record, also where other processes have made turns of it. If it may be stored yet, a turn that
// changes nothing takes its place. As long as the Store does not say, no turn is made again: the client
// is told that the outcome is unknown, and what the turn asked for is done once the Store says that it has
// stored it. The answer of a function is kept meanwhile (host.WorkOptions.KeepAnswer), progress is dropped,
// and a connection is held for three seconds.
type Store interface {
	// Get returns the newest record, or ErrNoSession.
	Get(ctx context.Context, id string) (Record, error)
	// Put stores r if the stored record has the given step, and returns ErrStep if it has another one
	// or does not exist. Step 0 creates the record: ErrStep if there is one. lifecycle.ErrLimit says that the record
	// is too long to be stored: the turn fails, and the answer of a function becomes -32603. A record that no Put has
	// followed for Options.IdleTimeout may be removed, in case no process is left to do it.
	Put(ctx context.Context, id string, r Record, step uint64) error
	// Delete removes the record. An absent record is no error.
	Delete(ctx context.Context, id string) error
	// Wait returns once the record has another step than the given one or does not exist, or with the
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
