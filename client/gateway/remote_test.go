//go:build unix

package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// site is a server over HTTP that can be killed and begun again at its address.
type site struct {
	t    *testing.T
	name string
	addr string
	h    *serverhttp.Handler
	srv  *http.Server
}

func (s *site) begin(tools ...string) {
	s.t.Helper()
	h, err := serverhttp.NewHandler(config(s.name), handlers(s.name, tools), serverhttp.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	var l net.Listener
	at := s.addr
	if at == "" {
		at = "127.0.0.1:0"
	}
	eventually(s.t, "the address is not free", func() bool {
		l, err = net.Listen("tcp", at)
		return err == nil
	})
	s.addr, s.h, s.srv = l.Addr().String(), h, &http.Server{Handler: h}
	go func() { _ = s.srv.Serve(l) }()
}

func (s *site) kill() {
	_ = s.srv.Close()
	s.h.Close()
}

// A server over HTTP that is gone fails its calls; where it has only forgotten the session, or
// is back, it joins again with the tools that it has then.
func TestKillRemote(t *testing.T) {
	s := &site{t: t, name: "web"}
	s.begin("before")
	t.Cleanup(func() { s.kill() })
	server := relay.Server{Name: "web", Definition: s.addr, Options: manager.Options{Endpoint: dial.URL{URL: "http://" + s.addr}}}
	g, url := begin(t, fast(server, command(t, "one")), serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("web", "before", "one")
	other := p.hang("one-hang")
	for try, is := 1, "before"; ; try++ {
		call := p.hang("web-hang")
		began := time.Now()
		s.kill()
		if err := receive(t, call); err == nil {
			t.Error("no error")
		}
		took := time.Since(began)
		t.Logf("after %v", took)
		p.call("one", `{}`)
		was := is
		is = fmt.Sprint("after", try)
		s.begin(is)
		p.await("web", is)
		if slices.Contains(p.tools(), was) {
			t.Error("it still has the tools of before")
		}
		if text := p.call(is, `{}`); !strings.HasPrefix(text, "web "+is+" ") {
			t.Error(text)
		}
		// What is slow is so each time; what else this machine has to do passes.
		if took <= 100*time.Millisecond {
			break
		} else if try == 5 {
			t.Fatalf("the caller was told after %v", took)
		}
	}
	// It forgets its sessions.
	for _, id := range s.h.Sessions() {
		if err := s.h.End(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "it is not called again", func() bool {
		text, err := p.try("web", `{}`)
		return err == nil && strings.HasPrefix(text, "web web ")
	})
	select {
	case err := <-other:
		t.Error("another call ended:", err)
	default:
	}
	if n := len(g.Status().Sessions); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// forwarder passes connections on, until they are cut.
type forwarder struct {
	net.Listener
	to string

	mu    sync.Mutex
	conns []net.Conn
}

func forward(t *testing.T, to string) *forwarder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &forwarder{Listener: l, to: to}
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				continue
			}
			f.mu.Lock()
			f.conns = append(f.conns, a, b)
			f.mu.Unlock()
			go func() { _, _ = io.Copy(a, b); _ = a.Close() }()
			go func() { _, _ = io.Copy(b, a); _ = b.Close() }()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); f.cut() })
	return f
}

func (f *forwarder) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
	f.conns = nil
}

// A connection that breaks while the server is there costs no call: the answer is fetched.
func TestBrokenConnection(t *testing.T) {
	h, err := serverhttp.NewHandler(config("web"), handlers("web", nil), serverhttp.Options{Streams: streams.Options{Retry: 100 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() { h.Close(); s.Close() })
	f := forward(t, strings.TrimPrefix(s.URL, "http://"))
	server := relay.Server{Name: "web", Options: manager.Options{Endpoint: &dial.URL{URL: "http://" + f.Addr().String()}}}
	g, url := begin(t, fast(server), serverhttp.Options{})
	p := over(t, "ann", url)
	p.await("web")
	for range 3 {
		begun := make(chan struct{}, 1)
		answer := make(chan string, 1)
		go func() {
			r, err := p.CallTool(t.Context(), protocol.CallToolParams{Name: "web-later"}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { begun <- struct{}{} }})
			answer <- fmt.Sprint(protocol.TextOf(r.Content), err)
		}()
		receive(t, begun)
		f.cut()
		if text := receive(t, answer); text != "late but here<nil>" {
			t.Error(text)
		}
	}
	if st := g.Status().Sessions[0].Servers[0]; st.ReadyCount != 1 {
		t.Errorf("%+v", st)
	}
}
