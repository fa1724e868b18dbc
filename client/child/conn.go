package child

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// conn is a links.Transport over a pair of byte streams: a pipe, a socket, or the standard input and output of a Child.
type conn struct {
	w        *pipe.Writer           // to the server
	messages <-chan jsonrpc.Message // what it says; closed at the end of that

	opt  Options
	in   io.Reader
	out  io.Writer
	exit func(*EndError) // fills in how the process ended; nil if there is none

	mu      sync.Mutex
	heard   bool   // a message
	garbage string // the first line that was no message, cut
}

// Over returns a Transport to a server that writes messages to in and reads them from out, one a line, as the stdio
// transport does (transports, stdio): the two ends of a net.Pipe, a Unix socket, a TCP connection, or any other
// ordered byte stream. Pass the same connection twice. It ignores Kill and Linger of opt. It starts two goroutines,
// which end with Close if in and out are io.Closers. Errors: lifecycle.ErrConfig.
func Over(in io.Reader, out io.Writer, opt Options) (links.Transport, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	return newConn(in, out, opt), nil
}

func newConn(in io.Reader, out io.Writer, opt Options) *conn {
	c := &conn{w: pipe.NewWriter(out, opt.QueueBytes, opt.Stall), opt: opt, in: in, out: out}
	c.messages = pipe.Read(in, nil, pipe.ReadOptions{Decoder: jsonrpc.Decoder{MaxBytes: opt.MaxBytes}, Invalid: c.invalid})
	return c
}

// invalid keeps the first line that is no message. Of one that is too long nobody knows.
func (c *conn) invalid(line []byte) {
	if len(line) > c.opt.MaxBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.garbage == "" {
		c.garbage = rawjson.Clip(string(line), mostSaid)
	}
}

// Send implements links.Transport: it queues the message, waiting while the queue is full.
func (c *conn) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if err := c.w.Wait(ctx); err != nil {
		if ctx.Err() == nil {
			err = c.ended(err)
		}
		return lifecycle.Unsent(err)
	}
	c.w.Send(o.Message)
	return nil
}

// Receive implements links.Transport. At the end it returns an *EndError, which is io.EOF, or
// pipe.ErrStalled.
func (c *conn) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case m, ok := <-c.messages:
		if ok {
			c.hear(m)
			return links.Arrival{Message: m}, nil
		}
		return links.Arrival{}, c.ended(c.w.Err())
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

// hear notes that the server has said something that is a message.
func (c *conn) hear(m jsonrpc.Message) {
	if m.Kind == jsonrpc.KindInvalid {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = true
}

// ended says why there are no more messages, or none can be sent. failed is why writing failed, or nil.
func (c *conn) ended(failed error) error {
	if errors.Is(failed, pipe.ErrStalled) {
		return failed // so it was closed
	}
	e := &EndError{Err: failed}
	if c.exit != nil {
		c.exit(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Early, e.Output = !c.heard, c.garbage
	return e
}

// Close implements links.Transport: what is queued is written, the server sees the end of its input,
// and its output is read to the end. After Options.Term, or once ctx ends, the streams are closed in
// any case. It returns why the server could not be written to.
func (c *conn) Close(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, c.opt.Term)
	defer stop()
	defer context.AfterFunc(ctx, c.hangUp)()
	err := c.w.Close(c.opt.Term)
	if h, ok := c.out.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite() // a socket, of which the other half still brings what the server says
	} else {
		shut(c.out)
	}
	for {
		select {
		case _, ok := <-c.messages:
			if ok {
				continue
			}
		case <-ctx.Done():
		}
		c.hangUp()
		return err
	}
}

// hangUp closes both streams.
func (c *conn) hangUp() {
	_ = c.w.Close(0)
	shut(c.out)
	shut(c.in)
	go func() {
		for range c.messages { // what was read and is not received any more
		}
	}()
}

func shut(stream any) {
	if s, ok := stream.(io.Closer); ok {
		_ = s.Close()
	}
}

// Options are the settings of Start and Over. A zero field means its default.
type Options struct {
	// QueueBytes is how much may be queued before Send waits. Default pipe.DefaultQueueBytes.
	QueueBytes int
	// Stall is how long a full queue may stay unread before the server is stopped. Default
	// pipe.DefaultStall.
	Stall time.Duration
	// Term is how long the server has from the end of its input until SIGTERM (lifecycle,
	// Shutdown). Default 1.5 s.
	Term time.Duration
	// Kill is how long it has from then until SIGKILL. Default 1.5 s.
	Kill time.Duration
	// MaxBytes is how long a message of the server may be, in bytes. A longer one is skipped; if it
	// is an answer whose id can be read, its request fails. Default jsonrpc.DefaultMaxBytes.
	MaxBytes int
	// Linger is how long other processes of the server may hold its output, and live, after it has
	// exited. Default 0.5 s.
	Linger time.Duration
}

// The defaults of Options; package pipe has the others.
const (
	defaultTerm   = 1500 * time.Millisecond // of Term
	defaultKill   = 1500 * time.Millisecond // of Kill
	defaultLinger = 500 * time.Millisecond  // of Linger
)

// filled returns the Options with their defaults. Errors: lifecycle.ErrConfig.
func (o Options) filled() (Options, error) {
	var f lifecycle.Filler
	f.Count("QueueBytes", &o.QueueBytes, pipe.DefaultQueueBytes)
	f.Time("Stall", &o.Stall, pipe.DefaultStall, lifecycle.NeverNone)
	f.Time("Term", &o.Term, defaultTerm, lifecycle.NeverNone)
	f.Time("Kill", &o.Kill, defaultKill, lifecycle.NeverNone)
	f.Count("MaxBytes", &o.MaxBytes, jsonrpc.DefaultMaxBytes)
	f.Time("Linger", &o.Linger, defaultLinger, lifecycle.NeverNone)
	return o, f.Err("child")
}
