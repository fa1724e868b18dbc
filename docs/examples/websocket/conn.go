package ws

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

// Subprotocol is what both ends agree to speak.
const Subprotocol = "mcp"

// Options are the settings of a connection, at either end. A zero field means its default.
type Options struct {
	// MaxMessage is the longest message that is taken, in bytes. Default 4 MiB. A longer one
	// ends the connection: unlike a line, a frame cannot be skipped.
	MaxMessage int
	// QueueBytes is how much may wait for the peer to read it. Default
	// pipe.DefaultQueueBytes.
	QueueBytes int
	// Stall is how long the peer may read nothing of a full queue. Default
	// pipe.DefaultStall.
	Stall time.Duration
}

// DefaultMaxMessage is the default of Options.MaxMessage.
const DefaultMaxMessage = 4 << 20

// link is a connection as messages.
type link struct {
	conn *websocket.Conn
	out  *pipe.Writer
	in   chan jsonrpc.Message // closed when nothing comes any more
	err  error                // why, for then
	done chan struct{}        // closed when nobody receives any more
	once sync.Once
}

func newLink(conn *websocket.Conn, opt Options) *link {
	l := &link{
		conn: conn, out: pipe.NewPacketWriter(frames{conn}, opt.QueueBytes, opt.Stall),
		in: make(chan jsonrpc.Message), done: make(chan struct{}),
	}
	limit := cmp.Or(opt.MaxMessage, DefaultMaxMessage)
	conn.SetReadLimit(int64(limit))
	go l.read(jsonrpc.Decoder{MaxBytes: limit})
	return l
}

// read receives until the connection ends. Then the other direction is gone too, so the
// Writer ends first, and who sees the end of the messages knows that it cannot answer.
func (l *link) read(d jsonrpc.Decoder) {
	defer close(l.in)
	defer func() { _ = l.out.Close(0) }()
	for {
		kind, frame, err := l.conn.Read(context.Background())
		if err != nil {
			l.err = err
			return
		}
		if kind != websocket.MessageText {
			l.err = errors.New("ws: a frame that is not text")
			_ = l.conn.Close(websocket.StatusUnsupportedData, "messages are text")
			return
		}
		select {
		case l.in <- d.Decode(frame):
		case <-l.done:
			l.err = io.EOF
			return
		}
	}
}

// end ends the connection: what is queued is written, for the time of wait at most, then the
// peer is told with a status.
func (l *link) end(wait time.Duration, code websocket.StatusCode) error {
	l.once.Do(func() { close(l.done) })
	err := l.out.Close(wait)
	if err == nil {
		_ = l.conn.Close(code, "") // waits for the peer's word, five seconds at most
	}
	_ = l.conn.CloseNow()
	return err
}

// frames is what the Writer writes to: each Write is one text frame. No deadline is needed
// here: the Writer knows when a peer has stalled, and closes.
type frames struct{ *websocket.Conn }

// Write implements io.Writer.
func (f frames) Write(b []byte) (int, error) {
	if err := f.Conn.Write(context.Background(), websocket.MessageText, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close implements io.Closer: it ends a Write that waits.
func (f frames) Close() error { return f.CloseNow() }
