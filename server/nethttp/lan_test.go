package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// lan is the network between the processes of a bubble.
type lan struct {
	mu    sync.Mutex
	hosts map[string]*machine
	sent  int // requests that a process has got
}

// machine is a process as the others reach it.
type machine struct {
	serves  http.Handler
	refuses bool            // connections
	behind  bool            // a proxy that refuses connections
	off     bool            // nothing answers there
	hangs   bool            // takes requests, and says nothing
	breaks  bool            // breaks connections once it has read a request
	up      context.Context // ends with its connections
	down    context.CancelFunc
}

func (l *lan) put(name string, h http.Handler) *machine {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &machine{serves: h}
	m.up, m.down = context.WithCancel(context.Background())
	l.hosts[name] = m
	return m
}

// set changes a machine.
func (l *lan) set(name string, f func(m *machine)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.hosts[name])
}

// kill ends a machine: its connections break, and others are refused.
func (l *lan) kill(name string) {
	l.set(name, func(m *machine) {
		m.refuses = true
		m.down()
	})
}

var errReset = errors.New("the connection was reset")

// RoundTrip implements http.RoundTripper.
func (l *lan) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	m := l.hosts[r.URL.Host]
	is := *m
	l.mu.Unlock()
	if is.behind {
		return nil, &net.OpError{Op: "proxyconnect", Net: "tcp", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	}
	if is.off {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	}
	if is.refuses {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	l.mu.Lock()
	l.sent++
	l.mu.Unlock()
	if is.hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(is.up, cancel)
	in := r.Clone(ctx)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.RemoteAddr = "10.0.0.9:1"
	out, body := io.Pipe()
	context.AfterFunc(ctx, func() { body.CloseWithError(errReset) })
	w := &far{head: http.Header{}, began: make(chan struct{}), body: body}
	go func() {
		defer cancel()
		if is.serves.ServeHTTP(w, in); ctx.Err() == nil { // else nobody reads what comes
			w.WriteHeader(http.StatusOK)
		}
		_ = body.Close()
	}()
	select {
	case <-w.began:
	case <-ctx.Done(): // which the end of the handler is too, but then it has begun
	}
	switch { // what a handler says whose request was broken off goes nowhere
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case is.up.Err() != nil, is.breaks:
		cancel()
		return nil, errReset
	}
	return &http.Response{StatusCode: w.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent, Body: out, ContentLength: -1, Request: r}, nil
}

// far is a response that comes from another machine.
type far struct {
	once  sync.Once
	head  http.Header
	sent  http.Header
	code  int
	began chan struct{}
	body  *io.PipeWriter
}

func (f *far) Header() http.Header { return f.head }
func (f *far) Flush()              {}
func (f *far) WriteHeader(code int) {
	f.once.Do(func() {
		f.code, f.sent = code, f.head.Clone()
		close(f.began)
	})
}

func (f *far) Write(b []byte) (int, error) {
	f.WriteHeader(http.StatusOK)
	return f.body.Write(b)
}

// homed is a Companion of a test that lives in its process.
type homed struct{ *aside }

func (homed) Homed() bool { return true }

// town is processes with Companions that live in them, and what is between them.
type town struct {
	*cluster
	lan   *lan
	names []string
	ways  []*line
	sides []*sides
	all   []*bubble
}

func newTown(t *testing.T, n int, opt nethttp.Options) *town {
	t.Helper()
	return newTownOn(t, n, opt, newCluster(), func(l *line) nethttp.Table { return l })
}

// newTownOn is newTown on a cluster, to which each process has a way of its own.
func newTownOn(t *testing.T, n int, opt nethttp.Options, c *cluster, table func(*line) nethttp.Table) *town {
	t.Helper()
	w := &town{cluster: c, lan: &lan{hosts: map[string]*machine{}}}
	opt.Lease = lease
	opt.Internal.Transport = w.lan
	for i := range n {
		name := string(rune('a'+i)) + ".internal:80"
		way, k := &line{cluster: w.cluster}, newSides()
		opt.Internal.URL = "http://" + name
		opt.Companion = homesOf(k)
		b := newShared(t, ownKit(), table(way), opt)
		w.lan.put(name, b.h.Internal())
		w.names, w.ways, w.sides, w.all = append(w.names, name), append(w.ways, way), append(w.sides, k), append(w.all, b)
	}
	return w
}

// kill ends a process, as far as others can see.
func (w *town) kill(i int) {
	w.ways[i].cut.Store(true)
	w.lan.kill(w.names[i])
}

func (w *town) close() {
	for _, b := range w.all {
		b.close()
	}
}

// count returns how many Companions a process has made.
func (k *sides) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.made
}

// ended returns the phase that a session ended in; "" if it goes on.
func (k *sides) ended(id string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.over[id]
}

// homesOf are Companions that live in their process.
func homesOf(k *sides) func(server.Peer) server.Companion {
	return func(p server.Peer) server.Companion { return homed{k.companion(p).(*aside)} }
}
