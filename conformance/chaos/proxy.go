package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"syscall"
	"time"
)

// proxy forwards each request to the next process, and to the one after it if that one refuses the connection. It
// does not know sessions.
type proxy struct {
	url    string
	to     []string
	next   atomic.Uint64
	server *http.Server
	pool   http.Transport
}

func newProxy(addr string, to []string) (*proxy, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	p := &proxy{url: "http://" + l.Addr().String() + "/mcp", to: to}
	p.pool.MaxIdleConnsPerHost = 100
	p.pool.DialContext = (&net.Dialer{Timeout: time.Second}).DialContext
	p.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: &httputil.ReverseProxy{
		FlushInterval: -1, Transport: p, ErrorLog: quiet,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", p.to[0]
			r.Out.Host = ""
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}, ErrorLog: quiet}
	go func() { _ = p.server.Serve(l) }() // until close
	return p, nil
}

// RoundTrip implements http.RoundTripper.
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := p.next.Add(1)
	for i := range p.to {
		q := r.Clone(r.Context())
		q.URL.Host = p.to[(int(first)+i)%len(p.to)]
		q.Host = q.URL.Host
		q.Body, q.GetBody = io.NopCloser(reader(body)), nil
		resp, err := p.pool.RoundTrip(q)
		if err == nil || !errors.Is(err, syscall.ECONNREFUSED) {
			return resp, err
		}
	}
	return nil, errors.New("no process takes connections")
}

func (p *proxy) close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.server.Shutdown(ctx)
	_ = p.server.Close()
}
