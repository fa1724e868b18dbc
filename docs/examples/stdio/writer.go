package stdio

import (
	"cmp"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
)

// ErrStalled is how a Writer fails whose peer does not read.
var ErrStalled = errors.New("stdio: the peer does not read what it is sent")

// ErrClosed is how a Writer fails that is closed before it has written everything.
var ErrClosed = errors.New("stdio: closed before everything was written")

// piece is how much one Write is given: what a pipe holds, so that each shows progress.
const piece = 64 << 10

// Writer writes messages, one a line, on a goroutine of its own. Send never waits; who
// sends asks Full and takes nothing in that could lead to more until Room says so.
type Writer struct {
	out   io.Writer
	limit int
	stall time.Duration
	room  chan struct{}
	wake  chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	chunks [][]byte
	bytes  int // in chunks and of the one that is being written
	full   bool
	watch  *time.Timer // fires when a full queue does not move
	closed bool
	ended  bool
	err    error
}

// NewWriter returns a Writer whose queue is full with that many bytes, and which fails if
// nothing of a full queue is written for the time of stall; zero means the defaults of
// Options. It has to be closed.
func NewWriter(out io.Writer, limit int, stall time.Duration) *Writer {
	w := &Writer{
		out: out, limit: cmp.Or(limit, DefaultQueueBytes), stall: cmp.Or(stall, DefaultStall),
		room: make(chan struct{}, 1), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	w.watch = time.AfterFunc(time.Hour, func() { w.end(ErrStalled) })
	w.watch.Stop()
	go w.run()
	return w
}

// Send queues a message. After the end it is dropped.
func (w *Writer) Send(m jsonrpc.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.ended {
		return
	}
	last := len(w.chunks) - 1
	if last < 0 || len(w.chunks[last]) >= piece {
		w.chunks = append(w.chunks, nil)
		last++
	}
	before := len(w.chunks[last])
	w.chunks[last] = jsonrpc.AppendLine(w.chunks[last], m)
	w.bytes += len(w.chunks[last]) - before
	if w.bytes >= w.limit && !w.full {
		w.full = true
		w.watch.Reset(w.stall)
	}
	signal(w.wake)
}

// Full reports whether so much waits that no more should be made.
func (w *Writer) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full && !w.ended
}

// Room receives when a full queue is half empty. It is for one receiver, which then asks
// Full.
func (w *Writer) Room() <-chan struct{} { return w.room }

// Done is closed when nothing more is written: after Close or a failure.
func (w *Writer) Done() <-chan struct{} { return w.done }

// Err returns why the Writer failed, nil if it did not.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes what is queued, for the time of wait at most, and returns what Err returns.
func (w *Writer) Close(wait time.Duration) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	signal(w.wake)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
		w.end(ErrClosed)
	}
	return w.Err()
}

// end ends the Writer once. A Write that does not return is ended by closing what it
// writes to, where that can be closed.
func (w *Writer) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.ended, w.err, w.chunks = true, err, nil
	w.watch.Stop()
	close(w.done)
	if c, ok := w.out.(io.Closer); ok && err != nil {
		go c.Close() // it may wait for the Write
	}
}

func (w *Writer) run() {
	for range w.wake {
		for {
			chunk, closed := w.next()
			if chunk == nil {
				if closed {
					w.end(nil)
					return
				}
				break
			}
			for len(chunk) > 0 {
				n, err := w.out.Write(chunk[:min(len(chunk), piece)])
				if err != nil {
					w.end(err)
					return
				}
				chunk = chunk[n:]
				w.wrote(n)
			}
		}
	}
}

// next takes the next chunk out of the queue.
func (w *Writer) next() (chunk []byte, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.chunks) == 0 {
		w.chunks = nil
		return nil, w.closed || w.ended
	}
	chunk, w.chunks[0] = w.chunks[0], nil
	w.chunks = w.chunks[1:]
	return chunk, false
}

// wrote counts what was written.
func (w *Writer) wrote(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes -= n
	switch {
	case w.full && w.bytes < w.limit/2:
		w.full = false
		w.watch.Stop()
		signal(w.room)
	case w.full:
		w.watch.Reset(w.stall)
	}
}

// signal leaves a token for whoever waits, or comes to wait.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
