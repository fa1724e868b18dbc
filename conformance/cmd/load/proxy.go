package main

import (
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
)

// proxy forwards TCP connections to one address and cuts them.
type proxy struct {
	listener net.Listener
	target   string
	chaos    atomic.Pointer[chaos]
	seed     uint64
	running  sync.WaitGroup

	mu     sync.Mutex
	links  map[*link]bool
	closed bool

	connections, exchanges atomic.Int64
	cut                    [fates]atomic.Int64
}

// newProxy starts a proxy on a port of its own.
func newProxy(target string, seed uint64, c chaos) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: target, seed: seed, links: map[*link]bool{}}
	p.chaos.Store(&c)
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

// calm makes the exchanges that begin from now on go well.
func (p *proxy) calm() { p.chaos.Store(new(chaos)) }

// cuts returns how many exchanges were cut.
func (p *proxy) cuts() (n int64) {
	for f := range p.cut {
		n += p.cut[f].Load()
	}
	return n
}

func (p *proxy) accept() {
	for n := uint64(1); ; n++ {
		conn, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // too many open files, or the peer was quick to leave
		}
		p.connections.Add(1)
		p.running.Go(func() { p.serve(conn, rand.New(rand.NewPCG(p.seed, n))) })
	}
}

// serve forwards one connection until either side or the link ends it.
func (p *proxy) serve(client net.Conn, r *rand.Rand) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{proxy: p, client: client, server: server, pace: p.chaos.Load().pace(r), random: r, idle: true, done: make(chan struct{})}
	if !p.add(l) {
		l.cut(whole, false)
		return
	}
	defer p.remove(l)
	if l.pace.slow {
		for _, conn := range []net.Conn{client, server} { // full early
			_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			_ = conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
		}
	}
	var up sync.WaitGroup
	up.Go(l.up)
	l.down()
	up.Wait()
}

func (p *proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.links[l] = true
	}
	return !p.closed
}

func (p *proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// Close cuts everything and waits.
func (p *proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for l := range p.links {
		l.cut(whole, false)
	}
	p.mu.Unlock()
	p.running.Wait()
}
