package logins_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/internal/logins"
)

// shelf is a Backend in memory.
type shelf struct {
	mu    sync.Mutex
	text  map[string]string
	locks map[string]holder
	down  error // what every request returns, if not nil
}

type holder struct {
	by   string
	ends time.Time
}

func (s *shelf) Name(hash string) string { return "x:" + hash }

func (s *shelf) Get(_ context.Context, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []byte(s.text[name]), s.down
}

func (s *shelf) Put(_ context.Context, name string, text, was []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := []byte(s.text[name])
	if !bytes.Equal(now[:min(len(now), logins.Begins)], was) {
		return store.ErrChanged
	}
	s.text[name] = string(text)
	return s.down
}

func (s *shelf) TryLock(_ context.Context, name, by string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.locks[name]; s.down != nil || time.Now().Before(h.ends) && h.by != by {
		return false, s.down
	}
	s.locks[name] = holder{by, time.Now().Add(logins.Lease)}
	return true, nil
}

func (s *shelf) Unlock(_ context.Context, name, by string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locks[name].by == by {
		delete(s.locks, name)
	}
	return s.down
}

func newShelf() *shelf { return &shelf{text: map[string]string{}, locks: map[string]holder{}} }

func (s *shelf) store(t *testing.T, keys ...[]byte) store.Store {
	t.Helper()
	l, err := logins.New("x", s, keys, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What a Backend does as it says is a Store as those on real servers are.
func TestLogins(t *testing.T) {
	s := newShelf()
	tables.TestLogins(t, tables.Logins{
		Store:     s.store,
		Stored:    func(*testing.T) map[string]string { s.mu.Lock(); defer s.mu.Unlock(); return maps.Clone(s.text) },
		Overwrite: func(_ *testing.T, name, text string) { s.mu.Lock(); defer s.mu.Unlock(); s.text[name] = text },
	})
}

// A lock that is held is renewed for as long as that takes, and one that nobody renews is free after a Lease.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		a, b := s.store(t, tables.LoginKey(1)), s.store(t, tables.LoginKey(1))
		free, err := a.Lock(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*logins.Lease)
		defer cancel()
		if _, err := b.Lock(ctx, "ada"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("somebody else has the lock too:", err)
		}
		free()
		for name := range s.text {
			t.Error("a lock stores", name)
		}
		// A process that dies with it renews nothing.
		if got, err := s.TryLock(t.Context(), nameOf(t, s, a), "dead"); !got || err != nil {
			t.Fatal(got, err)
		}
		began := time.Now()
		if free, err = b.Lock(t.Context(), "ada"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < logins.Lease || took > logins.Lease+time.Second {
			t.Error("it was free after", took)
		}
		free()
	})
}

// nameOf returns the name that the lock of ada has.
func nameOf(t *testing.T, s *shelf, l store.Store) string {
	free, err := l.Lock(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	for name := range s.locks {
		return name
	}
	t.Fatal("there is no lock")
	return ""
}

// The error of a server is passed on, and nobody has the lock.
func TestServerAway(t *testing.T) {
	s := newShelf()
	l := s.store(t, tables.LoginKey(1))
	s.down = errors.New("x: away")
	if _, _, err := l.Load(t.Context(), "ada"); !errors.Is(err, s.down) {
		t.Error(err)
	}
	if v, err := l.Save(t.Context(), "ada", tables.Login("t"), ""); !errors.Is(err, s.down) || v != "" {
		t.Error(v, err)
	}
	if free, err := l.Lock(t.Context(), "ada"); !errors.Is(err, s.down) || free != nil {
		t.Error(err)
	}
	for want, keys := range map[string][][]byte{"x: LoginOptions.Keys is empty": nil, "has 31 bytes: want 32": {tables.LoginKey(1), make([]byte, 31)}} {
		if _, err := logins.New("x", s, keys, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
