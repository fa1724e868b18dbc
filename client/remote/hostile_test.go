package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Whatever a server does with one request, that fails with a reason, and the next one
// is answered.
func TestHostile(t *testing.T) {
	small := exchange.Options{MaxBytes: 100_000, Attempts: 2, Wait: time.Millisecond, MinWait: time.Millisecond}
	flood := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message)
		want   string
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request, _ jsonrpc.Message) { <-r.Context().Done() }, "timed out"},
		"hangs in a body": {func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "silent"},
		"hangs in a stream": {func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) {
			events(w)
			<-r.Context().Done()
		}, "timed out"},
		"floods with an event": {func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
			events(w)
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"a":"`, m.ID)
			for range 5 {
				fmt.Fprint(w, flood)
			}
			fmt.Fprint(w, "\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "invalid response"},
		"floods with comments": {func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) {
			for say := events(w); r.Context().Err() == nil; {
				say(": " + flood)
			}
		}, "timed out"},
		"floods with a body": {func(w http.ResponseWriter, r *http.Request, m jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"a":"`, m.ID)
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, flood); err != nil {
					return
				}
			}
		}, "invalid response"},
		"a head without end": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			for i := range 20 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 100_000))
			}
		}, "exceed"},
		"half an event": {func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) {
			events(w)
			fmt.Fprint(w, answerTo(m)) // no blank line
		}, "no answer"},
		"half an event, cut": {func(w http.ResponseWriter, _ *http.Request, m jsonrpc.Message) {
			events(w)
			fmt.Fprint(w, answerTo(m)[:20])
			w.(http.Flusher).Flush()
			cut()
		}, "no answer"},
		"half a body": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":`)
			w.(http.Flusher).Flush()
			cut()
		}, "no answer"},
		"cut, and never back": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			events(w)("id: 1", "retry: 1", "data:")
		}, "no answer"},
		"HTML": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>welcome")
		}, "wrong content type"},
		"no type": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header()["Content-Type"] = nil
			fmt.Fprint(w, "{}")
		}, "wrong content type"},
		"nothing": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
		}, "no answer"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "welcome")
		}, "no answer"},
		"204": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) { w.WriteHeader(http.StatusNoContent) }, "no answer"},
		"202": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) { w.WriteHeader(http.StatusAccepted) }, "no answer"},
		"another id": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			reply(w, jsonrpc.Message{ID: jsonrpc.Int(99)}, `{}`)
		}, "no answer"},
		"stream, other": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			events(w)(answerTo(jsonrpc.Message{ID: jsonrpc.String("z")}))
		}, "no answer"},
		"500": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			http.Error(w, "<html>oops", http.StatusInternalServerError)
		}, "500"},
		"500 with an error": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"disk on fire"}}`)
		}, "disk on fire"},
		"429": {func(w http.ResponseWriter, _ *http.Request, _ jsonrpc.Message) {
			http.Error(w, "", http.StatusTooManyRequests)
		}, "429"},
		"a jump": {func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, "302"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			m := newMock(t)
			var tame atomic.Bool
			m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
				if msg.Method != "resources/read" || tame.Load() {
					return false
				}
				tt.answer(w, r, msg)
				return true
			}
			c := m.connect(Options{Exchange: small, HeaderTimeout: time.Second, NoListen: true}, session.Options{})
			limit := patience
			if tt.want == "timed out" {
				limit = 300 * time.Millisecond
			}
			began := time.Now()
			err := readIn(context.Background(), c, limit)
			if err == nil || time.Since(began) > limit+patience {
				t.Fatal(err, time.Since(began))
			}
			wantText(t, err, tt.want)
			tame.Store(true)
			wantErr(t, read(c), nil)
		})
	}
}

// The head of an answer, and white space, may come long before the answer: proxies give up connections on which nothing
// comes. Once the answer has begun it goes on.
func TestHeadBeforeTheAnswer(t *testing.T) {
	const head = 50 * time.Millisecond
	m := newMock(t)
	var begins atomic.Bool
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		if begins.Load() {
			fmt.Fprint(w, `{`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		}
		for range 4 {
			fmt.Fprint(w, " \n")
			w.(http.Flusher).Flush()
			time.Sleep(head)
		}
		reply(w, msg, `{"contents":[]}`)
		return true
	}
	c := m.connect(Options{HeaderTimeout: head, NoListen: true}, session.Options{})
	wantErr(t, read(c), nil)
	begins.Store(true)
	wantErr(t, read(c), errIdle)
}

// A server that does not come back costs the attempts of Options.
func TestNeverBack(t *testing.T) {
	m := newMock(t)
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		events(w)("id: 1", "retry: 1", "data:")
		return true
	}
	m.get = func(http.ResponseWriter, *http.Request) { cut() }
	opt := Options{NoListen: true, Exchange: exchange.Options{Attempts: 2, Wait: time.Millisecond, MinWait: time.Millisecond}}
	err := read(m.connect(opt, session.Options{}))
	var e *lostError
	if !errors.As(err, &e) || e.Failure.Reason != exchange.Exhausted && e.Failure.Reason != exchange.NoResponse {
		t.Error(err)
	}
	wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseResponseLost})
}

// A notification that the server does not answer is given up after HeaderTimeout, and said
// so in the log, without what is secret.
//
// rows: HTTP-111
func TestLog(t *testing.T) {
	var log bytes.Buffer
	m := newMock(t)
	m.post = func(_ http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Kind != jsonrpc.KindNotification {
			return false
		}
		<-r.Context().Done()
		return true
	}
	m.url += "?key=secret"
	opt := Options{HeaderTimeout: 500 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil))}
	c := m.connect(opt, session.Options{})
	wantErr(t, read(c), nil)
	wantErr(t, c.Close(context.Background()), nil)
	if text := log.String(); !strings.Contains(text, "notifications/initialized") || strings.Contains(text, "secret") || strings.Contains(text, "session-1") {
		t.Error(text)
	}
	m.mu.Lock() // a request that was given up may arrive as late as now
	defer m.mu.Unlock()
	for i, r := range m.heads {
		if strings.Contains(r.URL.String(), "session-1") || strings.Contains(string(m.messages[i].Body), "session-1") {
			t.Error(r.URL, m.messages[i])
		}
	}
}

// No coding is asked for, which would hold up streams. One that comes all the same is undone within
// the limit of a message, or named.
func TestContentEncoding(t *testing.T) {
	m := newMock(t)
	coding, content := "gzip", `"contents":[]`
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error(r.Header)
		}
		if msg.Method != "resources/read" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", coding)
		z := gzip.NewWriter(w)
		fmt.Fprintf(z, `{"jsonrpc":"2.0","id":%s,"result":{%s}}`, msg.ID, content)
		_ = z.Close()
		return true
	}
	c := m.connect(Options{Exchange: exchange.Options{MaxBytes: 1000}}, session.Options{})
	wantErr(t, read(c), nil)
	content = `"contents":[],"x":"` + strings.Repeat("x", 1<<20) + `"`
	err := read(c)
	wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse})
	wantText(t, err, "more than 1000 bytes, the MaxBytes of the transport")
	coding, content = "br", `"contents":[]`
	err = read(c)
	wantErr(t, err, &lifecycle.Cause{Kind: lifecycle.CauseResponseLost})
	wantText(t, err, `Content-Encoding "br"`)
	coding = "x-gzip"
	wantErr(t, read(c), nil)
}

// Redirects within the origin are followed where the message stays the same; no other gets
// the message or the token.
//
// rows: AUTH-032 HTTP-111
func TestRedirects(t *testing.T) {
	other := newMock(t)
	m := newMock(t)
	status, to := 0, ""
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method == "resources/read" && r.URL.Path == "/mcp" {
			http.Redirect(w, r, to, status)
			return true
		}
		return false
	}
	c := m.connect(Options{Token: token("t")}, session.Options{})
	for _, tt := range []struct {
		status int
		to     string
		ok     bool
	}{
		{307, "/moved", true}, {308, "/moved", true}, {302, "/moved", false}, {303, "/moved", false},
		{307, "/mcp", false}, {307, other.url, false}, {302, other.url, false},
	} {
		status, to = tt.status, tt.to
		if err := read(c); (err == nil) != tt.ok {
			t.Error(tt, err)
		}
	}
	if heard := other.heard(); heard != "" {
		t.Error(heard)
	}
	var mine int
	hc := &http.Client{Timeout: time.Nanosecond, CheckRedirect: func(*http.Request, []*http.Request) error {
		mine++
		return errors.New("no")
	}}
	status, to = 307, "/moved"
	c = m.connect(Options{Client: hc, Token: token("t")}, session.Options{})
	if err := read(c); err == nil || mine != 1 {
		t.Error(err, mine)
	}
	hc.CloseIdleConnections()
}

// Nobody there, or nobody who speaks HTTP.
func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	wantErr(t, err, nil)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1000))
			_, _ = io.WriteString(c, "SSH-2.0-x\r\n")
			_ = c.Close()
		}
	}()
	url := "http://" + l.Addr().String()
	for _, want := range []exchange.Reason{exchange.NoResponse, exchange.NotSent} {
		tr, err := New(url, Options{})
		wantErr(t, err, nil)
		_, err = session.Connect(context.Background(), config(), tr, session.Options{})
		var e *lostError
		if !errors.As(err, &e) || e.Failure.Reason != want || strings.Contains(err.Error(), "http://") {
			t.Error(err)
		}
		_ = l.Close() // for the second time
	}
	for _, url := range []string{"", "ftp://x", "http://", "/mcp", "http://u:secret@", "%"} {
		if _, err := New(url, Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(url, err)
		}
	}
}

// A server that moves nothing holds up Close until its context ends, and no longer.
func TestCloseIsQuick(t *testing.T) {
	m := newMock(t)
	asked := make(chan struct{}, 10)
	m.post = func(_ http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method == "resources/read" || msg.Method == "notifications/cancelled" {
			asked <- struct{}{}
			<-r.Context().Done()
		}
		return false
	}
	m.get = func(w http.ResponseWriter, r *http.Request) {
		events(w)
		<-r.Context().Done()
	}
	c := m.connect(Options{}, session.Options{})
	failed := make(chan error, 1)
	go func() { failed <- readIn(context.Background(), c, time.Minute) }()
	<-asked
	ctx, end := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer end()
	began := time.Now()
	_ = c.Close(ctx)
	if took := time.Since(began); took > patience {
		t.Error(took)
	}
	if err := <-failed; err == nil {
		t.Error("answered")
	}
	if err := c.Close(context.Background()); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
