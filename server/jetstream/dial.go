package jetstream

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// errURL says what is wrong with a url without quoting it, because an invalid url may have a password anywhere.
var errURL = errors.New("jetstream: a url cannot be read: want nats://user:password@host:4222 or tls://, with odd characters percent-encoded, and commas between urls")

// Dial connects to a NATS server for a Table: to one of the urls, separated by commas, such as nats://host:4222 or
// tls://token@host:4222. The connection is opened again for as long as the program runs. A message that cannot be
// sent at once is not sent later. The error contains no user and password of a url.
func Dial(urls string, opts ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.Name("sansmcp"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second), nats.ReconnectBufSize(-1),
		// Each request waits for a write, whatever its context says: by default a minute if the machine is gone.
		nats.FlusherTimeout(defaultTimeout),
		// The default handler writes to standard error. The errors are lost messages, which are read
		// again.
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
