package nethttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/sansmcp/mcp/server/nethttp"
)

// bubble is a handler without sockets, for tests in which time stands still (testing/synctest).
type bubble struct {
	t *testing.T
	h *nethttp.Handler
	k *kit

	// Of requests without a session: who writes the response, and another _meta than modernMeta.
	wrap func(*response) http.ResponseWriter
	meta string
}

func newBubble(t *testing.T, opt nethttp.Options) *bubble {
	t.Helper()
	return newBubbleOf(t, newKit(), opt)
}

func newBubbleOf(t *testing.T, k *kit, opt nethttp.Options) *bubble {
	t.Helper()
	h, err := nethttp.NewHandler(serverConfig, k.handlers(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return &bubble{t: t, h: h, k: k}
}

// response is one that is written, or was.
type response struct {
	mu   sync.Mutex
	head http.Header
	code int
	body strings.Builder
	done chan struct{}
	cut  context.CancelFunc // the connection breaks
}

func (r *response) Header() http.Header { return r.head }
func (r *response) WriteHeader(code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.code == 0 {
		r.code = code
	}
}
func (r *response) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.Write(b)
}
func (r *response) Flush() {}
func (r *response) status() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.code
}
func (r *response) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.body.String()
}
func (r *response) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// dull is a ResponseWriter that cannot Flush, as one of a middleware.
type dull struct{ r *response }

func (d dull) Header() http.Header         { return d.r.head }
func (d dull) WriteHeader(code int)        { d.r.WriteHeader(code) }
func (d dull) Write(b []byte) (int, error) { return d.r.Write(b) }

// wrapped is one that says whom it wraps.
type wrapped struct{ dull }

func (w wrapped) Unwrap() http.ResponseWriter { return w.dull.r }

// serve sends a request as wrap has it written; nil means as it is.
func (b *bubble) serve(method, session, version, body string, wrap func(*response) http.ResponseWriter, edit ...func(*http.Request)) *response {
	ctx, cut := context.WithCancel(context.Background())
	req := httptest.NewRequest(method, "http://localhost/", strings.NewReader(body)).WithContext(ctx)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	if version != "" {
		req.Header.Set("Mcp-Protocol-Version", version)
	}
	for _, e := range edit {
		e(req)
	}
	r := &response{head: http.Header{}, done: make(chan struct{}), cut: cut}
	var w http.ResponseWriter = r
	if wrap != nil {
		w = wrap(r)
	}
	go func() {
		defer close(r.done)
		defer cut()
		b.h.ServeHTTP(w, req)
	}()
	return r
}

// open begins a session and returns its id.
func (b *bubble) open(version string, edit ...func(*http.Request)) string {
	b.t.Helper()
	id := b.begin(version, edit...)
	<-b.serve("POST", id, "", initialized, nil, edit...).done
	return id
}

// begin is open without the end of the handshake.
func (b *bubble) begin(version string, edit ...func(*http.Request)) string {
	b.t.Helper()
	r := b.serve("POST", "", "", `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":`+caps+`,"clientInfo":{"name":"c","version":"1"}}}`, nil, edit...)
	<-r.done
	id := r.head.Get("Mcp-Session-Id")
	if id == "" {
		b.t.Fatal(r.status(), r.text())
	}
	return id
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func callOf(tool, args string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `,"_meta":{"progressToken":1}}}`
}

func from(addr string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = addr }
}

// close ends the handler, and all of its goroutines: no time passes in a bubble after its test.
func (b *bubble) close() { b.h.Close() }
