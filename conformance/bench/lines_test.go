package bench

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"

	"github.com/sansmcp/mcp/conformance/bench/scan"
)

// chunks is one direction of a byte stream in memory: a Write is one chunk, and waits
// only if 1024 of them are unread. It costs less than io.Pipe, to the advantage of
// libraries that need a stream.
type chunks struct {
	ch     chan []byte
	rest   []byte
	once   sync.Once
	closed chan struct{}
}

func newChunks(buffer int) *chunks {
	return &chunks{ch: make(chan []byte, buffer), closed: make(chan struct{})}
}

// Write passes on a copy of p.
func (c *chunks) Write(p []byte) (int, error) { return len(p), c.give(bytes.Clone(p)) }

// give is Write for a chunk that the caller no longer uses.
func (c *chunks) give(p []byte) error {
	select {
	case c.ch <- p:
		return nil
	case <-c.closed:
		return io.EOF
	}
}

func (c *chunks) take() ([]byte, error) {
	select {
	case p := <-c.ch:
		return p, nil
	case <-c.closed:
		return nil, io.EOF
	}
}

// Read reads the rest of a chunk, or the next one.
func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		var err error
		if c.rest, err = c.take(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Close ends both sides.
func (c *chunks) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// responder is the trivial server at the other end of a client. Each Write is one line;
// it answers with echoResult at once, or not at all during hold. The library serializes
// calls to Write.
type responder struct {
	to      *chunks
	scanner scan.Scanner
	holding atomic.Int64
	pending chan struct{}
}

// hold withholds the next n answers and returns a function that waits for these
// requests.
func (r *responder) hold(n int) func() {
	r.pending = make(chan struct{})
	r.holding.Store(int64(n))
	return func() { <-r.pending }
}

// Write receives one line and answers it.
func (r *responder) Write(line []byte) (int, error) {
	var e scan.Envelope
	if err := r.scanner.Parse(line, &e); err != nil {
		return 0, err
	}
	if e.ID == nil {
		return len(line), nil
	}
	result := echoResult
	if string(e.Method) == `"initialize"` {
		result = initializeResult
	} else if left := r.holding.Load(); left > 0 {
		r.holding.Store(left - 1)
		if left == 1 {
			close(r.pending)
		}
		return len(line), nil
	}
	b := make([]byte, 0, 64+len(result))
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, e.ID...)
	b = append(b, `,"result":`...)
	b = append(b, result...)
	b = append(b, "}\n"...)
	return len(line), r.to.give(b)
}

// Close does nothing: the stream to the client is closed by itself.
func (r *responder) Close() error { return nil }
