// Package logins keeps Records of package client/oauth/store on a server that many processes share. It encrypts them,
// and waits for locks; a Backend does what is of one kind of server.
package logins

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// Keep is the default of how long a Record is kept that nobody saves.
const Keep = 30 * 24 * time.Hour

// Lease is for how long a lock is held whose process has died. Who has it renews it.
const Lease = 15 * time.Second

// Backend is a server. Its methods return when ctx ends, and send nothing after that. Their errors begin with its package.
type Backend interface {
	// Name returns the name on the server of a key with a hash, in hexadecimal digits. A Record is bound to it.
	Name(hash string) string
	// Get returns what is stored under a name; no bytes if there is nothing.
	Get(ctx context.Context, name string) ([]byte, error)
	// Put stores text if what is stored begins with was, which has Begins bytes, or if nothing is stored and was is
	// empty. Else it returns store.ErrChanged.
	Put(ctx context.Context, name string, text, was []byte) error
	// TryLock gives the lock of a name to by for the time of a Lease, if nobody or by has it.
	TryLock(ctx context.Context, name, by string) (bool, error)
	// Unlock takes it from by.
	Unlock(ctx context.Context, name, by string) error
}

// Begins is how many of the first bytes of what is stored tell it from all that was stored before: they are its nonce,
// which is random. A sequence of the server can come again when it has lost something.
const Begins = 12

func versionOf(sealed []byte) store.Version {
	return store.Version(hex.EncodeToString(sealed[:min(Begins, len(sealed))]))
}

type logins struct {
	on      string // the package of the Backend, which begins errors
	b       Backend
	timeout time.Duration
	seals   []cipher.AEAD
}

// New returns a Store on a Backend whose package is on. The first of keys encrypts, each decrypts. timeout bounds each
// request.
func New(on string, b Backend, keys [][]byte, timeout time.Duration) (store.Store, error) {
	l := &logins{on: on, b: b, timeout: timeout}
	if len(keys) == 0 {
		return nil, errors.New(on + ": LoginOptions.Keys is empty: want 32 random bytes")
	}
	for _, key := range keys {
		if len(key) != 32 {
			return nil, fmt.Errorf("%s: a key of LoginOptions.Keys has %d bytes: want 32", on, len(key))
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		seal, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, err
		}
		l.seals = append(l.seals, seal)
	}
	return l, nil
}

// name returns the name on the server of a key. Whoever reads it does not learn the key.
func (l *logins) name(key string) string {
	sum := sha256.Sum256([]byte(key))
	return l.b.Name(hex.EncodeToString(sum[:]))
}

// Load implements store.Store.
func (l *logins) Load(ctx context.Context, key string) (oauth.Record, store.Version, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	name := l.name(key)
	sealed, err := l.b.Get(ctx, name)
	v := versionOf(sealed)
	switch {
	case err != nil:
		return oauth.Record{}, "", err
	case len(sealed) == 0:
		return oauth.Record{}, v, nil
	}
	for _, seal := range l.seals {
		if text, err := seal.Open(nil, nil, sealed, []byte(name)); err == nil {
			r, err := oauth.ParseRecord(text)
			return r, v, err
		}
	}
	return oauth.Record{}, v, errors.New(l.on + ": a Record of a login cannot be decrypted: want the key that it was encrypted with in LoginOptions.Keys")
}

// Save implements store.Store. An error that is neither store.ErrChanged nor store.ErrSize leaves unknown whether it was saved.
func (l *logins) Save(ctx context.Context, key string, r oauth.Record, v store.Version) (store.Version, error) {
	text := oauth.AppendRecord(nil, r)
	if len(text) > store.MaxBytes {
		return "", store.ErrSize
	}
	was, err := hex.DecodeString(string(v))
	if err != nil || len(was) != 0 && len(was) != Begins {
		return "", store.ErrChanged
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	name := l.name(key)
	sealed := l.seals[0].Seal(nil, nil, text, []byte(name))
	if err := l.b.Put(ctx, name, sealed, was); err != nil {
		return "", err
	}
	return versionOf(sealed), nil
}

// How often a lock that somebody has is tried again.
const (
	firstWait   = 2 * time.Millisecond
	longestWait = 100 * time.Millisecond
)

// Lock implements store.Store. A lock of a process that has died is free after a Lease.
func (l *logins) Lock(ctx context.Context, key string) (func(), error) {
	name, by := l.name(key), rand.Text()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		got, err := l.try(ctx, name, by)
		switch {
		case got:
			return l.held(name, by), nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		}
		if pause(ctx, wait); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

func (l *logins) try(ctx context.Context, name, by string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return l.b.TryLock(ctx, name, by)
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// held renews a lock until it is given up.
func (l *logins) held(name, by string) (free func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pause(ctx, Lease/3); ctx.Err() == nil; pause(ctx, Lease/3) {
			_, _ = l.try(ctx, name, by) // the next one may come through
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
		defer cancel()
		_ = l.b.Unlock(ctx, name, by) // else it expires
	})
}
