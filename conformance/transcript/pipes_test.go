package transcript_test

import (
	"context"
	"net"
	"sync"
)

// pipeListener is a listener whose connections are in memory, as if they had arrived on a
// loopback address.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func pipes() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// dial opens a connection.
func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- loopback{theirs}:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return here }

// here is an address of this machine.
var here = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}

type loopback struct{ net.Conn }

func (loopback) LocalAddr() net.Addr { return here }
