package ws_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	ws "github.com/sansmcp/mcp/docs/examples/websocket"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var background = context.Background()

// site is a Server over loopback.
type site struct {
	*ws.Server
	t   *testing.T
	web *httptest.Server
	url string
}

// tools are what the sites of most tests offer; running counts what has begun, and each
// function that ends by its context says so.
type tools struct {
	begun chan bool
	ended chan error
}

func newTools() *tools { return &tools{make(chan bool, 10_000), make(chan error, 10_000)} }

func (x *tools) handlers() *server.Handlers {
	h := new(server.Handlers)
	add := func(name string, f server.ToolFunc) {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}, f)
	}
	add("ask", func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_ = c.Progress(protocol.ProgressParams{Progress: 1})
		body, err := c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
		if err != nil {
			return nil, err
		}
		r, err := protocol.Decode[protocol.CreateMessageResult](body)
		return protocol.TextResult(protocol.TextOf(r.Content)), err
	})
	add("wait", func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		x.begun <- true
		<-ctx.Done()
		x.ended <- context.Cause(ctx)
		return nil, context.Cause(ctx)
	})
	add("slow", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		x.begun <- true
		time.Sleep(100 * time.Millisecond)
		return protocol.TextResult("at last"), nil
	})
	add("large", func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(strings.Repeat("x", 100_000)), nil
	})
	return h
}

// open serves; at the end of the test nothing may be left.
func open(t *testing.T, cfg server.Config, h *server.Handlers, opt ws.ServerOptions) *site {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	cfg.Info = protocol.Implementation{Name: "s", Version: "1"}
	s, err := ws.NewServer(cfg, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		ctx, end := context.WithTimeout(background, 20*time.Second)
		defer end()
		if err := s.Shutdown(ctx); err != nil {
			t.Error("Shutdown returns", err)
		}
		web.Close()
		http.DefaultClient.CloseIdleConnections()
		for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > goroutines; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				buf := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return &site{s, t, web, "ws" + strings.TrimPrefix(web.URL, "http")}
}

// connect opens a session.
func (s *site) connect(cfg client.Config, opt session.Options, dial ws.DialOptions) *session.Client {
	s.t.Helper()
	transport, err := ws.Dial(background, s.url, dial)
	if err != nil {
		s.t.Fatal(err)
	}
	cfg.Info = protocol.Implementation{Name: "c", Version: "1"}
	c, err := session.Connect(background, cfg, transport, opt)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close(background) })
	return c
}

func call(ctx context.Context, c *session.Client, tool string) (string, error) {
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tool}, session.RequestOptions{})
	if err != nil {
		return "", err
	}
	return protocol.TextOf(r.Content), nil
}

// A session over a connection: a tool asks the model of the client in the middle of its call,
// a call is cancelled, twenty run at once.
func TestSession(t *testing.T) {
	x := newTools()
	s := open(t, server.Config{}, x.handlers(), ws.ServerOptions{})
	c := s.connect(client.Config{Serve: []string{protocol.MethodSamplingCreateMessage}}, session.Options{
		Serve: func(context.Context, *session.Client, client.Event) (protocol.Result, error) {
			return &protocol.CreateMessageResult{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.TextContent("hi")}, Model: "m"}, nil
		},
	}, ws.DialOptions{})
	answers := make(chan string, 20)
	for range cap(answers) {
		go func() {
			got, err := call(background, c, "ask")
			answers <- fmt.Sprint(got, err)
		}()
	}
	for range cap(answers) {
		if got := <-answers; got != "hi<nil>" {
			t.Error("got", got)
		}
	}
	ctx, end := context.WithCancel(background)
	go func() { <-x.begun; end() }()
	if _, err := call(ctx, c, "wait"); !errors.Is(err, context.Canceled) {
		t.Error("the cancelled call gives", err)
	}
	if err := <-x.ended; !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CauseCancelled}) {
		t.Error("its function ends by", err)
	}
	if err := c.Close(background); err != nil {
		t.Error("Close returns", err)
	}
}

// played is a connection to a server for a transcript: what it is given goes out as it is.
type played struct{ *websocket.Conn }

func (p played) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if err := p.Conn.Write(background, websocket.MessageText, bytes.TrimRight(line, "\r\n")); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

func (p played) ReadMessage() (string, error) {
	_, b, err := p.Read(background)
	return string(b), err
}

func (p played) Close() error { return p.CloseNow() }

// The transcripts that are marked wire hold over WebSocket too, at every revision: some 400
// sessions.
func TestTranscripts(t *testing.T) {
	files, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, f := range files {
		if !f.Wire {
			continue
		}
		for _, r := range f.Revisions {
			cfg, err := transcript.Server(f.Options(r))
			if err != nil {
				t.Fatal(err)
			}
			s, err := ws.NewServer(cfg, fixture.Handlers(), ws.ServerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(s)
			conn, _, err := websocket.Dial(background, web.URL, &websocket.DialOptions{Subprotocols: []string{ws.Subprotocol}})
			if err != nil {
				t.Fatal(err)
			}
			conn.SetReadLimit(-1)
			if err := f.Play(played{conn}, r); err != nil {
				t.Error(err)
			}
			web.Close()
			runs++
		}
	}
	if runs < 400 {
		t.Errorf("only %d runs", runs)
	}
	t.Logf("%d runs over WebSocket", runs)
}

func message(text string) client.Outgoing {
	return client.Outgoing{Message: jsonrpc.DecodeString(text)}
}

var revision = protocol.Revisions()[0]
