package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/host"
)

// ErrGone says that nobody listens at the address of a server any more.
var ErrGone = errors.New("gateway: the server is gone")

// Dial returns d.Dial, but for a url whose server is gone: by itself a connection over HTTP waits
// and comes back, several times, for the answers that its server may still have (HTTP-106), and
// their callers wait with it. Here, when a connection breaks off, it is looked at once whether
// anybody listens at the address; if that is refused, the connection to the server ends with
// ErrGone, and its calls with it. An endpoint with an http.Client of its own is left as it is, and
// so is one that is reached by a proxy.
func Dial(d dial.Dialer) host.Dial {
	return func(ctx context.Context, endpoint any) (host.Transport, error) {
		u, ok := endpoint.(dial.URL)
		if p, is := endpoint.(*dial.URL); is && p != nil {
			u, ok = *p, true
		}
		if !ok || u.Client != nil || d.HTTP.Client != nil {
			return d.Dial(ctx, endpoint)
		}
		v := newVigil()
		u.Client = &http.Client{Transport: v}
		t, err := d.Dial(ctx, u)
		if err != nil {
			v.close()
			return nil, err
		}
		return &vigilant{t, v}, nil
	}
}

// vigil makes the requests to one server, and looks where it is when they fail.
type vigil struct {
	pool *http.Transport
	gone context.Context // ends with ErrGone, or with close
	end  context.CancelCauseFunc

	mu     sync.Mutex
	looks  bool // somebody looks
	closed bool
	runs   sync.WaitGroup
}

func newVigil() *vigil {
	pool, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		pool = new(http.Transport) // somebody has put another one there
	}
	pool = pool.Clone()
	// As package client/nethttp has its own.
	pool.DisableCompression, pool.MaxResponseHeaderBytes, pool.MaxIdleConnsPerHost = true, 1<<20, 16
	pool.HTTP2 = &http.HTTP2Config{SendPingTimeout: time.Minute}
	v := &vigil{pool: pool}
	v.gone, v.end = context.WithCancelCause(context.Background())
	return v
}

// RoundTrip implements http.RoundTripper.
func (v *vigil) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.pool.RoundTrip(r)
	if err != nil {
		v.broken(r, err)
		return nil, err
	}
	resp.Body = &vigilBody{resp.Body, v, r}
	return resp, nil
}

// vigilBody is the body of a response.
type vigilBody struct {
	io.ReadCloser
	v *vigil
	r *http.Request
}

// Read implements io.Reader.
func (b *vigilBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) { // one that hangs up ends its answer
		b.v.broken(b.r, err)
	}
	return n, err
}

// lookTime is how long a look may take.
const lookTime = time.Second

// broken takes in that a connection failed.
func (v *vigil) broken(r *http.Request, err error) {
	if r.Context().Err() != nil { // we ended it
		return
	}
	if v.pool.Proxy != nil {
		if proxy, err := v.pool.Proxy(r); err != nil || proxy != nil {
			return
		}
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		v.end(fmt.Errorf("%w: %w", ErrGone, syscall.ECONNREFUSED)) // the error itself has the url
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || v.looks {
		return
	}
	v.looks = true
	at := address(r.URL)
	v.runs.Go(func() {
		v.look(at)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.looks = false
	})
}

// look finds out whether anybody listens at an address.
func (v *vigil) look(at string) {
	ctx, stop := context.WithTimeout(v.gone, lookTime)
	defer stop()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", at)
	switch {
	case err == nil:
		_ = c.Close()
	case errors.Is(err, syscall.ECONNREFUSED):
		v.end(fmt.Errorf("%w: %w", ErrGone, syscall.ECONNREFUSED))
	}
}

// address returns where a url leads.
func address(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// close ends what runs.
func (v *vigil) close() {
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.end(nil)
	v.runs.Wait()
	v.pool.CloseIdleConnections()
}

// vigilant is the host.Transport of a vigil.
type vigilant struct {
	host.Transport
	v *vigil
}

// lastWords is how long what has arrived before the end is waited for.
const lastWords = 10 * time.Millisecond

// Receive implements host.Transport.
func (t *vigilant) Receive(ctx context.Context) (host.Arrival, error) {
	both, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(t.v.gone, stop)()
	a, err := t.Transport.Receive(both)
	if err == nil || t.v.gone.Err() == nil || ctx.Err() != nil {
		return a, err
	}
	last, end := context.WithTimeout(ctx, lastWords)
	defer end()
	if a, err := t.Transport.Receive(last); err == nil {
		return a, nil
	}
	return host.Arrival{}, context.Cause(t.v.gone)
}

// Close implements host.Transport.
func (t *vigilant) Close(ctx context.Context) error {
	err := t.Transport.Close(ctx)
	t.v.close()
	return err
}
