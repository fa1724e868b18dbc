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

// Subprotocol is the subprotocol of both ends.
const Subprotocol = "mcp"

// Options are the settings of a connection, at either end. A zero field means its default.
type Options struct {
	// MaxMessage is the longest message that is accepted, in bytes. Default 4 MiB. A longer one
	// ends the connection: unlike a line, a frame cannot be skipped.
	MaxMessage int
	// QueueBytes is how many bytes may wait for the peer to read them. Default
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
	in   chan jsonrpc.Message // closed after the last message
	err  error                // why, once in is closed
	done chan struct{}        // closed when messages are no longer received
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

// read receives until the connection ends. Then the other direction has ended too, so the Writer
// ends first: a reader that sees the end of the messages knows that it cannot answer.
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

// end ends the connection: queued messages are written, for at most wait, then the peer gets a
// status.
func (l *link) end(wait time.Duration, code websocket.StatusCode) error {
	l.once.Do(func() { close(l.done) })
	err := l.out.Close(wait)
	if err == nil {
		_ = l.conn.Close(code, "") // waits for the peer's answer, at most five seconds
	}
	_ = l.conn.CloseNow()
	return err
}

// frames is what the Writer writes to: each Write is one text frame. It needs no deadline, because
// the Writer notices when a peer has stalled, and closes.
type frames struct{ *websocket.Conn }

// Write implements io.Writer.
func (f frames) Write(b []byte) (int, error) {
	if err := f.Conn.Write(context.Background(), websocket.MessageText, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close implements io.Closer: it ends a Write that blocks.
func (f frames) Close() error { return f.CloseNow() }
