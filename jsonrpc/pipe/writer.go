package pipe

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
)

// The defaults of NewWriter.
const (
	// DefaultQueueBytes is the size of a full queue in bytes.
	DefaultQueueBytes = 32 << 20
	// DefaultStall is how long a full queue may stay unread.
	DefaultStall = 30 * time.Second
)

// ErrStalled is the error of a Writer whose peer does not read.
var ErrStalled = errors.New("pipe: the peer does not read what it is sent")

// ErrClosed is the error of a Writer that is closed before it has written everything.
var ErrClosed = errors.New("pipe: closed before everything was written")

// piece is how much one Write is given: what a pipe holds, so that each shows progress.
const piece = 64 << 10

// overhead is what a packet costs in memory beside its bytes.
const overhead = 64

// Writer writes messages on a goroutine of its own. Send never waits: who sends asks Full,
// and takes nothing in that could lead to more to send until Room says so, or waits for that
// by Wait. A Writer is safe for use by several goroutines; Room and Wait are for one of them.
type Writer struct {
	out   io.Writer
	lines bool // or else one message a Write
	limit int
	stall time.Duration
	room  chan struct{}
	wake  chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	chunks [][]byte
	bytes  int // in chunks and of the one that is being written
	full   bool
	moved  time.Time   // when a full queue was last written from
	watch  *time.Timer // calls look while the queue is full
	closed bool
	ended  bool
	err    error
}

// NewWriter returns a Writer of lines, as the stdio transport has them (transports, stdio).
// Its queue is full with limit bytes; it fails with ErrStalled if nothing of a full queue is
// written for the time of stall. Zero or less means DefaultQueueBytes and DefaultStall. It
// has to be closed. Where writing fails, out is closed too, if it is an io.Closer.
func NewWriter(out io.Writer, limit int, stall time.Duration) *Writer {
	return newWriter(out, true, limit, stall)
}

// NewPacketWriter returns a Writer like that of NewWriter, which hands each message to out
// as one Write of its own, without a newline: for connections that carry messages and not
// bytes, as WebSocket. A Write counts as progress once it returns, so stall has to suit the
// longest message.
func NewPacketWriter(out io.Writer, limit int, stall time.Duration) *Writer {
	return newWriter(out, false, limit, stall)
}

func newWriter(out io.Writer, lines bool, limit int, stall time.Duration) *Writer {
	w := &Writer{
		out: out, lines: lines, limit: cmp.Or(max(limit, 0), DefaultQueueBytes), stall: cmp.Or(max(stall, 0), DefaultStall),
		room: make(chan struct{}, 1), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	w.watch = time.AfterFunc(time.Hour, w.look)
	w.watch.Stop()
	go w.run()
	return w
}

// Send queues a message. After the end it is dropped; so is one of jsonrpc.KindInvalid,
// which has no text.
func (w *Writer) Send(m jsonrpc.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.ended {
		return
	}
	if last := len(w.chunks) - 1; w.lines && last >= 0 && len(w.chunks[last]) < piece {
		w.bytes -= len(w.chunks[last])
		w.chunks[last] = jsonrpc.AppendLine(w.chunks[last], m)
		w.bytes += len(w.chunks[last])
	} else {
		text, beside := jsonrpc.AppendLine, 0
		if !w.lines {
			text, beside = jsonrpc.Append, overhead
		}
		chunk := text(nil, m)
		if len(chunk) == 0 {
			return
		}
		w.chunks = append(w.chunks, chunk)
		w.bytes += len(chunk) + beside
	}
	if w.bytes >= w.limit && !w.full {
		w.full, w.moved = true, time.Now()
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

// Wait waits for room. It is for those who have nothing else to wait for, and takes the place
// of Room. Errors: what Err returns, ErrClosed after Close, and the cause of ctx.
func (w *Writer) Wait(ctx context.Context) error {
	for w.Full() {
		select {
		case <-w.room:
		case <-w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && (w.closed || w.ended) {
		return ErrClosed
	}
	return w.err
}

// Done is closed when nothing more is written: after Close or a failure.
func (w *Writer) Done() <-chan struct{} { return w.done }

// Err returns why the Writer failed, nil if it did not.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close writes what is queued, for the time of wait at most, and returns what Err returns:
// ErrClosed if that was not enough. It may be called again, and by several goroutines.
func (w *Writer) Close(wait time.Duration) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	signal(w.wake)
	select {
	case <-w.done:
	case <-time.After(wait):
		w.end(ErrClosed)
	}
	return w.Err()
}

// look ends the Writer if a full queue has not moved for the time of stall.
func (w *Writer) look() {
	w.mu.Lock()
	left := w.stall - time.Since(w.moved)
	full := w.full && !w.ended
	if full && left > 0 {
		w.watch.Reset(left)
	}
	w.mu.Unlock()
	if full && left <= 0 {
		w.end(ErrStalled)
	}
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
		go func() { _ = c.Close() }() // it may wait for the Write
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
			if err := w.write(chunk); err != nil {
				w.end(err)
				return
			}
		}
	}
}

// write writes a chunk, piece by piece where it is lines.
func (w *Writer) write(chunk []byte) error {
	most, beside := piece, 0
	if !w.lines {
		most, beside = len(chunk), overhead
	}
	for len(chunk) > 0 {
		n := min(len(chunk), most)
		if err := w.put(chunk[:n]); err != nil {
			return err
		}
		chunk = chunk[n:]
		w.wrote(n + beside)
	}
	return nil
}

// put is one Write, whole or not at all.
func (w *Writer) put(b []byte) error {
	n, err := w.out.Write(b)
	if err == nil && n != len(b) {
		err = io.ErrShortWrite
	}
	return err
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
		w.moved = time.Now()
	}
}

// signal leaves a token for whoever waits, or comes to wait.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
