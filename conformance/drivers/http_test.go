package drivers_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serving "github.com/sansmcp/mcp/server/nethttp"
)

// patience is how long anything may take to happen on a busy machine.
const patience = 20 * time.Second

// ours starts the server of this module; done ends it and checks that nothing remains running.
func ours(t *testing.T, h *server.Handlers) (url string, handler *serving.Handler) {
	t.Helper()
	before := runtime.NumGoroutine()
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, ListChanged: protocol.CapToolsListChanged, Logging: true}
	handler, err := serving.NewHandler(cfg, h, serving.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
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
	return srv.URL, handler
}

func dial(t *testing.T, url string, hopt session.Options) *session.Client {
	t.Helper()
	tr, err := remote.New(url, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
	if hopt.Serve != nil {
		cfg.Serve, cfg.Declare = []string{"elicitation/create"}, protocol.CapElicitationForm
	}
	c, err := session.Connect(context.Background(), cfg, tr, hopt)
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

// Both ends of this module: progress, a question within a call, a changing list, a
// lost session.
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
	url, handler := ours(t, &h)
	var changed atomic.Int32
	c := dial(t, url, session.Options{
		Serve: func(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
			p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
			return protocol.ElicitResult{Action: protocol.ActionAccept, Content: p.RequestedSchema.Fill(nil)}, err
		},
		Event: func(_ *session.Client, ev client.Event) {
			if ev.Method == "notifications/tools/list_changed" {
				changed.Add(1)
			}
		},
	})
	ctx := context.Background()
	progress := 0
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "ask"}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { progress++ }})
	wantErr(t, err, nil)
	if text := protocol.TextOf(r.Content); !strings.Contains(text, "Ada") || progress != 1 {
		t.Error(text, progress)
	}
	tools, err := c.Tools(ctx)
	if err != nil || len(tools) != 1 {
		t.Error(tools, err)
	}
	var more server.Handlers
	for _, name := range []string{"a", "b"} {
		more.Tool(protocol.Tool{Name: name, InputSchema: anything}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(name), nil
		})
	}
	wantErr(t, handler.Replace(ctx, &more), nil)
	eventually(t, "a change", func() bool { return changed.Load() == 1 })
	if tools, err = c.Tools(ctx); err != nil || len(tools) != 2 {
		t.Error(tools, err)
	}
	for _, id := range handler.Sessions() {
		wantErr(t, handler.End(ctx, id), nil)
	}
	eventually(t, "a new session", func() bool { return len(handler.Sessions()) == 1 && c.State().Status().Phase == lifecycle.Ready })
	if tools, err = c.Tools(ctx); err != nil || len(tools) != 2 {
		t.Error(tools, err)
	}
	wantErr(t, c.Close(ctx), nil)
	if left := handler.Sessions(); len(left) != 0 {
		t.Error(left)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("%v, want %v", err, want)
	}
}

var eventually = await.Eventually
