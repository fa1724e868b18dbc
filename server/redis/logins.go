package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server/internal/logins"
)

// LoginOptions are the settings of NewLogins. A zero field means its default, except Keys.
type LoginOptions struct {
	// Keys encrypt the Records, by AES-256-GCM: 32 random bytes each. The first one encrypts, each decrypts: to
	// rotate, put a new key first, and remove the old one once all Records were saved again or have expired. All
	// processes need the same keys. A Record with an unknown key is an error: if the key is lost, use another Prefix,
	// and people log in again.
	Keys [][]byte
	// Prefix begins the keys on the server. Default "mcp:login:".
	Prefix string
	// Keep is how long a Record is kept that nobody saves, by the server's clock. Default 30 days.
	Keep time.Duration
	// Timeout bounds each request to the server. Default 2 s.
	Timeout time.Duration
}

const defaultLoginPrefix = "mcp:login:"

// NewLogins returns a Store on the server of a client from Dial, so that all processes share the logins of people.
// Reading the server reveals neither tokens nor keys; with write access an attacker can restore an older Record.
// The lock of a process that died is free after 15 seconds. An error of Save other than store.ErrChanged and
// store.ErrSize leaves unknown whether the Record was saved.
func NewLogins(client *redis.Client, opt LoginOptions) (store.Store, error) {
	var f lifecycle.Filler
	f.Time("Keep", &opt.Keep, logins.Keep, lifecycle.NeverNone)
	f.Time("Timeout", &opt.Timeout, defaultTimeout, lifecycle.NeverNone)
	if opt.Prefix == "" {
		opt.Prefix = defaultLoginPrefix
	}
	if err := f.Err("redis"); err != nil {
		return nil, err
	}
	if client == nil || client.Options().MaxRetries != 0 {
		return nil, errors.New("redis: want a client from Dial, which does not repeat writes")
	}
	return logins.New("redis", loginServer{client, opt}, opt.Keys, opt.Timeout)
}

// loginServer implements logins.Backend.
type loginServer struct {
	client *redis.Client
	opt    LoginOptions
}

// Name implements logins.Backend. The braces keep a Record and its lock in one slot.
func (s loginServer) Name(hash string) string { return s.opt.Prefix + "{" + hash + "}" }

// Get implements logins.Backend.
func (s loginServer) Get(ctx context.Context, name string) ([]byte, error) {
	text, err := s.client.Get(ctx, name).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("redis: load: %w", err)
	}
	return text, nil
}

var (
	// save sets KEYS[1] to ARGV[2] for ARGV[3] milliseconds if its first 12 bytes are ARGV[1], or it is not there and that is empty.
	save = redis.NewScript(`
if redis.call('GETRANGE', KEYS[1], 0, 11) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)
	// lock takes KEYS[1] for ARGV[1] for ARGV[2] milliseconds, if nobody or ARGV[1] has it.
	lock = redis.NewScript(`
local by = redis.call('GET', KEYS[1])
if by and by ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)
	// unlock gives KEYS[1] up if ARGV[1] has it.
	unlock = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`)
)

// Put implements logins.Backend.
func (s loginServer) Put(ctx context.Context, name string, text, was []byte) error {
	saved, err := save.Run(ctx, s.client, []string{name}, was, text, millis(s.opt.Keep)).Int()
	switch {
	case err != nil:
		return fmt.Errorf("redis: save: %w", err)
	case saved == 0:
		return store.ErrChanged
	}
	return nil
}

func locked(name string) []string { return []string{name + ":lock"} }

// TryLock implements logins.Backend.
func (s loginServer) TryLock(ctx context.Context, name, by string) (bool, error) {
	got, err := lock.Run(ctx, s.client, locked(name), by, logins.Lease.Milliseconds()).Int()
	if err != nil {
		return false, fmt.Errorf("redis: lock: %w", err)
	}
	return got == 1, nil
}

// Unlock implements logins.Backend.
func (s loginServer) Unlock(ctx context.Context, name, by string) error {
	return unlock.Run(ctx, s.client, locked(name), by).Err()
}
