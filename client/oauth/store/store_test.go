package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// forms are the stores there are.
func forms(t *testing.T) map[string]store.Store {
	files, err := store.NewFiles(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]store.Store{"memory": store.NewMemory(), "files": files}
}

func record(access string) oauth.Record {
	return oauth.Record{Issuer: "https://as.example", Token: oauth.Token{Access: oauth.Secret(access), Type: "Bearer", Refresh: "r"}, Asked: []string{"a"}}
}

// A Record is kept by its key if nobody has saved another one meanwhile.
func TestSave(t *testing.T) {
	for name, s := range forms(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if r, v, err := s.Load(ctx, "k"); err != nil || v != "" || r.Issuer != "" {
				t.Fatal(r, v, err)
			}
			v1, err := s.Save(ctx, "k", record("one"), "")
			if err != nil || v1 == "" {
				t.Fatal(v1, err)
			}
			if _, err = s.Save(ctx, "k", record("two"), ""); !errors.Is(err, store.ErrChanged) {
				t.Error(err)
			}
			v2, err := s.Save(ctx, "k", record("two"), v1)
			if err != nil {
				t.Error(err)
			}
			if _, err = s.Save(ctx, "k", record("three"), v1); !errors.Is(err, store.ErrChanged) {
				t.Error(err)
			}
			r, v, err := s.Load(ctx, "k")
			if err != nil || v != v2 || r.Token.Access != "two" || r.Token.Refresh != "r" || r.Issuer != "https://as.example" || len(r.Asked) != 1 {
				t.Error(r, v, err)
			}
			if _, err = s.Save(ctx, "../other/key", record("x"), ""); err != nil {
				t.Error(err)
			}
			if _, err = s.Save(ctx, "long", record(strings.Repeat("x", 256<<10)), ""); !errors.Is(err, store.ErrSize) {
				t.Error(err)
			}
			if _, v, err = s.Load(ctx, "long"); err != nil || v != "" {
				t.Error(v, err)
			}
			most := oauth.Record{} // exactly as long as one may be
			for i := range 8 {
				most.Registrations = append(most.Registrations, oauth.Registration{Issuer: strings.Repeat(string(rune('a'+i)), 30_000)})
			}
			most.Issuer = strings.Repeat("x", 256<<10-len(oauth.AppendRecord(nil, most)))
			most.Issuer = most.Issuer[len(oauth.AppendRecord(nil, most))-256<<10:]
			if _, err = s.Save(ctx, "most", most, ""); err != nil {
				t.Error(err)
			}
			most.Issuer += "x"
			if _, err = s.Save(ctx, "more", most, ""); !errors.Is(err, store.ErrSize) {
				t.Error(err)
			}
		})
	}
}

// A key is locked by one at a time, others are not locked with it, and who waits does so no longer than the
// own context.
func TestLock(t *testing.T) {
	for name, s := range forms(t) {
		t.Run(name, func(t *testing.T) {
			unlock, err := s.Lock(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			other, err := s.Lock(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			other()
			ctx, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer end()
			if _, err := s.Lock(ctx, "k"); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if _, err := s.Save(t.Context(), "k", record("one"), ""); err != nil { // which needs no Lock
				t.Error(err)
			}
			var wg sync.WaitGroup
			var held, most atomic.Int32
			for range 20 {
				wg.Go(func() {
					unlock, err := s.Lock(t.Context(), "k")
					if err != nil {
						t.Error(err)
						return
					}
					if n := held.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(time.Millisecond)
					held.Add(-1)
					unlock()
					unlock()
				})
			}
			unlock()
			wg.Wait()
			if most.Load() != 1 {
				t.Error(most.Load(), "at a time")
			}
		})
	}
}

// Files can be read by their owner alone, whatever the umask is, and so can the folder; a Record that a
// process did not finish to write counts for nothing.
//
// rows: AUTH-037
// revisions: 2025-03-26.. 2026-07-28
func TestFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kept")
	s, err := store.NewFiles(folder)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Save(t.Context(), "k", record("one"), "")
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := s.Lock(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	modes := func() (name string) {
		err := filepath.Walk(folder, func(at string, about os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			want := os.FileMode(0o600)
			if about.IsDir() {
				want = 0o700
			}
			if about.Mode().Perm() != want {
				t.Errorf("%s: %#o", at, about.Mode().Perm())
			}
			if strings.HasSuffix(at, ".json") {
				name = at
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return name
	}
	name := modes()
	if strings.Contains(filepath.Base(name), "k.") {
		t.Error(name)
	}
	half := strings.TrimSuffix(name, ".json") + ".next"
	if err = os.WriteFile(half, []byte(`{"issuer":"https://evil`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, got, err := s.Load(t.Context(), "k"); err != nil || got != v || r.Token.Access != "one" {
		t.Error(r, got, err)
	}
	if v, err = s.Save(t.Context(), "k", record("two"), v); err != nil {
		t.Error(err)
	}
	modes()
	for _, bad := range []string{"{", strings.Repeat("x", 256<<10+1)} {
		if err = os.WriteFile(name, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, _, err := s.Load(t.Context(), "k"); err == nil {
			t.Error(r)
		}
	}
	if _, err = s.Save(t.Context(), "k", record("three"), v); !errors.Is(err, store.ErrChanged) {
		t.Error(err)
	}
	if err = os.Chmod(folder, 0o750); err != nil { //nolint:gosec // it is what is refused
		t.Fatal(err)
	}
	if _, err = store.NewFiles(folder); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Error(err)
	}
	if _, err = store.NewFiles(name); err == nil {
		t.Error("a folder that is a file")
	}
}

// A folder of another user is refused, also by root, who may read it.
func TestFolderOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("root alone gives a folder to somebody else")
	}
	folder := t.TempDir()
	if err := errors.Join(os.Chmod(folder, 0o700), os.Chown(folder, 12_345, -1)); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	if _, err := store.NewFiles(folder); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Error(err)
	}
}
