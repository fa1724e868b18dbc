package jetstream

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Dial connects to a server of NATS for a Table: to one of the urls, which commas separate, as nats://host:4222 or
// tls://token@host:4222. The connection is opened again for as long as the program runs, and what cannot be
// sent at once is not sent later.
func Dial(urls string, opts ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{
		nats.Name("sansmcp"), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second), nats.ReconnectBufSize(-1),
		// Its own writes to standard error. What it is told of is a lost message, which is asked for.
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, opts...)
	conn, err := nats.Connect(urls, all...)
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return conn, nil
}
