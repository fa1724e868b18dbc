package redis

import (
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// errURL says what is wrong with a url, and nothing that is in it: a password may be anywhere in one that cannot be read.
var errURL = errors.New("redis: the url cannot be read: want redis://user:password@host:6379/0, rediss:// or unix://, with odd characters percent-encoded")

// Dial returns a client for a Table, of a url as redis://user:password@host:6379/0, rediss:// for TLS, or
// unix://path. It makes no connection yet. It silences the log of go-redis, which all clients of
// the program share and which goes to standard error. The error has nothing of the url in it.
func Dial(url string) (*redis.Client, error) {
	opt, err := redis.ParseURL(url)
	if err != nil {
		return nil, errURL
	}
	logging.Disable()
	opt.MaxRetries, opt.ContextTimeoutEnabled = -1, true
	// A server that is away says so at once, and not after five tries.
	opt.DialerRetries, opt.DialTimeout = 1, time.Second
	opt.DisableIdentity = true
	return redis.NewClient(opt), nil
}
