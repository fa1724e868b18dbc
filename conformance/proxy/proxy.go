// Package proxy is a proxy between HTTP clients and a server that can disturb both at any
// point: it passes requests on, and answers back piece by piece, so that its user can cut, delay,
// repeat, or insert data. The load and interoperability tests use it.
package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// Options are the settings of a Proxy.
type Options struct {
	// Target is the host and port of the server.
	Target string
	// Serve answers one request: with Send, Head, Pieces and Give as the server does, or in another way.
	Serve func(x *Exchange)
	// Accept, if set, is called with each connection of a client, numbered from 1. Its
	// result is the Link of its exchanges.
	Accept func(conn *net.TCPConn, n uint64) any
	// KeepAlive keeps connections to the server. Without it each request has its own,
	// and a broken one is never mistaken for another.
	KeepAlive bool
}

// Proxy is an HTTP server on a port of its own.
type Proxy struct {
	opt         Options
	listener    net.Listener
	server      *http.Server
	up, narrow  *http.Transport
	connections atomic.Uint64
}

// narrowBytes is the buffer size of a connection through which the other end notices a slow reader.
const narrowBytes = 4 << 10

// Narrow makes the buffers of a connection small.
func Narrow(conn *net.TCPConn) {
	_ = conn.SetReadBuffer(narrowBytes)
	_ = conn.SetWriteBuffer(narrowBytes)
}

// New starts a Proxy on the loopback interface.
func New(opt Options) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{opt: opt, listener: l}
	p.up = &http.Transport{DisableCompression: true, DisableKeepAlives: !opt.KeepAlive, MaxIdleConnsPerHost: 1 << 16}
	p.narrow = &http.Transport{DisableCompression: true, DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			Narrow(conn.(*net.TCPConn))
		}
		return conn, err
	}}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ConnContext: p.accept}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// Addr returns the host and port for clients.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Connections returns how many connections clients have made.
func (p *Proxy) Connections() uint64 { return p.connections.Load() }

// Close ends all connections.
func (p *Proxy) Close() {
	_ = p.server.Close()
	p.up.CloseIdleConnections()
}

// accepted is the context key for the data of a connection.
type accepted struct{}

type connection struct {
	conn *net.TCPConn
	link any
}

func (p *Proxy) accept(ctx context.Context, c net.Conn) context.Context {
	conn, n := connection{conn: c.(*net.TCPConn)}, p.connections.Add(1)
	if p.opt.Accept != nil {
		conn.link = p.opt.Accept(conn.conn, n)
	}
	return context.WithValue(ctx, accepted{}, conn)
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	c, _ := r.Context().Value(accepted{}).(connection)
	p.opt.Serve(&Exchange{w, r, body, c.link, false, c.conn, p})
}

// Exchange is a request and its answer.
type Exchange struct {
	http.ResponseWriter
	// Request is the client's request; its body has been read.
	Request *http.Request
	// Body is the body of Request.
	Body []byte
	// Link is what Options.Accept returned for the connection.
	Link any
	// Slow lets the server notice that the answer is read slowly.
	Slow bool

	conn  *net.TCPConn
	proxy *Proxy
}

func (x *Exchange) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+x.proxy.opt.Target+x.Request.URL.RequestURI(), bytes.NewReader(body))
	if err == nil {
		r.Header = x.Request.Header.Clone()
		r.Header.Del("Connection")
	}
	return r, err
}

// Send sends the client's request, with its header, to the server, and returns the response.
func (x *Exchange) Send(ctx context.Context, method string, body []byte) (*http.Response, error) {
	r, err := x.request(ctx, method, body)
	if err != nil {
		return nil, err
	}
	if x.Slow {
		return x.proxy.narrow.RoundTrip(r)
	}
	return x.proxy.up.RoundTrip(r)
}

// SendPart sends the server a share of the request, less than 1, and ends the connection.
func (x *Exchange) SendPart(share float64) error {
	r, err := x.request(context.Background(), x.Request.Method, x.Body)
	var text bytes.Buffer
	if err == nil {
		err = r.Write(&text)
	}
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", x.proxy.opt.Target)
	if err != nil {
		return err
	}
	_, err = conn.Write(text.Bytes()[:int(share*float64(text.Len()))])
	return errors.Join(err, conn.Close())
}

// Head passes on the status and the header of a response, without the length: with it the client would
// treat the connection as free before the exchange is over, and the next request would be cut with it.
func (x *Exchange) Head(r *http.Response) {
	for name, values := range r.Header {
		if name != "Connection" && name != "Transfer-Encoding" && name != "Content-Length" {
			x.Header()[name] = values
		}
	}
	x.WriteHeader(r.StatusCode)
	x.Give(nil)
}

// HeadPart passes on at most n bytes of a head, without its end, and cuts.
func (x *Exchange) HeadPart(r *http.Response, n int, reset bool) {
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 " + r.Status + "\r\n")
	_ = r.Header.Write(&head)
	if conn, _, err := http.NewResponseController(x).Hijack(); err == nil {
		_, _ = conn.Write(head.Bytes()[:min(n, head.Len())])
		x.linger(reset)
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

// Unwrap is for http.ResponseController.
func (x *Exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// Give writes a part of the answer at once. If the client has disconnected, the exchange ends.
func (x *Exchange) Give(b []byte) {
	_, err := x.Write(b)
	if errors.Join(err, http.NewResponseController(x).Flush()) != nil {
		panic(http.ErrAbortHandler)
	}
}

// Cut ends the connection of the client at this point, and with it the exchange: with a reset,
// which may destroy unread data, or without.
func (x *Exchange) Cut(reset bool) {
	x.linger(reset)
	panic(http.ErrAbortHandler)
}

func (x *Exchange) linger(reset bool) {
	if reset {
		_ = x.conn.SetLinger(0)
	}
}

// Pieces yields the parts of the body of a response as they arrive: the events of a stream one by
// one, each with its final empty line, of another body what was read. The last one has the
// rest, and the error if the body is incomplete.
func Pieces(r *http.Response) iter.Seq2[[]byte, error] {
	next := chunk
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		next = event
	}
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReaderSize(r.Body, 16<<10)
		for {
			b, err := next(in)
			end := errors.Is(err, io.EOF)
			if end {
				err = nil
			}
			if (len(b) > 0 || err != nil) && !yield(b, err) || end || err != nil {
				return
			}
		}
	}
}

func event(in *bufio.Reader) (event []byte, err error) {
	for {
		line, err := in.ReadBytes('\n')
		event = append(event, line...)
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return event, err
		}
	}
}

func chunk(in *bufio.Reader) ([]byte, error) {
	b := make([]byte, in.Size())
	n, err := in.Read(b)
	return b[:n], err
}

// Field returns the value of a field in an event, and whether it has one.
func Field(event []byte, name string) (value []byte, ok bool) {
	for line := range bytes.Lines(event) {
		if rest, is := bytes.CutPrefix(line, []byte(name+":")); is {
			value, ok = append(value, bytes.TrimSpace(rest)...), true
		}
	}
	return value, ok
}
