package main

import (
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// start starts the server, the proxy in front of it, and the client.
func start(set settings) (*load, error) {
	if set.chaos.sure() {
		set.vanish, set.idle = 0, set.hang // a slow session is not an idle one
	}
	l := &load{settings: set, book: newBook(set.chaos.sure()), until: time.Now().Add(set.time)}
	if set.time == 0 {
		l.until = time.Now().Add(24 * time.Hour)
	}
	shared := newTable()
	for range set.handlers {
		if err := l.serve(shared); err != nil {
			return nil, err
		}
	}
	var h http.Handler = l.servers[0]
	if len(l.servers) > 1 {
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			l.servers[rand.IntN(len(l.servers))].ServeHTTP(w, r)
		})
	}
	if set.wrap != nil {
		h = set.wrap(h)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l.server = &http.Server{Handler: h}
	go func() { _ = l.server.Serve(listener) }()
	if l.proxy, err = newCutter(listener.Addr().String(), set.seed, set.chaos, func(session string, id jsonrpc.ID) {
		if l.book.sure { // otherwise the first may have been lost on the way
			l.book.report("answered twice", "session %s, id %v", session, id)
		}
	}); err != nil {
		return nil, err
	}
	l.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4 * set.sessions}}
	return l, nil
}

// serve adds a Handler; several share their sessions by the table.
func (l *load) serve(shared *table) error {
	ask := l.hang / 4
	if l.book.sure {
		ask = l.hang
	}
	var h *nethttp.Handler
	opt := nethttp.Options{
		Streams:     streams.Options{Retry: 50 * time.Millisecond, Keep: l.hang / 4},
		Work:        host.WorkOptions{MaxRunning: l.sessions * l.parallel * 4, MaxWaiting: l.sessions * l.parallel, MaxPerSession: l.sessions * l.parallel * 5},
		MaxSessions: l.sessions * openings,
		StreamAfter: 50 * time.Millisecond,
		IdleTimeout: l.idle,
		// Slow requests are not abandoned: the load decides what hangs.
		ReadTimeout: l.hang, WriteTimeout: l.hang,
	}
	if l.handlers > 1 {
		opt.Store = nethttp.NewShared(shared)
	}
	var err error
	h, err = nethttp.NewHandler(server.Config{
		Info: protocol.Implementation{Name: "load-server", Version: "1.0.0"}, Logging: true, HashKey: [16]byte{1},
	}, handlers(l.book, ask, &h), opt)
	l.servers = append(l.servers, h)
	return err
}
