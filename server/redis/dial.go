package redis

import (
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// errURL says what is wrong with a url without quoting it, because an invalid url may have a password anywhere.
var errURL = errors.New("redis: the url cannot be read: want redis://user:password@host:6379/0, rediss:// or unix://, with odd characters percent-encoded")

// Dial returns a client for a Table, for a url such as redis://user:password@host:6379/0, rediss:// for
// TLS, or unix://path. It does not connect yet. It silences the log of go-redis, which all clients of the
// program share and which goes to standard error. The error contains no part of the url.
func Dial(url string) (*redis.Client, error) {
	opt, err := redis.ParseURL(url)
	if err != nil {
		return nil, errURL
	}
	logging.Disable()
	opt.MaxRetries, opt.ContextTimeoutEnabled = -1, true
	// If a server is unavailable the error comes at once, not after five tries.
	opt.DialerRetries, opt.DialTimeout = 1, time.Second
	opt.DisableIdentity = true
	return redis.NewClient(opt), nil
}
