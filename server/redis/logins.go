package redis

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

	"github.com/redis/go-redis/v9"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
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

// The defaults of LoginOptions.
const (
	defaultLoginPrefix = "mcp:login:"
	defaultLoginKeep   = 30 * 24 * time.Hour
)

// loginLock is for how long a lock is held whose process has died. Who has it renews it.
const loginLock = 15 * time.Second

type logins struct {
	client *redis.Client
	opt    LoginOptions
	seals  []cipher.AEAD
}

// NewLogins returns a Store on the server of a client from Dial, so that all processes share the logins of people.
// Reading the server reveals neither tokens nor keys; with write access an attacker can restore an older Record.
func NewLogins(client *redis.Client, opt LoginOptions) (store.Store, error) {
	var f lifecycle.Filler
	f.Time("Keep", &opt.Keep, defaultLoginKeep, lifecycle.NeverNone)
	f.Time("Timeout", &opt.Timeout, defaultTimeout, lifecycle.NeverNone)
	if opt.Prefix == "" {
		opt.Prefix = defaultLoginPrefix
	}
	if err := f.Err("redis"); err != nil {
		return nil, err
	}
	l := &logins{client: client, opt: opt}
	switch {
	case client == nil || client.Options().MaxRetries != 0:
		return nil, errors.New("redis: want a client from Dial, which does not repeat writes")
	case len(opt.Keys) == 0:
		return nil, errors.New("redis: LoginOptions.Keys is empty: want 32 random bytes")
	}
	for _, key := range opt.Keys {
		if len(key) != 32 {
			return nil, fmt.Errorf("redis: a key of LoginOptions.Keys has %d bytes: want 32", len(key))
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

// name is that of a key on the server. The braces keep a Record and its lock in one slot.
func (l *logins) name(key string) string {
	sum := sha256.Sum256([]byte(key))
	return l.opt.Prefix + "{" + hex.EncodeToString(sum[:]) + "}"
}

// versionBytes is how many of the first bytes of what is stored are its version: they are the nonce, which is random.
const versionBytes = 12

func versionOf(sealed []byte) store.Version {
	return store.Version(hex.EncodeToString(sealed[:min(versionBytes, len(sealed))]))
}

var errSealed = errors.New("redis: a Record of a login cannot be decrypted: want the key that it was encrypted with in LoginOptions.Keys")

// Load implements store.Store.
func (l *logins) Load(ctx context.Context, key string) (oauth.Record, store.Version, error) {
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	name := l.name(key)
	sealed, err := l.client.Get(ctx, name).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return oauth.Record{}, "", nil
	case err != nil:
		return oauth.Record{}, "", fmt.Errorf("redis: load: %w", err)
	}
	for _, seal := range l.seals {
		if text, err := seal.Open(nil, nil, sealed, []byte(name)); err == nil {
			r, err := oauth.ParseRecord(text)
			return r, versionOf(sealed), err
		}
	}
	return oauth.Record{}, versionOf(sealed), errSealed
}

// save sets KEYS[1] to ARGV[2] for ARGV[3] milliseconds if it begins with ARGV[1], or is not there where that is empty.
var save = redis.NewScript(`
if redis.call('GETRANGE', KEYS[1], 0, 11) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

// Save implements store.Store. An error that is neither store.ErrChanged nor store.ErrSize leaves unknown whether it was saved.
func (l *logins) Save(ctx context.Context, key string, r oauth.Record, v store.Version) (store.Version, error) {
	text := oauth.AppendRecord(nil, r)
	if len(text) > store.MaxBytes {
		return "", store.ErrSize
	}
	was, err := hex.DecodeString(string(v))
	if err != nil {
		return "", store.ErrChanged
	}
	name := l.name(key)
	sealed := l.seals[0].Seal(nil, nil, text, []byte(name))
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	saved, err := save.Run(ctx, l.client, []string{name}, was, sealed, max(1, l.opt.Keep.Milliseconds())).Int()
	switch {
	case err != nil:
		return "", fmt.Errorf("redis: save: %w", err)
	case saved == 0:
		return "", store.ErrChanged
	}
	return versionOf(sealed), nil
}

var (
	// lock takes KEYS[1] for ARGV[1] for ARGV[2] milliseconds, if nobody or ARGV[1] has it.
	lock = redis.NewScript(`
local by = redis.call('GET', KEYS[1])
if by and by ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)
	// unlock gives KEYS[1] up if ARGV[1] has it.
	unlock = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`)
)

// How often a lock that somebody has is tried again.
const (
	firstWait   = 2 * time.Millisecond
	longestWait = 100 * time.Millisecond
)

// Lock implements store.Store. A lock of a process that has died is free after 15 seconds.
func (l *logins) Lock(ctx context.Context, key string) (func(), error) {
	name, by := l.name(key)+":lock", rand.Text()
	try := func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
		defer cancel()
		got, err := lock.Run(ctx, l.client, []string{name}, by, loginLock.Milliseconds()).Int()
		return got == 1, err
	}
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		got, err := try(ctx)
		switch {
		case got:
			return l.held(name, by, try), nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, fmt.Errorf("redis: lock: %w", err)
		}
		if pause(ctx, wait); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// held renews a lock until it is given up.
func (l *logins) held(name, by string, try func(context.Context) (bool, error)) (free func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pause(ctx, loginLock/3); ctx.Err() == nil; pause(ctx, loginLock/3) {
			_, _ = try(ctx) // the next one may come through
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
		ctx, cancel := context.WithTimeout(context.Background(), l.opt.Timeout)
		defer cancel()
		_ = unlock.Run(ctx, l.client, []string{name}, by).Err() // else it expires
	})
}
