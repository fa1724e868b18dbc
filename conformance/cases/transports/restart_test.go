package transports_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// TestRollingRestart: a server shuts down and another process replaces it. The running call
// ends there, and each call that was refused before it began is repeated once, without a hint that it
// may be repeated, and runs once.
func TestRollingRestart(t *testing.T) {
	var ran atomic.Int32
	running, release := make(chan struct{}), make(chan struct{})
	process := func() *nethttp.Handler {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "pay", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			ran.Add(1)
			return protocol.TextResult("paid"), nil
		})
		h.Tool(protocol.Tool{Name: "slow", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			close(running)
			<-release
			return protocol.TextResult("done"), nil
		})
		handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "site", Version: "1"}}, h, nethttp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(handler.Close)
		return handler
	}
	var at atomic.Pointer[nethttp.Handler]
	old := process()
	at.Store(old)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { at.Load().ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	connect := func() *session.Client {
		link, err := remote.New(srv.URL, remote.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}}, link, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.WithoutCancel(ctx)) })
		return c
	}
	const many = 8
	var clients []*session.Client
	for range many {
		clients = append(clients, connect())
	}
	slow := make(chan error, 1)
	go func() {
		_, err := connect().CallTool(ctx, protocol.CallToolParams{Name: "slow"}, session.RequestOptions{})
		slow <- err
	}()
	<-running
	down := make(chan error, 1)
	go func() { down <- old.Shutdown(ctx) }()
	for { // until calls are rejected
		if _, err := clients[0].CallTool(ctx, protocol.CallToolParams{Name: "none"}, session.RequestOptions{}); lifecycle.DeliveryOf(err) == lifecycle.Rejected {
			break
		}
	}

	var wg sync.WaitGroup
	refused := make(chan struct{}, many)
	next := make(chan struct{})
	for _, c := range clients {
		wg.Go(func() {
			now := time.Unix(0, 0)
			x, err := attempt.New(attempt.Config{Policy: attempt.Policy{Retry: backoff.Policy{Attempts: 2}}}, now)
			if err != nil {
				t.Error(err)
				return
			}
			x, out, err := x.Call(now, attempt.Request{Tool: "pay"})
			if err != nil {
				t.Error(err)
				return
			}
			for len(out.Done) == 0 {
				for _, st := range out.Start {
					r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "pay"}, session.RequestOptions{})
					o := attempt.Outcome{Result: &r}
					if err != nil {
						o = attempt.FromError("pay", err)
						if o.Delivery != lifecycle.Rejected || o.Err.After != time.Second {
							t.Errorf("%v, after %v: %v", o.Delivery, o.Err.After, err)
						}
					}
					x, out = x.Finish(now, st.Attempt, o)
				}
				if len(out.Done) == 0 {
					refused <- struct{}{}
					<-next
					now, _ = x.NextDeadline()
					x, out = x.Tick(now)
				}
			}
			if o := out.Done[0].Outcome; o.Err != nil || o.Attempts != 2 || string(o.Value()) != `"paid"` {
				t.Errorf("%d attempts, %v", o.Attempts, o.Err)
			}
		})
	}
	for range many {
		select {
		case <-refused:
		case <-ctx.Done():
			t.Fatal("a call was not refused")
		}
	}
	if n := ran.Load(); n != 0 {
		t.Errorf("%d calls ran", n)
	}
	close(release)
	for _, end := range []chan error{slow, down} {
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
	at.Store(process())
	close(next)
	wg.Wait()
	if n := ran.Load(); n != many {
		t.Errorf("%d of %d calls ran", n, many)
	}
}
