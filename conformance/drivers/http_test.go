package drivers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net"

	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/nethttp"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serving "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// patience is how long what has to happen may take, however busy the machine is.
const patience = 20 * time.Second

// frail is a listener whose connections can be cut.
type frail struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (f *frail) Accept() (net.Conn, error) {
	c, err := f.Listener.Accept()
	if err == nil {
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.mu.Unlock()
	}
	return c, err
}

// cut breaks a part of the connections.
func (f *frail) cut(r *rand.Rand, part float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.conns[:0]
	for _, c := range f.conns {
		if r.Float64() < part {
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		} else {
			kept = append(kept, c)
		}
	}
	f.conns = kept
}

// ours starts the server of this module; done ends it and checks that nothing runs on.
func ours(t *testing.T, h *server.Handlers, opt serving.Options) (url string, f *frail, handler *serving.Handler) {
	t.Helper()
	before := runtime.NumGoroutine()
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, ListChanged: protocol.CapToolsListChanged, Logging: true}
	handler, err := serving.NewHandler(cfg, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(handler)
	f = &frail{Listener: srv.Listener}
	srv.Listener = f
	srv.Start()
	t.Cleanup(func() {
		handler.Close()
		srv.CloseClientConnections()
		srv.Close()
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return srv.URL, f, handler
}

func dial(t *testing.T, url string, opt nethttp.Options, hopt host.Options) *host.Client {
	t.Helper()
	tr, err := nethttp.New(url, opt)
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
	if hopt.Serve != nil {
		cfg.Serve, cfg.Declare = []string{"elicitation/create"}, protocol.CapElicitationForm
	}
	c, err := host.Connect(context.Background(), cfg, tr, hopt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, end := context.WithTimeout(context.Background(), patience)
		defer end()
		_ = c.Close(ctx)
	})
	return c
}

const anything = `{"type":"object"}`

// Both ends of this module: progress, a question within a call, a list that changes, a
// session that is lost.
func TestOurServer(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "ask", InputSchema: anything}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return nil, err
		}
		body, err := c.Request(ctx, protocol.ElicitParams{Message: "m", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
			{Name: "name", Schema: protocol.PrimitiveSchema{Type: "string", Default: `"Ada"`}},
		}}}, server.RequestOptions{})
		return protocol.TextResult(string(body)), err
	})
	url, _, handler := ours(t, &h, serving.Options{})
	var changed atomic.Int32
	c := dial(t, url, nethttp.Options{}, host.Options{
		Serve: func(_ context.Context, _ *host.Client, ev client.Event) (protocol.Result, error) {
			p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
			return protocol.ElicitResult{Action: protocol.ActionAccept, Content: p.RequestedSchema.Fill(nil)}, err
		},
		Event: func(_ *host.Client, ev client.Event) {
			if ev.Method == "notifications/tools/list_changed" {
				changed.Add(1)
			}
		},
	})
	ctx := context.Background()
	progress := 0
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "ask"}, host.RequestOptions{OnProgress: func(protocol.ProgressParams) { progress++ }})
	wantErr(t, err, nil)
	if text := protocol.TextOf(r.Content); !strings.Contains(text, "Ada") || progress != 1 {
		t.Error(text, progress)
	}
	tools, err := c.Tools(ctx)
	if err != nil || len(tools) != 1 {
		t.Error(tools, err)
	}
	var more server.Handlers
	more.Tool(protocol.Tool{Name: "a", InputSchema: anything}, nil)
	more.Tool(protocol.Tool{Name: "b", InputSchema: anything}, nil)
	wantErr(t, handler.Replace(ctx, &more), nil)
	eventually(t, "a change", func() bool { return changed.Load() == 1 })
	if tools, err = c.Tools(ctx); err != nil || len(tools) != 2 {
		t.Error(tools, err)
	}
	for _, id := range handler.Sessions() {
		wantErr(t, handler.End(ctx, id), nil)
	}
	eventually(t, "a new session", func() bool { return len(handler.Sessions()) == 1 && c.Status().Phase == lifecycle.Ready })
	if tools, err = c.Tools(ctx); err != nil || len(tools) != 2 {
		t.Error(tools, err)
	}
	wantErr(t, c.Close(ctx), nil)
	if left := handler.Sessions(); len(left) != 0 {
		t.Error(left)
	}
}

// stepsToCut is how many steps calls make between cuts: three each, of twenty at a time.
const stepsToCut = 60

// Calls whose connections are cut all the time, by a client that cancels some: each ends
// once, with its own answer or with a reason.
func TestCuts(t *testing.T) {
	var h server.Handlers
	steps := make(chan struct{}, 1000)
	h.Tool(protocol.Tool{Name: "slow", InputSchema: anything}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		for i := range 5 {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			_ = c.Progress(protocol.ProgressParams{Progress: float64(i + 1)})
			select {
			case steps <- struct{}{}:
			default:
			}
		}
		return protocol.TextResult(string(p.Arguments)), nil
	})
	url, f, _ := ours(t, &h, serving.Options{StreamAfter: -1, Streams: streams.Options{Retry: 100 * time.Millisecond}})
	stop := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		r := rand.New(rand.NewSource(1))
		for n := 1; ; n++ { // as often as calls have moved, not as time goes by: each has its chance
			select {
			case <-stop:
				return
			case <-steps:
				if n%stepsToCut == 0 {
					f.cut(r, 0.3)
				}
			}
		}
	})
	var good, lost, cancelled, calls atomic.Int32
	var wg sync.WaitGroup
	for n := range 5 {
		c := dial(t, url, nethttp.Options{}, host.Options{})
		for range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewSource(int64(n)))
				for i := range 20 {
					ctx, end := context.WithCancel(context.Background())
					if r.Intn(10) == 0 {
						time.AfterFunc(20*time.Millisecond, end)
					}
					calls.Add(1)
					args := protocol.Raw(fmt.Sprintf(`{"n":%d,"i":%d}`, n, i))
					got, err := c.CallTool(ctx, protocol.CallToolParams{Name: "slow", Arguments: args}, host.RequestOptions{OnProgress: func(protocol.ProgressParams) {}})
					end()
					var e *nethttp.Error
					switch {
					case err == nil && protocol.TextOf(got.Content) == string(args):
						good.Add(1)
					case errors.Is(err, context.Canceled):
						cancelled.Add(1)
					case errors.As(err, &e): // it was cut before the server named the stream
						lost.Add(1)
					default:
						t.Error(got, err)
					}
				}
			})
		}
	}
	wg.Wait()
	close(stop)
	cutting.Wait()
	t.Log(good.Load(), "good,", lost.Load(), "lost,", cancelled.Load(), "cancelled")
	if good.Load() < calls.Load()/2 || cancelled.Load() == 0 {
		t.Error("most calls should be good")
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

var eventually = await.Eventually

// Sessions that the server ends all the time, under calls of several goroutines: each call
// ends, and the client goes on in the next session.
func TestSessionsEnd(t *testing.T) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "nap", InputSchema: anything}, func(ctx context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		select {
		case <-time.After(5 * time.Millisecond):
			return protocol.TextResult(string(p.Arguments)), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	url, _, handler := ours(t, &h, serving.Options{})
	c := dial(t, url, nethttp.Options{}, host.Options{})
	var good, lost atomic.Int32
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, end := context.WithTimeout(context.Background(), patience)
				_, err := c.CallTool(ctx, protocol.CallToolParams{Name: "nap", Arguments: `{}`}, host.RequestOptions{})
				end()
				switch {
				case err == nil:
					good.Add(1)
				case errors.Is(err, links.ErrSessionGone), errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseNotSent}), errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseResponseLost}):
					lost.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	for range 10 {
		was := good.Load()
		eventually(t, "a good call", func() bool { return good.Load() > was })
		for _, id := range handler.Sessions() {
			_ = handler.End(context.Background(), id)
		}
	}
	was := good.Load()
	eventually(t, "a good call at the end", func() bool { return good.Load() > was })
	close(stop)
	wg.Wait()
	t.Log(good.Load(), "good,", lost.Load(), "lost")
	if lost.Load() == 0 {
		t.Error("no call was lost")
	}
	// The last good call may have been one of the session before.
	eventually(t, "the session of the client", func() bool { return len(handler.Sessions()) == 1 })
}
