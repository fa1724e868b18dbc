package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// dialled is a listener over pipes.
type dialled struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (d dialled) Accept() (net.Conn, error) {
	select {
	case c := <-d.conns:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}
func (d dialled) Close() error {
	select {
	case <-d.closed:
	default:
		close(d.closed)
	}
	return nil
}
func (d dialled) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// At the end of ctx calls may finish, and those that do not are stopped in time; the responses are
// written, and nothing is left running.
func TestServeOn(t *testing.T) {
	for _, tt := range []struct{ works, drain, took time.Duration }{
		{3 * time.Second, 10 * time.Second, 3 * time.Second},
		{time.Hour, 5 * time.Second, 5*time.Second + 100*time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := new(server.Handlers)
			h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				select {
				case <-time.After(tt.works):
					return protocol.TextResult("done"), nil
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			})
			handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, h, nethttp.Options{Stateless: true, AnyHost: true})
			if err != nil {
				t.Fatal(err)
			}
			l := dialled{make(chan net.Conn), make(chan struct{})}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			served := make(chan error, 1)
			go func() { served <- handler.ServeOn(ctx, &http.Server{Handler: handler}, l, tt.drain) }()
			c := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				l.conns <- there
				return here, nil
			}}}
			defer c.CloseIdleConnections()
			answered := make(chan string, 1)
			go func() {
				req, _ := http.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				resp, err := c.Do(req)
				if err != nil {
					answered <- err.Error()
					return
				}
				defer resp.Body.Close()
				text, _ := io.ReadAll(resp.Body)
				answered <- string(text)
			}()
			synctest.Wait()
			began := time.Now()
			stop()
			err = <-served
			text := <-answered
			if done := tt.works < tt.drain; done != (err == nil) || done != strings.Contains(text, "done") || !strings.Contains(text, `"id":1`) {
				t.Errorf("%v, %s", err, text)
			}
			if d := time.Since(began); d < min(tt.works, tt.drain) || d > tt.took+time.Second {
				t.Errorf("it took %v, want %v", d, tt.took)
			}
		})
	}
}

// A Handler that is closed, as it is when ServeOn has returned, is not served: its listener is closed.
func TestServeOnClosed(t *testing.T) {
	handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, new(server.Handlers), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for i, want := range []error{nil, lifecycle.ErrGone, lifecycle.ErrGone} {
		l := dialled{make(chan net.Conn), make(chan struct{})}
		if err := handler.ServeOn(ctx, &http.Server{Handler: handler}, l, time.Second); !errors.Is(err, want) {
			t.Errorf("%d: %v, want %v", i, err, want)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%d: the listener is open", i)
		}
		handler.Close()
	}
}

// What is wrong is told before anything is served.
func TestServeRefuses(t *testing.T) {
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
	if err := nethttp.Serve(t.Context(), "127.0.0.1:0", server.Config{}, new(server.Handlers), nethttp.Options{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	if err := nethttp.Serve(t.Context(), "no address", cfg, new(server.Handlers), nethttp.Options{}); err == nil {
		t.Error("it listens")
	}
	bare := new(server.Handlers)
	bare.Tool(protocol.Tool{Name: "bare"}, nil)
	if err := nethttp.Serve(t.Context(), "127.0.0.1:0", cfg, bare, nethttp.Options{}); !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), `nethttp: Handlers is "bare"`) {
		t.Error(err)
	}
	cfg.Serve = []string{"tools/call"}
	if err := nethttp.Serve(t.Context(), "127.0.0.1:0", cfg, new(server.Handlers), nethttp.Options{}); !errors.Is(err, lifecycle.ErrConfig) || !strings.Contains(err.Error(), "nethttp: Config.Serve[0]") {
		t.Error(err)
	}
	cfg.Serve = nil
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := nethttp.Serve(ctx, "127.0.0.1:0", cfg, new(server.Handlers), nethttp.Options{}); err != nil {
		t.Error(err)
	}
}
