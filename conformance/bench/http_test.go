package bench

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
)

// web is a library's handler behind a server of net/http on the loopback interface.
type web struct {
	addr   string
	server *http.Server
	closed chan struct{}
	close  func()
}

// serve starts the HTTP server of a library.
func serve(open func() (http.Handler, func(), error)) (*web, error) {
	handler, closeHandler, err := open()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint, handler)
	s := &web{addr: l.Addr().String(), server: &http.Server{Handler: mux}, closed: make(chan struct{}), close: closeHandler}
	go func() {
		defer close(s.closed)
		_ = s.server.Serve(l)
	}()
	return s, nil
}

func (s *web) url() string { return "http://" + s.addr + endpoint }

func (s *web) Close() {
	s.close()
	_ = s.server.Close()
	<-s.closed
}

// wires opens n connections, in one session or in one each.
func (s *web) wires(n int, oneSession bool) ([]*wire, error) {
	var all []*wire
	session := ""
	for i := range n {
		w, err := newWire(s.addr)
		if err != nil {
			return all, err
		}
		all = append(all, w)
		if session == "" || !oneSession {
			if session, err = w.open(); err != nil {
				return all, err
			}
		}
		w.join(session, i*1000000)
		if err := w.echo(); err != nil {
			return all, err
		}
	}
	return all, nil
}

// overHTTP measures small tools/call over loopback HTTP, one connection for each call in
// flight. One op is one call.
func overHTTP(b *testing.B, l library, inflight int, oneSession bool) {
	s := must(serve(l.http))(b)
	defer s.Close()
	wires := must(s.wires(inflight, oneSession))(b)
	defer func() {
		for _, w := range wires {
			w.Close()
		}
	}()
	inFlightOf(b, inflight, func(i int) error { return wires[i].echo() })
}

// inFlightOf measures b.N calls on as many goroutines as calls in flight.
func inFlightOf(b *testing.B, inflight int, call func(i int) error) {
	errs := make([]error, inflight)
	b.ReportAllocs()
	report := cpu(b)
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range inflight {
		n := b.N / inflight
		if i < b.N%inflight {
			n++
		}
		wg.Go(func() {
			for range n {
				if errs[i] = call(i); errs[i] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	report()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
}

// clientOverHTTP measures a library's client against the floor's server.
func clientOverHTTP(b *testing.B, l library, inflight int) {
	s := must(serve(floorHTTP.http))(b)
	defer s.Close()
	c := must(l.httpClient(s.url()))(b)
	defer c.Close()
	call := func(int) error { return expectEcho(c.Call("echo", echoArgs)) }
	for range 2 * inflight { // open connections before the measurement
		if err := concurrent(inflight, inflight, func() error { return call(0) }); err != nil {
			b.Fatal(err)
		}
		if inflight == 1 {
			break
		}
	}
	inFlightOf(b, inflight, call)
}

// pooled returns an HTTP client that keeps as many connections as calls are in flight.
func pooled() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: 128, MaxIdleConnsPerHost: 128}}
}

// idleOverHTTP measures the size of an idle session after its handshake, in bytes of heap and
// stack and goroutines. All handshakes use one connection, so that a session has no connection
// except for its GET stream; with that its client's end counts too, which is
// only a file.
func idleOverHTTP(b *testing.B, l library, listening bool) {
	const n = 1000
	for range b.N {
		s := must(serve(l.http))(b)
		w := must(newWire(s.addr))(b)
		var streams []net.Conn
		open := func() {
			if session := must(w.open())(b); listening {
				streams = append(streams, must(listen(s.addr, session))(b))
			}
		}
		for range 10 { // to create shared parts first
			open()
		}
		settle()
		goroutines, before := runtime.NumGoroutine(), memory()
		for range n {
			open()
		}
		settle()
		b.ReportMetric((float64(memory())-float64(before))/n, Bytes)
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/n, Goroutines)
		for _, conn := range streams {
			conn.Close()
		}
		w.Close()
		s.Close()
	}
}

// listen opens a GET stream, and returns when the head of its response has begun.
func listen(addr, session string) (net.Conn, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\nMcp-Protocol-Version: %s\r\n\r\n",
		endpoint, addr, session, revision); err != nil {
		return nil, err
	}
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, status); err != nil || string(status) != "HTTP/1.1 200" {
		return nil, fmt.Errorf("GET: %q, %w", status, err)
	}
	return conn, nil
}
