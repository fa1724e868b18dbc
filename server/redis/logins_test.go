package redis_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/server/redis"
)

func loginKey(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func logins(t *testing.T, url string, keys ...[]byte) store.Store {
	t.Helper()
	client, err := redis.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	l, err := redis.NewLogins(client, redis.LoginOptions{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func loginOf(token string) oauth.Record {
	return oauth.Record{Issuer: "https://as.example", Token: oauth.Token{Access: oauth.Secret(token), Refresh: "refresh " + oauth.Secret(token)}, Asked: []string{"read"}, Pending: "pending " + oauth.Secret(token)}
}

// A login that one process has saved is known to the others, one of several saves at a time, and the server has no
// token in clear. After a change of keys both are read.
func TestLogins(t *testing.T) {
	r, ctx := running(t), t.Context()
	a, b := logins(t, r.URL(), loginKey(1)), logins(t, r.URL(), loginKey(1))
	if rec, v, err := a.Load(ctx, "ada\nhttps://mcp.example"); err != nil || v != "" || rec.Issuer != "" {
		t.Error(rec, v, err)
	}
	const key = "ada\nhttps://mcp.example"
	first, err := a.Save(ctx, key, loginOf("t1"), "")
	if err != nil || first == "" {
		t.Fatal(err)
	}
	if _, err := b.Save(ctx, key, loginOf("x"), ""); !errors.Is(err, store.ErrChanged) {
		t.Error(err)
	}
	rec, v, err := b.Load(ctx, key)
	if err != nil || v != first || rec.Token.Access != "t1" || rec.Token.Refresh != "refresh t1" || rec.Pending != "pending t1" {
		t.Error(rec, v, err)
	}
	second, err := b.Save(ctx, key, loginOf("t2"), v)
	if err != nil || second == first {
		t.Error(err)
	}
	for _, old := range []store.Version{first, "", "zz"} {
		if _, err := a.Save(ctx, key, loginOf("x"), old); !errors.Is(err, store.ErrChanged) {
			t.Errorf("over %q: %v", old, err)
		}
	}
	if rec, _, err := a.Load(ctx, "bob\nhttps://mcp.example"); err != nil || rec.Issuer != "" {
		t.Error("another key:", rec, err)
	}
	if _, err := a.Save(ctx, "long", loginOf(strings.Repeat("x", store.MaxBytes)), ""); !errors.Is(err, store.ErrSize) {
		t.Error(err)
	}

	client, err := redis.Dial(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	names := client.Keys(ctx, "*").Val()
	if len(names) != 1 || strings.Contains(names[0], "ada") {
		t.Error(names)
	}
	if text := client.Get(ctx, names[0]).Val(); strings.Contains(text, "t2") || strings.Contains(text, "as.example") {
		t.Errorf("in clear: %q", text)
	}
	if left := client.PTTL(ctx, names[0]).Val(); left < 30*24*time.Hour-time.Minute || left > 30*24*time.Hour {
		t.Error("it is kept for", left)
	}

	rotated, other := logins(t, r.URL(), loginKey(2), loginKey(1)), logins(t, r.URL(), loginKey(3))
	if rec, v, err = rotated.Load(ctx, key); err != nil || rec.Token.Access != "t2" {
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
	// A Record that stands under the name of another key is none.
	if _, err := rotated.Save(ctx, "bob", loginOf("bob's"), ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range client.Keys(ctx, "*").Val() {
		if name != names[0] {
			must := client.Set(ctx, name, client.Get(ctx, names[0]).Val(), 0).Err()
			if must != nil {
				t.Fatal(must)
			}
		}
	}
	if rec, _, err := rotated.Load(ctx, "bob"); err == nil {
		t.Error("the login of another one:", rec.Token.Access)
	}
}

// One process at a time has the lock of a key, in whatever order they come, and one that gives up waiting has none.
func TestLoginLock(t *testing.T) {
	r := running(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	has, most := 0, 0
	for range 3 {
		l := logins(t, r.URL(), loginKey(1))
		for range 4 {
			wg.Go(func() {
				free, err := l.Lock(context.Background(), "ada")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				has++
				most = max(most, has)
				mu.Unlock()
				time.Sleep(2 * time.Millisecond)
				mu.Lock()
				has--
				mu.Unlock()
				free()
				free()
			})
		}
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d had the lock at a time", most)
	}
	a, b := logins(t, r.URL(), loginKey(1)), logins(t, r.URL(), loginKey(1))
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

// NewLogins rejects a client that makes commands again, and keys that are none.
func TestNewLogins(t *testing.T) {
	client, err := redis.Dial("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for want, opt := range map[string]redis.LoginOptions{
		"Keys is empty":     {},
		"has 16 bytes":      {Keys: [][]byte{loginKey(1), make([]byte, 16)}},
		"redis: Keep is":    {Keys: [][]byte{loginKey(1)}, Keep: -1},
		"redis: Timeout is": {Keys: [][]byte{loginKey(1)}, Timeout: -1},
	} {
		if _, err := redis.NewLogins(client, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := redis.NewLogins(nil, redis.LoginOptions{Keys: [][]byte{loginKey(1)}}); err == nil {
		t.Error("no client")
	}
}
