package sessiontest

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// pipes is a listener whose connections are made by dial. A bubble of testing/synctest needs it: the clock of a bubble
// stands still while a goroutine waits for a socket.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.done); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// The same over HTTP.
func TestQuestionOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, asks(), nethttp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := pipes{make(chan net.Conn), make(chan struct{})}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- h.ServeOn(ctx, &http.Server{Handler: h}, p, time.Minute) }()

		wire := &http.Transport{DialContext: p.dial}
		conn, err := remote.New("http://127.0.0.1/mcp", remote.Options{Client: &http.Client{Transport: wire}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(t.Context(), asked, conn, session.Options{Serve: thinks})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "greet"}, session.RequestOptions{
			RequestOptions: client.RequestOptions{Timeout: time.Minute}, // it is paused while the user thinks
		})
		if err != nil || protocol.TextOf(r.Content) != "Hello, Ada!" {
			t.Errorf("%v, %v", protocol.TextOf(r.Content), err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wire.CloseIdleConnections()
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
