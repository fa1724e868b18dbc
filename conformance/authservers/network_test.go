package authservers

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"testing"
)

// network has all servers of a test. Its connections are pipes, so that time is virtual around them.
type network struct {
	mu    sync.Mutex
	hosts map[string]*listener
	transport
}

type transport = *http.Transport

func newNetwork(t *testing.T) *network {
	n := &network{hosts: map[string]*listener{}}
	n.transport = &http.Transport{DialContext: n.dial}
	t.Cleanup(n.CloseIdleConnections)
	return n
}

func (n *network) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	n.mu.Lock()
	l := n.hosts[addr]
	n.mu.Unlock()
	if l == nil {
		return nil, errors.New("nobody listens at " + addr)
	}
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve starts a server at an address, replacing a former one.
func (n *network) serve(t *testing.T, addr string, h http.Handler) {
	l := &listener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	n.hosts[addr] = l
	n.mu.Unlock()
	n.CloseIdleConnections() // to the former one
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		n.CloseIdleConnections()
		_ = s.Close()
		<-done
	})
}

// client returns a client without cookies that follows no redirect.
func (n *network) client() *http.Client {
	return &http.Client{Transport: n.transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// browser returns a client with cookies.
func (n *network) browser() *http.Client {
	jar, _ := cookiejar.New(nil)
	c := n.client()
	c.Jar = jar
	return c
}

// listener is an address of a network.
type listener struct {
	addr   string
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns the address.
func (l *listener) Addr() net.Addr { return l }

// Network returns the name of the network.
func (l *listener) Network() string { return "tcp" }

// String returns the address as text.
func (l *listener) String() string { return l.addr }
