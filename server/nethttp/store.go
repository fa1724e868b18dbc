package nethttp

import (
	"context"
	"crypto/rand"
	"errors"
)

// The errors of a Store.
var (
	// ErrNoSession means that a Store has no record with this id: the session has ended, or never
	// began. The client gets 404 (HTTP-046).
	ErrNoSession = errors.New("nethttp: no such session")
	// ErrStep says that the step of the stored record differs from that given to Put: another turn was
	// stored first. The turn is repeated on the newer record.
	ErrStep = errors.New("nethttp: the record has changed")
)

// Store keeps sessions: a table of Records that any number of Handlers share, in one process or in
// many. NewMemory makes one for a single process, NewShared one for any table of bytes with a
// compare-and-set. Its methods are called from many goroutines. While Get, Put or Delete runs, its
// session waits, so they must bound how long they take; their context rarely ends. Ids are 26
// letters and digits; the Store gets no others.
//
// Any other error of Get or Delete, and any error of Put, makes the request fail with 503. After Put the next Get
// shows what became of its record, even if other processes have made turns of it. If it may still be stored, a turn
// that changes nothing takes its place. As long as the Store does not say, the turn is not made again: the client
// gets an error that says that the outcome is unknown, and the effects of the turn follow once the Store says that
// it has stored it. In the meantime the answer of a function is kept (host.WorkOptions.KeepAnswer), progress is
// dropped, and a connection is held for three seconds.
type Store interface {
	// Get returns the newest record, or ErrNoSession.
	Get(ctx context.Context, id string) (Record, error)
	// Put stores r if the stored record has the given step, and returns ErrStep if it has another one or does not
	// exist. Step 0 creates the record, and returns ErrStep if it exists. lifecycle.ErrLimit means that the record is
	// too long to be stored: the turn fails, and the answer of a function becomes -32603. A record that was not Put
	// for Options.IdleTimeout may be removed, in case no process is left to do it.
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
