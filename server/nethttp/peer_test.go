package nethttp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
)

// peer is a client that this test is, of one session.
type peer struct {
	t       testing.TB
	url     string
	client  *http.Client
	session string
	version string
	header  http.Header
	ids     int
}

func newPeer(t testing.TB, url string) *peer {
	return &peer{t: t, url: url, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}, header: http.Header{}}
}

const caps = `{"sampling":{},"roots":{},"elicitation":{}}`

// open runs the handshake.
func open(t testing.TB, url, version string) *peer {
	t.Helper()
	p := newPeer(t, url)
	p.open(version)
	return p
}

func (p *peer) open(version string) {
	p.t.Helper()
	a := p.post(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + caps + `,"clientInfo":{"name":"c","version":"1"}}}`)
	a.want(200, `"protocolVersion":"`+version+`"`)
	if p.session = a.head.Get("Mcp-Session-Id"); p.session == "" {
		p.t.Fatal("no session id")
	}
	p.version = version
	p.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).want(202)
}

// request makes a request; edit may change it.
func (p *peer) request(ctx context.Context, method, body string, edit ...func(*http.Request)) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, p.url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for k, v := range p.header {
		r.Header[k] = v
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
	}
	if p.version >= "2025-06-18" {
		r.Header.Set("Mcp-Protocol-Version", p.version)
	}
	for _, e := range edit {
		e(r)
	}
	return r
}

// answer is a whole response.
type answer struct {
	t      testing.TB
	status int
	head   http.Header
	body   string
}

func (a answer) want(status int, in ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %.300s", a.status, status, a.body)
	}
	for _, w := range in {
		if !strings.Contains(a.body, w) {
			a.t.Fatalf("got %.1000s, want %s", a.body, w)
		}
	}
	return a
}

func (p *peer) do(r *http.Request) answer {
	p.t.Helper()
	a, err := p.try(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return a
}

func (p *peer) try(r *http.Request) (answer, error) {
	resp, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{p.t, resp.StatusCode, resp.Header, string(b)}, err
}

func (p *peer) post(body string, edit ...func(*http.Request)) answer {
	p.t.Helper()
	return p.do(p.request(context.Background(), "POST", body, edit...))
}

// callText is the message of a call.
func (p *peer) callText(tool, args string) string {
	p.ids++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":%d}}}`, p.ids, tool, args, p.ids)
}

func (p *peer) call(tool, args string) answer { p.t.Helper(); return p.post(p.callText(tool, args)) }

// event is one of a stream.
type event struct {
	id, name, data, retry string
	comment               bool
}

// stream is a response that is read event by event.
type stream struct {
	t      testing.TB
	resp   *http.Response
	events chan event
	cancel context.CancelFunc
	last   string // id
}

// follow sends a request whose response is a stream, and reads it.
func (p *peer) follow(method, body string, edit ...func(*http.Request)) *stream {
	p.t.Helper()
	s, err := p.tryFollow(method, body, edit...)
	if err != nil {
		p.t.Fatal(err)
	}
	if s.resp.StatusCode != http.StatusOK || s.resp.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(s.resp.Body)
		p.t.Fatalf("%s: %d %s %.300s", method, s.resp.StatusCode, s.resp.Header.Get("Content-Type"), b)
	}
	go s.read()
	return s
}

func (p *peer) tryFollow(method, body string, edit ...func(*http.Request)) (*stream, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.t.Cleanup(cancel)
	resp, err := p.client.Do(p.request(ctx, method, body, edit...))
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{t: p.t, resp: resp, events: make(chan event, 4096), cancel: cancel}, nil
}

func (p *peer) listen() *stream { p.t.Helper(); return p.follow("GET", "") }

func lastEvent(id string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Last-Event-Id", id) }
}

func (p *peer) resume(id string) *stream { p.t.Helper(); return p.follow("GET", "", lastEvent(id)) }

func (s *stream) read() {
	defer close(s.events)
	defer s.resp.Body.Close()
	r := bufio.NewReader(s.resp.Body)
	var e event
	some := false
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && some:
			s.events <- e
			e, some = event{}, false
			continue
		case line == "":
			continue
		case field == "":
			s.events <- event{comment: true}
			continue
		case field == "id":
			e.id = value
		case field == "data":
			e.data += value
		case field == "event":
			e.name = value
		case field == "retry":
			e.retry = value
		}
		some = true
	}
}

// patience is how long what has to happen may take, however busy the machine is.
const patience = 20 * time.Second

// event returns the next event of any kind but comments; ok is false at the end.
func (s *stream) event() (e event, ok bool) {
	s.t.Helper()
	for {
		select {
		case e, ok = <-s.events:
			if e.comment {
				continue
			}
			if e.id != "" {
				s.last = e.id
			}
			return e, ok
		case <-time.After(patience):
			buf := make([]byte, 1<<20)
			s.t.Fatalf("no event\n%s", buf[:runtime.Stack(buf, true)])
		}
	}
}

// next returns the next message, which has to have all this in it.
func (s *stream) next(want ...string) event {
	s.t.Helper()
	for {
		e, ok := s.event()
		if !ok {
			s.t.Fatalf("the end of the stream, want %s", want)
		}
		if e.data == "" {
			continue
		}
		for _, w := range want {
			if !strings.Contains(e.data, w) {
				s.t.Fatalf("got %.300s, want %s", e.data, w)
			}
		}
		return e
	}
}

// end wants the end of the stream.
func (s *stream) end() {
	s.t.Helper()
	for {
		e, ok := s.event()
		if !ok {
			return
		}
		if e.data != "" {
			s.t.Fatalf("got %.300s, want the end", e.data)
		}
	}
}

// cut is a connection that breaks.
func (s *stream) cut() {
	s.cancel()
	for range s.events {
	}
}

var eventually = await.Eventually

func receive[T any](t testing.TB, c <-chan T) T { return await.Receive(t, c) }

// ours are the goroutines of this module, less those of the test itself.
var ours = regexp.MustCompile(`sansmcp/mcp/server/(nethttp|host)\.`)

// quiet waits until no goroutine of the handler is left.
func quiet(t testing.TB) { await.Quiet(t, ours, ".clock(") }

// rawConn is a connection on which this test writes what it likes.
type rawConn struct {
	t testing.TB
	net.Conn
	r *bufio.Reader
}

func dial(t testing.TB, addr string) *rawConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &rawConn{t, c, bufio.NewReaderSize(c, 16)}
}

func (c *rawConn) say(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c, format, args...); err != nil {
		c.t.Fatal(err)
	}
}

// want reads until it has read this.
func (c *rawConn) want(text string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	var got []byte
	for !bytes.HasSuffix(got, []byte(text)) {
		b, err := c.r.ReadByte()
		if err != nil {
			c.t.Fatalf("got %q and %v, want %q", got, err, text)
		}
		got = append(got, b)
	}
}

// newTLS serves over TLS, and HTTP/2.
func newTLS(t testing.TB, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func readAll(s *stream) (string, error) {
	defer s.resp.Body.Close()
	b, err := io.ReadAll(s.resp.Body)
	return string(b), err
}
