package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// Logins is a server for Stores of logins, with its contents.
type Logins struct {
	// Store returns a Store with keys as for another process. The test closes it.
	Store func(t *testing.T, keys ...[]byte) store.Store
	// Stored returns all that is stored, by name.
	Stored func(t *testing.T) map[string]string
	// Overwrite stores a text under a name.
	Overwrite func(t *testing.T, name, text string)
}

// LoginKey returns one of 256 keys.
func LoginKey(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

// Login returns a Record that names a token.
func Login(token string) oauth.Record {
	return oauth.Record{Issuer: "https://as.example", Token: oauth.Token{Access: oauth.Secret(token), Refresh: "refresh " + oauth.Secret(token)}, Asked: []string{"read"}, Pending: "pending " + oauth.Secret(token)}
}

// TestLogins tests everything that a store.Store on a server promises.
func TestLogins(t *testing.T, s Logins) {
	t.Run("records", func(t *testing.T) { records(t, s) })
	t.Run("keys", func(t *testing.T) { loginKeys(t, s) })
	t.Run("one of many Saves", func(t *testing.T) { saves(t, s) })
	t.Run("locks", func(t *testing.T) { locks(t, s) })
}

// records: the other processes see a login that one process has saved.
func records(t *testing.T, s Logins) {
	ctx := t.Context()
	a, b := s.Store(t, LoginKey(1)), s.Store(t, LoginKey(1))
	const key = "ada\nhttps://mcp.example"
	if rec, v, err := a.Load(ctx, key); err != nil || v != "" || rec.Issuer != "" {
		t.Error(rec, v, err)
	}
	first, err := a.Save(ctx, key, Login("t1"), "")
	if err != nil || first == "" {
		t.Fatal(err)
	}
	if _, err := b.Save(ctx, key, Login("x"), ""); !errors.Is(err, store.ErrChanged) {
		t.Error(err)
	}
	rec, v, err := b.Load(ctx, key)
	if err != nil || v != first || rec.Token.Access != "t1" || rec.Token.Refresh != "refresh t1" || rec.Pending != "pending t1" {
		t.Error(rec, v, err)
	}
	second, err := b.Save(ctx, key, Login("t2"), v)
	if err != nil || second == first {
		t.Error(err)
	}
	for _, old := range []store.Version{first, "", "zz", "00", second + "00", second[2:]} {
		if _, err := a.Save(ctx, key, Login("x"), old); !errors.Is(err, store.ErrChanged) {
			t.Errorf("over %q: %v", old, err)
		}
	}
	if rec, _, err := a.Load(ctx, key); err != nil || rec.Token.Access != "t2" {
		t.Error(rec, err)
	}
	if rec, v, err := a.Load(ctx, "bob\nhttps://mcp.example"); err != nil || v != "" || rec.Issuer != "" {
		t.Error("another key:", rec, v, err)
	}
	if _, err := a.Save(ctx, "long", Login(strings.Repeat("x", store.MaxBytes)), ""); !errors.Is(err, store.ErrSize) {
		t.Error(err)
	}
	long := Login("long")
	long.Asked = []string{strings.Repeat("x", store.MaxBytes-1000)}
	if _, err := a.Save(ctx, "long", long, ""); err != nil {
		t.Error(err)
	}
}

// loginKeys: a server has no token in clear text, and after a change of keys both are readable.
func loginKeys(t *testing.T, s Logins) {
	ctx, before := t.Context(), s.Stored(t)
	a, rotated, other := s.Store(t, LoginKey(1)), s.Store(t, LoginKey(2), LoginKey(1)), s.Store(t, LoginKey(3))
	const key = "carol\nhttps://mcp.example"
	if _, err := a.Save(ctx, key, Login("t2"), ""); err != nil {
		t.Fatal(err)
	}
	var carols string
	for name, text := range s.Stored(t) {
		if _, ok := before[name]; ok {
			continue
		}
		if carols = name; strings.Contains(name, "carol") {
			t.Error("the name says whose it is:", name)
		}
		if strings.Contains(text, "t2") || strings.Contains(text, "as.example") {
			t.Errorf("in clear: %q", text)
		}
	}
	rec, v, err := rotated.Load(ctx, key)
	if err != nil || rec.Token.Access != "t2" {
		t.Error(rec, err)
	}
	if _, _, err := other.Load(ctx, key); err == nil {
		t.Error("it is read with another key")
	}
	if _, err = rotated.Save(ctx, key, rec, v); err != nil {
		t.Error(err)
	}
	if _, _, err := a.Load(ctx, key); err == nil {
		t.Error("it is read with the key of before")
	}
	// A Record under the name of another key is ignored.
	before = s.Stored(t)
	if _, err := rotated.Save(ctx, "dave", Login("dave's"), ""); err != nil {
		t.Fatal(err)
	}
	for name := range s.Stored(t) {
		if _, ok := before[name]; !ok {
			s.Overwrite(t, name, before[carols])
		}
	}
	if rec, _, err := rotated.Load(ctx, "dave"); err == nil {
		t.Error("the login of another one:", rec.Token.Access)
	}
}

// saves: of concurrent saves, each over the same read version, one succeeds each time.
func saves(t *testing.T, s Logins) {
	var won atomic.Int64
	var wg sync.WaitGroup
	for p := range 4 {
		l := s.Store(t, LoginKey(1))
		wg.Go(func() {
			for n := range 10 {
				rec, v, err := l.Load(t.Context(), "race")
				if err != nil {
					t.Error(err)
					return
				}
				asked := append(rec.Asked, fmt.Sprint(p, ".", n))
				rec = Login("race")
				rec.Asked = asked
				switch _, err := l.Save(t.Context(), "race", rec, v); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, store.ErrChanged):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	rec, _, err := s.Store(t, LoginKey(1)).Load(t.Context(), "race")
	if err != nil || int64(len(rec.Asked)) != won.Load() || won.Load() < 10 {
		t.Errorf("%d saved, and %d are there: %v", won.Load(), len(rec.Asked), err)
	}
}

// locks: one process at a time has the lock of a key, in any order, and one that stops waiting does not get it.
func locks(t *testing.T, s Logins) {
	var wg sync.WaitGroup
	var has, most atomic.Int64
	for range 3 {
		l := s.Store(t, LoginKey(1))
		for range 4 {
			wg.Go(func() {
				free, err := l.Lock(context.Background(), "ada")
				if err != nil {
					t.Error(err)
					return
				}
				if n := has.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(2 * time.Millisecond)
				has.Add(-1)
				free()
				free()
			})
		}
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d had the lock at a time", most.Load())
	}
	a, b := s.Store(t, LoginKey(1)), s.Store(t, LoginKey(1))
	free, err := a.Lock(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Lock(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Lock(ctx, "ada"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	free()
	if free, err = b.Lock(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	free()
}
