package jetstream_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sansmcp/mcp/server/jetstream"
)

// dialer makes connections that note for how long their writes may take.
type dialer struct {
	mu      sync.Mutex
	longest time.Duration
	writes  int // without a deadline
}

func (d *dialer) Dial(network, addr string) (net.Conn, error) {
	c, err := net.Dial(network, addr)
	return &timed{Conn: c, d: d}, err
}

type timed struct {
	net.Conn
	d     *dialer
	until time.Time
}

func (c *timed) SetWriteDeadline(t time.Time) error {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.until = t; !t.IsZero() {
		c.d.longest = max(c.d.longest, time.Until(t))
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *timed) Write(b []byte) (int, error) {
	c.d.mu.Lock()
	if c.until.IsZero() {
		c.d.writes++
	}
	c.d.mu.Unlock()
	return c.Conn.Write(b)
}

// While a write waits, everything else on the connection does, whatever its context says: it may take as long as a
// request.
func TestWritesAreBounded(t *testing.T) {
	x := running(t, 1)[0]
	d := new(dialer)
	conn, err := jetstream.Dial(x.ClientURL(), nats.SetCustomDialer(d))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	table, err := jetstream.New(t.Context(), conn, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	if err := table.Put(t.Context(), "session", []byte("x"), 1, time.Minute); err != nil {
		t.Error(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.longest == 0 || d.longest > 2*time.Second {
		t.Errorf("a write may take %v", d.longest)
	}
	if d.writes > 2 { // those of the handshake
		t.Errorf("%d writes may take for ever", d.writes)
	}
}
