package jetstream

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// errURL says what is wrong with a url, and nothing that is in it: a password may be anywhere in one that cannot be read.
var errURL = errors.New("jetstream: a url cannot be read: want nats://user:password@host:4222 or tls://, with odd characters percent-encoded, and commas between urls")

// Dial connects to a server of NATS for a Table: to one of the urls, which commas separate, as nats://host:4222 or
// tls://token@host:4222. The connection is opened again for as long as the program runs, and what cannot be
// sent at once is not sent later. The error has no user and password of a url in it.
func Dial(urls string, opts ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.Name("sansmcp"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second), nats.ReconnectBufSize(-1),
		// All that is asked waits for a write, whatever its context says: a minute by default, to a machine that is gone.
		nats.FlusherTimeout(defaultTimeout),
		// Its own writes to standard error. What it is told of is a lost message, which is asked for.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)
	for at := range strings.SplitSeq(urls, ",") {
		if !strings.Contains(at, "://") {
			at = "nats://" + at // as Connect does
		}
		u, err := url.Parse(strings.TrimSpace(at))
		if err != nil || u.User == nil && strings.Contains(at, "@") {
			return nil, errURL
		}
	}
	conn, err := nats.Connect(urls, all...)
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return conn, nil
}
