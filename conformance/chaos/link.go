package main

import (
	"net"
	"sync"
	"time"
)

// link forwards connections to an address, which may change. It can hold data back, or delay it.
type link struct {
	l net.Listener

	mu    sync.Mutex
	to    string
	late  time.Duration
	open  chan struct{} // closed unless it is held
	conns map[net.Conn]struct{}
}

func newLink(to string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{l: l, to: to, open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(k.open)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // it is closed
			}
			go k.pass(c)
		}
	}()
	return k, nil
}

func (k *link) addr() string { return k.l.Addr().String() }

func (k *link) pass(c net.Conn) {
	k.mu.Lock()
	to := k.to
	k.mu.Unlock()
	d, err := net.DialTimeout("tcp", to, time.Second)
	if err != nil {
		_ = c.Close()
		return
	}
	k.mu.Lock()
	if k.to != to { // cut in between
		k.mu.Unlock()
		_, _ = c.Close(), d.Close()
		return
	}
	k.conns[c], k.conns[d] = struct{}{}, struct{}{}
	k.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { k.copy(d, c) })
	both.Go(func() { k.copy(c, d) })
	both.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.conns, c)
	delete(k.conns, d)
}

// copy forwards data until one of the two is closed, and closes both.
func (k *link) copy(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		k.mu.Lock()
		open, late := k.open, k.late
		k.mu.Unlock()
		<-open
		time.Sleep(late)
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// hold holds data back until release.
func (k *link) hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = make(chan struct{})
}

func (k *link) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.open)
}

// slow delays all data.
func (k *link) slow(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.late = d
}

// turn closes all connections, and forwards new ones to another address.
func (k *link) turn(to string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.to = to
	for c := range k.conns {
		_ = c.Close()
	}
}

func (k *link) close() {
	_ = k.l.Close()
	k.turn("")
}
