package nethttp_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

var info = protocol.Implementation{Name: "s", Version: "1"}

const object = `{"type":"object"}`

// kit is the tools of a test and what they share.
type kit struct {
	begun chan string   // what has begun
	ended chan error    // the cause with which a context ended
	free  chan struct{} // lets a tool go on
	own   []string      // tools without function
}

func newKit() *kit {
	return &kit{begun: make(chan string, 10_000), ended: make(chan error, 10_000), free: make(chan struct{}, 10_000)}
}

type toolFunc = func(ctx context.Context, c server.Caller, args string) (string, error)

func (k *kit) handlers() *server.Handlers {
	h := new(server.Handlers)
	add := func(name string, f toolFunc) {
		h.Tool(protocol.Tool{Name: name, InputSchema: object}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			text, err := f(ctx, c, string(p.Arguments))
			if err != nil {
				return protocol.ErrorResult(err.Error()), nil
			}
			return protocol.TextResult(text), nil
		})
	}
	add("echo", func(_ context.Context, _ server.Caller, args string) (string, error) { return "echo " + args, nil })
	// gate waits for a token.
	add("gate", func(ctx context.Context, _ server.Caller, args string) (string, error) {
		k.begun <- args
		select {
		case <-k.free:
			return "free " + args, nil
		case <-ctx.Done():
			k.ended <- context.Cause(ctx)
			return "", context.Cause(ctx)
		}
	})
	// steps reports progress, one for a token, three times.
	add("steps", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		k.begun <- "steps"
		for i := range 3 {
			select {
			case <-k.free:
			case <-ctx.Done():
				k.ended <- context.Cause(ctx)
				return "", context.Cause(ctx)
			}
			if err := c.Progress(protocol.ProgressParams{Progress: float64(i + 1)}); err != nil {
				return "", err
			}
		}
		return "stepped", nil
	})
	add("ask", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		k.begun <- "ask"
		body, err := c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
		if ctx.Err() != nil {
			k.ended <- context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		return "model says " + string(body), nil
	})
	// Those that look say what they see, and note tells what it thinks, with a token.
	for name, look := range map[string]func(server.Caller) any{
		"look at the call":  func(c server.Caller) any { return c.Call() },
		"look at the state": func(c server.Caller) any { return c.State().Status().Inbound },
	} {
		add(name, func(_ context.Context, c server.Caller, _ string) (string, error) {
			k.begun <- name
			<-k.free
			return fmt.Sprint(look(c)), nil
		})
	}
	add("note", func(_ context.Context, c server.Caller, _ string) (string, error) {
		k.begun <- "note"
		<-k.free
		return "noted", c.Notify(protocol.LoggingMessageParams{Level: "error", Data: `"x"`})
	})
	// hold begins, and waits for its end.
	add("hold", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return "", err
		}
		<-ctx.Done()
		k.ended <- context.Cause(ctx)
		return "", context.Cause(ctx)
	})
	// poll hangs up, and is done when it gets a token.
	add("poll", func(ctx context.Context, _ server.Caller, _ string) (string, error) {
		if err := nethttp.HangUp(ctx, 10*time.Millisecond); err != nil {
			return "", err
		}
		k.begun <- "poll"
		<-k.free
		return "polled", nil
	})
	add("who", func(ctx context.Context, _ server.Caller, _ string) (string, error) {
		p, _ := nethttp.PrincipalFrom(ctx)
		id, _ := nethttp.SessionFrom(ctx)
		return fmt.Sprint(p.ID, " ", p.Value, " ", id), nil
	})
	add("panic", func(context.Context, server.Caller, string) (string, error) { panic("oh") })
	for _, name := range k.own { // for a Companion to answer
		h.Tool(protocol.Tool{Name: name, InputSchema: object}, nil)
	}
	add("big", func(ctx context.Context, c server.Caller, args string) (string, error) {
		for i := range 100 {
			if err := c.Notify(protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(fmt.Sprint(i, strings.Repeat("x", 10_000)))}); err != nil {
				return "", err
			}
		}
		return "big", nil
	})
	return h
}

// start serves over a loopback socket.
func start(t testing.TB, k *kit, opt nethttp.Options) (*nethttp.Handler, *httptest.Server) {
	t.Helper()
	return startConfig(t, serverConfig, k, opt)
}

var serverConfig = server.Config{Info: info, Logging: true, ListChanged: protocol.CapToolsListChanged, ChangeDelay: -1}

func startConfig(t testing.TB, cfg server.Config, k *kit, opt nethttp.Options) (*nethttp.Handler, *httptest.Server) {
	t.Helper()
	h, err := nethttp.NewHandler(cfg, k.handlers(), opt)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h, s
}
