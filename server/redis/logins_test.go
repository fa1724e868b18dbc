package redis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/server/redis"
)

func TestLogins(t *testing.T) {
	r := running(t)
	client, err := redis.Dial(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	tables.TestLogins(t, tables.Logins{
		Store: func(t *testing.T, keys ...[]byte) store.Store {
			t.Helper()
			client, err := redis.Dial(r.URL())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			l, err := redis.NewLogins(client, redis.LoginOptions{Keys: keys})
			if err != nil {
				t.Fatal(err)
			}
			return l
		},
		Stored: func(t *testing.T) map[string]string {
			all := map[string]string{}
			for _, name := range client.Keys(t.Context(), "mcp:login:*").Val() {
				all[name] = client.Get(t.Context(), name).Val()
				if left := client.PTTL(t.Context(), name).Val(); left < 30*24*time.Hour-time.Minute || left > 30*24*time.Hour {
					t.Error("a Record is kept for", left)
				}
			}
			return all
		},
		Overwrite: func(t *testing.T, name, text string) {
			if err := client.Set(t.Context(), name, text, time.Hour).Err(); err != nil {
				t.Fatal(err)
			}
		},
	})
}

// NewLogins rejects a client that makes commands again, and keys that are none.
func TestNewLogins(t *testing.T) {
	client, err := redis.Dial("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	key := tables.LoginKey(1)
	for want, opt := range map[string]redis.LoginOptions{
		"Keys is empty":     {},
		"has 16 bytes":      {Keys: [][]byte{key, make([]byte, 16)}},
		"redis: Keep is":    {Keys: [][]byte{key}, Keep: -1},
		"redis: Timeout is": {Keys: [][]byte{key}, Timeout: -1},
	} {
		if _, err := redis.NewLogins(client, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := redis.NewLogins(nil, redis.LoginOptions{Keys: [][]byte{key}}); err == nil {
		t.Error("no client")
	}
}
