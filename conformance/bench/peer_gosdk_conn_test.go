package bench

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gosdkConn is the cheapest mcp.Connection: decoded messages over channels.
// reply, if set, answers written messages instead of out.
type gosdkConn struct {
	in, out chan jsonrpc.Message
	reply   func(jsonrpc.Message) jsonrpc.Message
	done    chan struct{}
	once    *sync.Once
}

func newGosdkConn(buffer int) *gosdkConn {
	return &gosdkConn{
		in: make(chan jsonrpc.Message, buffer), out: make(chan jsonrpc.Message, buffer),
		done: make(chan struct{}), once: new(sync.Once),
	}
}

func (c *gosdkConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }
func (c *gosdkConn) SessionID() string                               { return "" }
func (c *gosdkConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

func (c *gosdkConn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.in:
		return m, nil
	case <-c.done:
		return nil, io.EOF
	}
}

func (c *gosdkConn) Write(_ context.Context, m jsonrpc.Message) error {
	to := c.out
	if c.reply != nil {
		if m = c.reply(m); m == nil {
			return nil
		}
		to = c.in
	}
	select {
	case to <- m:
		return nil
	case <-c.done:
		return io.EOF
	}
}

// send delivers a raw message to the session.
func (c *gosdkConn) send(msg []byte) error {
	m, err := jsonrpc.DecodeMessage(msg)
	if err != nil {
		return err
	}
	c.in <- m
	return nil
}

// recv returns the session's next message, raw.
func (c *gosdkConn) recv() ([]byte, error) { return jsonrpc.EncodeMessage(<-c.out) }
