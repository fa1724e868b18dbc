package ws_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	ws "github.com/sansmcp/mcp/docs/examples/websocket"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// quick finds a peer that has vanished in the time of a test, and takes none for one that has
// only to wait for its turn on a busy machine.
var quick = lifecycle.Keepalive{Interval: 500 * time.Millisecond, Misses: 2}

var quickly = lifecycle.Timeouts{Ping: time.Second}

// hole is a connection whose other end can vanish: nothing arrives in either direction, and
// neither end is told.
type hole struct {
	net.Conn
	open   *atomic.Bool
	closed chan struct{}
}

func (h hole) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if h.open.Load() && err == nil {
		<-h.closed
		return 0, net.ErrClosed
	}
	return n, err
}

func (h hole) Write(b []byte) (int, error) {
	if h.open.Load() {
		return len(b), nil
	}
	return h.Conn.Write(b)
}

func (h hole) Close() error {
	select {
	case <-h.closed:
	default:
		close(h.closed)
	}
	if h.open.Load() {
		return nil // nobody is told: that is for the end of the test
	}
	return h.Conn.Close()
}

// through returns a client whose connections have a hole that opens with vanish.
func through(t *testing.T) (c *http.Client, vanish func()) {
	var open atomic.Bool
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
		return hole{conn, &open, make(chan struct{})}, err
	}}
	return &http.Client{Transport: transport}, func() { open.Store(true) }
}

// A client that vanishes without a word is found out; its functions are told, and so is the
// next who wants its room. The client finds out just so that the server has vanished.
func TestPeerThatVanishes(t *testing.T) {
	x := newTools()
	s := open(t, server.Config{Keepalive: quick, Timeouts: quickly}, x.handlers(), ws.ServerOptions{MaxConns: 1})
	web, vanish := through(t)
	c := s.connect(client.Config{Keepalive: quick, Timeouts: quickly}, session.Options{}, ws.DialOptions{HTTPClient: web})
	called := make(chan error, 1)
	go func() { _, err := call(background, c, "wait"); called <- err }()
	<-x.begun
	time.Sleep(1200 * time.Millisecond) // both are alive, and know it
	if len(x.ended) != 0 || len(called) != 0 {
		t.Fatal("it ends although nobody has vanished")
	}
	if _, err := ws.Dial(background, s.url, ws.DialOptions{}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Error("the second connection of one gives", err)
	}
	vanish()
	for who, ended := range map[string]chan error{"server": x.ended, "client": called} {
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("the %s gets an answer", who)
			}
			t.Logf("the %s is told: %v", who, err)
		case <-time.After(20 * time.Second):
			t.Fatalf("the %s waits still", who)
		}
	}
	_ = c.Close(background)
	eventually(t, "the room is not free", func() bool {
		transport, err := ws.Dial(background, s.url, ws.DialOptions{})
		if err == nil {
			_ = transport.Close(background)
		}
		return err == nil
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// Who connects and says nothing, or does not finish the handshake, does not keep its place.
func TestHandshakeTakesTooLong(t *testing.T) {
	s := open(t, server.Config{}, newTools().handlers(), ws.ServerOptions{Handshake: time.Second})
	ready := s.raw()
	silent, _, err := websocket.Dial(background, s.url, &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	half, _, err := websocket.Dial(background, s.url, &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	say(t, half, `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if _, _, err := half.Read(background); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(background, 20*time.Second)
	defer end()
	for name, conn := range map[string]*websocket.Conn{"silent": silent, "half": half} {
		if _, b, err := conn.Read(ctx); err == nil || ctx.Err() != nil {
			t.Errorf("%s: got %s, %v", name, b, err)
		}
	}
	say(t, ready, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, _, err := ready.Read(ctx); err != nil {
		t.Error("the one that is ready:", err)
	}
}

// raw opens a session by hand.
func (s *site) raw() *websocket.Conn {
	s.t.Helper()
	conn, _, err := websocket.Dial(background, s.url, &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	say(s.t, conn, `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	if _, b, err := conn.Read(background); err != nil || !strings.Contains(string(b), `"id":"open"`) {
		s.t.Fatal(string(b), err)
	}
	say(s.t, conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return conn
}

func say(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.Write(background, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// A client that asks and does not read costs a bounded amount, and is left in the end.
// Another client does not notice.
func TestPeerThatDoesNotRead(t *testing.T) {
	x := newTools()
	opt := ws.ServerOptions{Options: ws.Options{QueueBytes: 1 << 20, Stall: 300 * time.Millisecond}, Work: host.WorkOptions{MaxRunning: 4, MaxPerSession: 100}}
	s := open(t, server.Config{}, x.handlers(), opt)
	c := s.connect(client.Config{}, session.Options{}, ws.DialOptions{})
	deaf := s.raw()
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var most uint64
	ctx, end := context.WithTimeout(background, 20*time.Second)
	defer end()
	for i := range 20_000 { // two gigabytes of answers
		err := deaf.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`, i))
		if err != nil {
			break // the server has left
		}
		if i%100 == 0 {
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc-min(before.HeapAlloc, now.HeapAlloc))
		}
		if i == 1000 {
			if got, err := call(ctx, c, "large"); err != nil || len(got) != 100_000 {
				t.Error("the other client gets", len(got), err)
			}
		}
	}
	if ctx.Err() != nil {
		t.Error("the server stays")
	}
	if most > 64<<20 {
		t.Errorf("%d MB at the most", most>>20)
	}
	t.Logf("%d MB at the most", most>>20)
	if got, err := call(background, c, "large"); err != nil || len(got) != 100_000 {
		t.Error("afterwards the other client gets", len(got), err)
	}
}

// A server that does not read is waited for by Send as long as its context allows.
func TestServerThatDoesNotRead(t *testing.T) {
	accepted := make(chan *websocket.Conn, 1)
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{ws.Subprotocol}})
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = web.Serve(l) }()
	defer web.Close()
	transport, err := ws.Dial(background, "ws://"+l.Addr().String(), ws.DialOptions{Options: ws.Options{QueueBytes: 1 << 20, Stall: 300 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = (<-accepted).CloseNow() }()
	large := message(`{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("x", 500_000) + `"}}`)
	ctx, end := context.WithTimeout(background, 20*time.Second)
	defer end()
	for sent := 0; err == nil; sent++ {
		if sent > 100 {
			t.Fatal("Send waits for nothing")
		}
		err = transport.Send(ctx, large, revision)
	}
	if ctx.Err() != nil {
		t.Error("Send waits for ever")
	}
	if _, err := transport.Receive(ctx); err == nil || ctx.Err() != nil {
		t.Error("Receive gives", err)
	}
	_ = transport.Close(ctx)
}

// What is no message of this transport ends the connection with the status for that.
func TestFramesOfOthers(t *testing.T) {
	x := newTools()
	s := open(t, server.Config{}, x.handlers(), ws.ServerOptions{Options: ws.Options{MaxMessage: 10_000}})
	for name, tt := range map[string]struct {
		kind  websocket.MessageType
		frame string
		want  websocket.StatusCode
	}{
		"binary":   {websocket.MessageBinary, "{}", websocket.StatusUnsupportedData},
		"too long": {websocket.MessageText, strings.Repeat(" ", 10_001), websocket.StatusMessageTooBig},
	} {
		conn := s.raw()
		if err := conn.Write(background, tt.kind, []byte(tt.frame)); err != nil {
			t.Fatal(err)
		}
		if _, b, err := conn.Read(background); websocket.CloseStatus(err) != tt.want {
			t.Errorf("%s: got %s, %v", name, b, err)
		}
	}
	conn := s.raw() // text that is no message ends nothing
	say(t, conn, "no message")
	say(t, conn, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, b, err := conn.Read(background); err != nil || string(b) != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(string(b), err)
	}
	_ = conn.Close(websocket.StatusNormalClosure, "")
}

// Who may not connect does not.
func TestWhoMayConnect(t *testing.T) {
	s := open(t, server.Config{}, newTools().handlers(), ws.ServerOptions{Origins: []string{"https://app.example.com"}})
	mcp := []string{ws.Subprotocol}
	for name, tt := range map[string]struct {
		opt  websocket.DialOptions
		want string
	}{
		"a page of another origin": {websocket.DialOptions{Subprotocols: mcp, HTTPHeader: http.Header{"Origin": {"https://evil.example.com"}}}, "403"},
		"a name that was rebound":  {websocket.DialOptions{Subprotocols: mcp, Host: "evil.example.com"}, "403"},
		"another subprotocol":      {websocket.DialOptions{Subprotocols: []string{"chat"}}, "StatusPolicyViolation"},
		"a page that may":          {websocket.DialOptions{Subprotocols: mcp, HTTPHeader: http.Header{"Origin": {"https://app.example.com"}}}, ""},
		"no page":                  {websocket.DialOptions{Subprotocols: mcp}, ""},
	} {
		conn, _, err := websocket.Dial(background, s.url, &tt.opt)
		if err == nil {
			if tt.want != "" {
				_, _, err = conn.Read(background)
			}
			_ = conn.CloseNow()
		}
		if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if resp, err := http.Get(s.web.URL); err != nil || resp.StatusCode != http.StatusUpgradeRequired {
		t.Error("what is no WebSocket gets", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	chat := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := websocket.Accept(w, r, nil); err == nil {
			_, _, _ = conn.Read(background)
		}
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = chat.Serve(l) }()
	defer chat.Close()
	if _, err := ws.Dial(background, "ws://"+l.Addr().String(), ws.DialOptions{}); err == nil || !strings.Contains(err.Error(), "subprotocol") {
		t.Error("a server of something else gives", err)
	}
}

// Shutdown lets open calls finish and ends sessions that have none; a client sees the end of
// its server. Calls that go on are ended by the context of Shutdown.
func TestShutdown(t *testing.T) {
	x := newTools()
	s := open(t, server.Config{}, x.handlers(), ws.ServerOptions{})
	c, idle := s.connect(client.Config{}, session.Options{}, ws.DialOptions{}), s.connect(client.Config{}, session.Options{}, ws.DialOptions{})
	called := make(chan string, 1)
	go func() {
		got, err := call(background, c, "slow")
		called <- fmt.Sprint(got, err)
	}()
	<-x.begun
	if err := s.Shutdown(background); err != nil {
		t.Error("Shutdown returns", err)
	}
	if got := <-called; got != "at last<nil>" {
		t.Error("the open call gets", got)
	}
	for _, c := range []*session.Client{c, idle} {
		select {
		case <-c.Done():
		case <-time.After(20 * time.Second):
			t.Error("a client does not see the end")
		}
	}
	if _, err := ws.Dial(background, s.url, ws.DialOptions{}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Error("a connection afterwards gives", err)
	}

	s = open(t, server.Config{}, x.handlers(), ws.ServerOptions{Drain: time.Minute})
	c = s.connect(client.Config{}, session.Options{}, ws.DialOptions{})
	go func() { _, err := call(background, c, "wait"); called <- fmt.Sprint(err) }()
	<-x.begun
	patience := errors.New("patience")
	ctx, end := context.WithTimeoutCause(background, 50*time.Millisecond, patience)
	defer end()
	if err := s.Shutdown(ctx); !errors.Is(err, patience) {
		t.Error("Shutdown returns", err)
	}
	<-x.ended
	if got := <-called; got == "<nil>" {
		t.Error("the call that was cut gets an answer")
	}
}

// What cannot be served is an error.
func TestNewServerRefuses(t *testing.T) {
	if _, err := ws.NewServer(server.Config{}, new(server.Handlers), ws.ServerOptions{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error("a server without a name gives", err)
	}
}
