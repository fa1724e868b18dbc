package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Twenty calls at once, each on a stream that is cut once.
//
// rows: HTTP-031
func TestManyAtOnce(t *testing.T) {
	m := newMock(t)
	var mu sync.Mutex
	calls := map[string]jsonrpc.Message{}
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		mu.Lock()
		calls["s-"+msg.ID.String()] = msg
		mu.Unlock()
		events(w)("id: s-"+msg.ID.String(), "retry: 50", "data:")
		cut()
		return true
	}
	m.get = func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		call, ok := calls[r.Header.Get("Last-Event-Id")]
		mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		events(w)(answerTo(call))
	}
	c := m.connect(Options{}, session.Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := read(c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A request that is cancelled is withdrawn by a notification, after which its connection
// is let go.
//
// rows: HTTP-021
func TestCancel(t *testing.T) {
	m := newMock(t)
	asked, let := make(chan struct{}), make(chan struct{})
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		close(asked)
		<-r.Context().Done()
		close(let)
		return true
	}
	c := m.connect(Options{}, session.Options{})
	ctx, end := context.WithCancel(context.Background())
	go func() {
		<-asked
		end()
	}()
	wantErr(t, readIn(ctx, c, time.Minute), context.Canceled)
	select {
	case <-let:
	case <-time.After(patience):
		t.Fatal("the connection stays")
	}
	if n := m.count("POST notifications/cancelled"); n != 1 {
		t.Error(m.heard())
	}
}

// An answer that comes on another stream than that of its request ends that too.
func TestAnsweredElsewhere(t *testing.T) {
	m := newMock(t)
	call, let := make(chan jsonrpc.Message, 1), make(chan struct{})
	m.post = func(_ http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		call <- msg
		<-r.Context().Done()
		close(let)
		return true
	}
	m.get = func(w http.ResponseWriter, r *http.Request) {
		events(w)(answerTo(<-call))
		<-r.Context().Done()
	}
	c := m.connect(Options{}, session.Options{})
	wantErr(t, read(c), nil)
	<-let
}

// A stream that is silent is given up for another connection, where the server can go on.
func TestIdle(t *testing.T) {
	m := newMock(t)
	var call jsonrpc.Message
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		call = msg
		events(w)("id: 1", "retry: 100", "data:")
		<-r.Context().Done()
		return true
	}
	m.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		events(w)(answerTo(call))
	}
	c := m.connect(Options{Idle: 100 * time.Millisecond}, session.Options{})
	wantErr(t, read(c), nil)
}

// So many answers are on their way at a time, and then nothing is taken in, until the server
// takes them or their time is over.
func TestPostsAreBounded(t *testing.T) {
	const posts, takes = 4, 300 * time.Millisecond
	m := newMock(t)
	var mu sync.Mutex
	var arrived []time.Time
	m.post = func(_ http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Kind != jsonrpc.KindResult {
			return false
		}
		mu.Lock()
		arrived = append(arrived, time.Now())
		mu.Unlock()
		<-r.Context().Done() // it does not take them
		return true
	}
	var said atomic.Int32
	m.get = func(w http.ResponseWriter, r *http.Request) {
		say := events(w)
		for i := 0; r.Context().Err() == nil; i++ {
			say(fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"pad":%q}}}`, i, strings.Repeat("x", 10_000)))
			said.Add(1)
		}
	}
	began := time.Now()
	m.connect(Options{MaxPosts: posts, HeaderTimeout: takes}, session.Options{QueueBytes: 2000})
	eventually(t, "more posts than fit at once", func() bool { mu.Lock(); defer mu.Unlock(); return len(arrived) > 3*posts })
	mu.Lock()
	for i, at := range arrived { // the server sees the end of one later than the client, so it cannot count them
		if least := time.Duration(i/posts) * takes; at.Sub(began) < least {
			t.Errorf("post %d comes after %v, at the earliest it may after %v", i+1, at.Sub(began), least)
		}
	}
	mu.Unlock()
	if n := said.Load(); n > 10_000 {
		t.Error(n, "were taken")
	}
}

// A connection that breaks before the answer fails a request, which is not made again; what
// is no request is.
func TestNoResponse(t *testing.T) {
	m := newMock(t)
	var notes atomic.Int32
	m.post = func(_ http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		switch msg.Method {
		case "resources/read":
			cut()
		case "notifications/roots/list_changed":
			if notes.Add(1) == 1 {
				cut()
			}
		}
		return false
	}
	cfg := config()
	cfg.Roots, cfg.RootsListChanged = []protocol.Root{}, true
	tr, err := New(m.url, Options{})
	wantErr(t, err, nil)
	c, err := session.Connect(context.Background(), cfg, tr, session.Options{})
	wantErr(t, err, nil)
	defer c.Close(context.Background())
	err = read(c)
	var e *lostError
	if !errors.As(err, &e) || e.Failure.Reason != exchange.NoResponse {
		t.Error(err)
	}
	if n := m.count("POST resources/read"); n != 1 {
		t.Error(n)
	}
	wantErr(t, c.SetRoots(context.Background(), []protocol.Root{{URI: "file:///a"}}), nil)
	eventually(t, "a second try", func() bool { return notes.Load() == 2 })
	eventually(t, "a withdrawal", func() bool { return m.count("POST notifications/cancelled") == 1 }) // the server may be at it
}
