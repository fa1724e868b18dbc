//go:build unix

package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Where nobody listens any more when a stream breaks off, the session has ended at once, if that
// is wanted: the call's own stream, or that of the server. Else it would be waited for.
func TestRefusedEnds(t *testing.T) {
	wait := exchange.Options{Wait: time.Minute, MaxWait: time.Minute}
	for name, head := range map[string]http.Header{"": nil, "with a key": {"X-Key": {"k"}}} {
		t.Run("a call "+name, func(t *testing.T) {
			m := newMock(t)
			m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
				if msg.Method != "resources/read" {
					return false
				}
				events(w)("id: 1", "data:")
				m.stop()
				cut()
				return true
			}
			err := read(m.connect(Options{RefusedEnds: true, NoListen: true, Exchange: wait, Header: head}, session.Options{}))
			wantErr(t, err, links.ErrSessionGone)
			wantErr(t, err, syscall.ECONNREFUSED)
			if strings.Contains(err.Error(), "/mcp") {
				t.Error("the url is in the error:", err)
			}
		})
	}
	t.Run("a call that cannot be resumed, as none without a session can", func(t *testing.T) {
		m := newMock(t)
		m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
			if msg.Method != "resources/read" {
				return false
			}
			events(w)("data:")
			m.stop()
			cut()
			return true
		}
		err := read(m.connect(Options{RefusedEnds: true, NoListen: true, Exchange: wait}, session.Options{}))
		wantErr(t, err, links.ErrSessionGone)
		wantErr(t, err, syscall.ECONNREFUSED)
	})
	t.Run("a call, and one more connection is taken", func(t *testing.T) {
		m := newMock(t)
		m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
			switch {
			case r.Method == http.MethodOptions:
				m.stop()
				cut()
			case msg.Method != "resources/read":
				return false
			}
			events(w)("id: 1", "data:")
			cut()
			return true
		}
		opt := Options{RefusedEnds: true, NoListen: true, Exchange: wait, Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
		wantErr(t, read(m.connect(opt, session.Options{})), links.ErrSessionGone)
		if n := m.count("OPTIONS"); n == 0 {
			t.Error(m.heard())
		}
	})
	t.Run("the stream of the server", func(t *testing.T) {
		m := newMock(t)
		begun, gone := make(chan struct{}), make(chan struct{})
		m.get = func(w http.ResponseWriter, _ *http.Request) {
			events(w)("id: 1", "data:")
			close(begun)
			<-gone
			m.stop()
			cut()
		}
		c := m.connect(Options{RefusedEnds: true, Exchange: wait}, session.Options{})
		<-begun
		close(gone)
		eventually(t, "the end of the session", func() bool { return c.State().Status().Phase != lifecycle.Ready })
	})
	t.Run("a request", func(t *testing.T) {
		m := newMock(t)
		c := m.connect(Options{RefusedEnds: true, NoListen: true, Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}, session.Options{})
		m.stop()
		sent, err := c.Send(context.Background(), protocol.ReadResourceParams{URI: "test://a"}, session.RequestOptions{})
		wantErr(t, err, nil)
		_, err = sent.Wait(context.Background())
		wantErr(t, err, links.ErrSessionGone)
	})
	t.Run("initialize", func(t *testing.T) {
		m := newMock(t)
		m.stop()
		tr, err := New(m.url, Options{RefusedEnds: true})
		wantErr(t, err, nil)
		_, err = session.Connect(context.Background(), config(), tr, session.Options{})
		if err == nil || errors.Is(err, links.ErrSessionGone) {
			t.Error(err)
		}
	})
}

// A server that listens still is gone on with, after it was asked for that; without RefusedEnds it
// is not.
func TestKnock(t *testing.T) {
	for wanted, n := range map[bool]int{true: 1, false: 0} {
		m := newMock(t)
		var call jsonrpc.Message
		m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
			if msg.Method != "resources/read" {
				return false
			}
			call = msg
			events(w)("id: 1", "retry: 200", "data:")
			cut()
			return true
		}
		m.get = func(w http.ResponseWriter, _ *http.Request) { events(w)("id: 2", answerTo(call)) }
		wantErr(t, read(m.connect(Options{RefusedEnds: wanted, NoListen: true}, session.Options{})), nil)
		if got := m.count("OPTIONS"); got != n {
			t.Error(wanted, m.heard())
		}
	}
}
