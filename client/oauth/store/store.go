package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/sansmcp/mcp/client/oauth"
)

// MaxBytes is the limit of a stored Record, in bytes.
const MaxBytes = 256 << 10

// Errors of a Store.
var (
	// ErrChanged: another process has saved a Record since Load.
	ErrChanged = errors.New("store: the record has changed; load it again")
	// ErrSize: a Record has more than 256 KiB.
	ErrSize = fmt.Errorf("store: the record has more than %d bytes; want less", MaxBytes)
)

// Version is what Save compares: "" for an absent Record.
type Version string

// Store keeps Records by key. Its methods are called by any number of goroutines at a time.
type Store interface {
	// Load returns the Record of a key; a zero one if absent.
	Load(ctx context.Context, key string) (oauth.Record, Version, error)
	// Save replaces the Record with the Version, or returns ErrChanged. It needs no Lock.
	Save(ctx context.Context, key string, r oauth.Record, v Version) (Version, error)
	// Lock waits until the key is unlocked, or ctx ends. Neither Load nor Save waits for it.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

type memory struct {
	mu    sync.Mutex
	text  map[string][]byte
	locks map[string]chan struct{} // closed when the lock is free again
}

// NewMemory returns a Store that ends with the process.
func NewMemory() Store {
	return &memory{text: map[string][]byte{}, locks: map[string]chan struct{}{}}
}

// Load implements Store.
func (m *memory) Load(_ context.Context, key string) (oauth.Record, Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return parse(m.text[key])
}

// Save implements Store.
func (m *memory) Save(_ context.Context, key string, r oauth.Record, v Version) (Version, error) {
	text, err := format(r)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if versionOf(m.text[key]) != v {
		return "", ErrChanged
	}
	m.text[key] = text
	return versionOf(text), nil
}

// Lock implements Store.
func (m *memory) Lock(ctx context.Context, key string) (func(), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.locks[key] != nil {
		free := m.locks[key]
		m.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
		}
		m.mu.Lock()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	free := make(chan struct{})
	m.locks[key] = free
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locks, key)
		close(free)
	}), nil
}

// format returns the form in which a Record is kept.
func format(r oauth.Record) ([]byte, error) {
	text := oauth.AppendRecord(nil, r)
	if len(text) > MaxBytes {
		return nil, ErrSize
	}
	return text, nil
}

// parse returns the Record of that form.
func parse(text []byte) (oauth.Record, Version, error) {
	if len(text) == 0 {
		return oauth.Record{}, "", nil
	}
	r, err := oauth.ParseRecord(text)
	return r, versionOf(text), err
}

func versionOf(text []byte) Version {
	if len(text) == 0 {
		return ""
	}
	sum := sha256.Sum256(text)
	return Version(hex.EncodeToString(sum[:]))
}
