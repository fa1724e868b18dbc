package remote

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A session: what goes out, in which order, with which headers, and its end.
//
// rows: HTTP-005 HTTP-006 HTTP-007 HTTP-008 HTTP-043 HTTP-048 HTTP-050 HTTP-051
func TestSession(t *testing.T) {
	m := newMock(t)
	m.post = func(_ http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method == "notifications/initialized" {
			time.Sleep(100 * time.Millisecond) // what comes after waits for it
		}
		return false
	}
	c := m.connect(Options{Header: http.Header{"X-Key": {"k"}}}, session.Options{})
	wantErr(t, read(c), nil)
	wantErr(t, c.Close(context.Background()), nil)
	heard := strings.Replace(m.heard(), ", GET", "", 1) // comes at any time after initialized
	if want := "POST initialize, POST notifications/initialized, POST resources/read, DELETE"; heard != want {
		t.Errorf("%s, want %s", heard, want)
	}
	m.mu.Lock() // a request for the stream that was cut may arrive as late as now
	defer m.mu.Unlock()
	for i, r := range m.heads {
		session, version := "session-1", "2025-11-25"
		if m.messages[i].Method == "initialize" {
			session, version = "", ""
		}
		h := r.Header
		if h.Get("Mcp-Session-Id") != session || h.Get("Mcp-Protocol-Version") != version || h.Get("X-Key") != "k" || h.Get("Authorization") != "" {
			t.Errorf("%s %s: %v", r.Method, m.messages[i].Method, h)
		}
		if r.Method == http.MethodPost && (h.Get("Accept") != "application/json, text/event-stream" || h.Get("Content-Type") != "application/json") {
			t.Error(h)
		}
	}
}

// An answer that is a stream: progress, a question of the server that is answered
// meanwhile, and the result.
func TestStream(t *testing.T) {
	m := newMock(t)
	answered := make(chan string, 1)
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		switch {
		case msg.Method == "tools/call":
			say := events(w)
			p, _ := protocol.Decode[protocol.CallToolParams](msg.Body)
			token, _ := p.Meta.ProgressToken()
			say(": hello")
			say("id: 1", "data:")
			say(fmt.Sprintf(`data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, token))
			say("event: message", `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create",`, `data: "params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)
			text := <-answered
			say(fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, msg.ID, text))
			return true
		case msg.Kind == jsonrpc.KindResult:
			answered <- string(msg.Body)
		}
		return false
	}
	c := m.connect(Options{}, session.Options{Serve: func(context.Context, *session.Client, client.Event) (protocol.Result, error) {
		return protocol.ElicitResult{Action: protocol.ActionDecline}, nil
	}})
	var progress []float64
	r, err := c.CallTool(context.Background(), protocol.CallToolParams{Name: "x"}, session.RequestOptions{OnProgress: func(p protocol.ProgressParams) {
		progress = append(progress, p.Progress)
	}})
	wantErr(t, err, nil)
	if text := protocol.TextOf(r.Content); text != `{"action":"decline"}` || len(progress) != 1 {
		t.Error(text, progress)
	}
}

// What the server says by itself comes on a stream of its own, which is opened again when
// it ends, from where it was.
//
// rows: HTTP-023 HTTP-024 HTTP-030 HTTP-107
func TestListen(t *testing.T) {
	m := newMock(t)
	var last []string
	var mu sync.Mutex
	m.get = func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		last = append(last, r.Header.Get("Last-Event-Id"))
		n := len(last)
		mu.Unlock()
		say := events(w)
		say(fmt.Sprintf("id: e%d", n), "retry: 100", `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
		if n == 3 {
			<-r.Context().Done()
		}
	}
	var events atomic.Int32
	m.connect(Options{}, session.Options{Event: func(_ *session.Client, ev client.Event) {
		if ev.Kind == lifecycle.NotificationReceived {
			events.Add(1)
		}
	}})
	eventually(t, "three messages", func() bool { return events.Load() == 3 })
	if got := strings.Join(last, " "); got != " e1 e2" {
		t.Error(got)
	}
}

// Requests wait until the stream of the server is open, for what it says before may be lost;
// but not for long, for a server may open it late.
func TestListenFirst(t *testing.T) {
	m := newMock(t)
	var open atomic.Bool
	var initialized atomic.Pointer[time.Time]
	late := make(chan struct{})
	m.get = func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond)
		if r.Header.Get("X-Late") != "" {
			<-late
			return
		}
		open.Store(true)
		events(w)
		<-r.Context().Done()
	}
	m.post = func(_ http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		now := time.Now()
		switch {
		case msg.Method == "notifications/initialized":
			initialized.Store(&now) // listenWait begins later
		case msg.Method == "resources/read" && !open.Load() && now.Sub(*initialized.Load()) < listenWait:
			t.Error("too early")
		}
		return false
	}
	wantErr(t, read(m.connect(Options{}, session.Options{})), nil)
	m.post = nil
	began := time.Now()
	wantErr(t, readIn(context.Background(), m.connect(Options{Header: http.Header{"X-Late": {"1"}}}, session.Options{}), time.Minute), nil)
	if took := time.Since(began); took < listenWait || took > patience {
		t.Error(took)
	}
	close(late)
}

// A stream that could not be had is asked for again as soon as the server takes a message, once.
func TestListenReached(t *testing.T) {
	for _, back := range []bool{true, false} {
		m := newMock(t)
		var gets atomic.Int32
		open := make(chan struct{})
		m.get = func(w http.ResponseWriter, r *http.Request) {
			if n := gets.Add(1); n == 1 || !back {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			events(w)
			close(open)
			<-r.Context().Done()
		}
		c := m.connect(Options{Exchange: exchange.Options{Wait: time.Hour, MaxWait: time.Hour, MinWait: time.Millisecond}}, session.Options{})
		eventually(t, "the first GET", func() bool { return gets.Load() == 1 })
		for range 5 {
			wantErr(t, read(c), nil)
			eventually(t, "the next GET", func() bool { return gets.Load() >= 2 })
		}
		if back {
			<-open
		}
		if n := gets.Load(); n != 2 {
			t.Errorf("back %v: %d GETs", back, n)
		}
	}
}

// A server without a stream of its own is not asked again, one that fails is.
func TestListenNot(t *testing.T) {
	for status, again := range map[int]bool{405: false, 400: false, 500: true} {
		m := newMock(t)
		m.get = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", status) }
		c := m.connect(Options{Exchange: exchange.Options{Wait: 20 * time.Millisecond, MinWait: 1}}, session.Options{})
		if again {
			eventually(t, "a second question", func() bool { return m.count("GET") > 1 })
		} else {
			time.Sleep(130 * time.Millisecond)
		}
		wantErr(t, read(c), nil)
		if n := m.count("GET"); (n > 1) != again || n == 0 {
			t.Error(status, n)
		}
	}
	m := newMock(t)
	c := m.connect(Options{NoListen: true}, session.Options{})
	wantErr(t, read(c), nil)
	wantErr(t, c.Close(context.Background()), nil)
	if n := m.count("GET"); n != 0 {
		t.Error(n)
	}
}

// A stream that is cut in the middle of a call goes on where it was, after the time that the
// server asked for.
//
// rows: HTTP-106 HTTP-107
func TestResume(t *testing.T) {
	m := newMock(t)
	var call jsonrpc.Message
	var cutAt, backAt time.Time
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		call = msg
		say := events(w)
		say("id: s-1", "retry: 300", "data:")
		fmt.Fprint(w, "data: half an ev")
		w.(http.Flusher).Flush()
		cutAt = time.Now()
		cut()
		return true
	}
	m.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") != "s-1" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		backAt = time.Now()
		events(w)("id: s-2", answerTo(call))
	}
	c := m.connect(Options{Exchange: exchange.Options{Wait: time.Minute, MaxWait: time.Minute}}, session.Options{})
	wantErr(t, read(c), nil)
	if wait := backAt.Sub(cutAt); wait < 290*time.Millisecond || wait > patience {
		t.Error(wait)
	}
}

// A session that the server has forgotten is opened again: by 404 to a request, and to the
// stream of the server.
//
// rows: HTTP-047
func TestSessionGone(t *testing.T) {
	m := newMock(t)
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		if msg.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != m.valid {
			http.Error(w, "", http.StatusNotFound)
			return true
		}
		return false
	}
	c := m.connect(Options{NoListen: true}, session.Options{})
	wantErr(t, read(c), nil)
	m.mu.Lock()
	m.valid = "another"
	m.mu.Unlock()
	wantErr(t, read(c), nil) // what met the 404 did not begin, and is asked again
	wantErr(t, c.Close(context.Background()), nil)
	if n := m.count("POST initialize"); n != 2 || m.heads[len(m.heads)-1].Header.Get("Mcp-Session-Id") != "session-2" {
		t.Error(n, m.heard())
	}

	m = newMock(t)
	gone := make(chan struct{})
	var once sync.Once
	m.get = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Mcp-Session-Id") != "session-1":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get("Last-Event-Id") == "":
			events(w)("id: 1", "retry: 1", "data:")
			<-gone
		default:
			http.Error(w, "", http.StatusNotFound)
		}
	}
	c = m.connect(Options{}, session.Options{})
	once.Do(func() { close(gone) })
	eventually(t, "a new session", func() bool { return m.count("POST initialize") == 2 && c.State().Status().Phase == lifecycle.Ready })
	wantErr(t, read(c), nil)
}

// A server that has no route for GET says 404 where 405 would be right. Its session goes on.
func TestNoRouteForGet(t *testing.T) {
	m := newMock(t)
	asked := make(chan struct{})
	m.get = func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Cannot GET /mcp", http.StatusNotFound)
		close(asked) // a second one panics
	}
	c := m.connect(Options{}, session.Options{})
	<-asked
	for range 3 {
		wantErr(t, read(c), nil)
		time.Sleep(20 * time.Millisecond)
	}
	if n := m.count("POST initialize"); n != 1 {
		t.Error(n, m.heard())
	}
}
