//go:build unix

package gateway_test

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/stdio"
)

// peer is a client of a gateway.
type peer struct {
	*session.Client
	t    testing.TB
	name string

	mu     sync.Mutex
	told   map[string]int // notifications by method
	asks   []string       // what it was asked
	before func()         // is called before it answers
}

// connect opens a session.
func connect(t testing.TB, name string, tr links.Transport, speaks ...protocol.Revision) *peer {
	t.Helper()
	p := &peer{t: t, name: name, told: map[string]int{}}
	cfg := client.Config{
		Info: protocol.Implementation{Name: name, Version: "1"}, Serve: []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate},
		Declare: protocol.CapElicitationForm, Revisions: speaks,
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := session.Connect(ctx, cfg, tr, session.Options{Serve: p.serve, Event: p.event})
	if err != nil {
		t.Fatal(err)
	}
	p.Client = c
	t.Cleanup(func() { p.close() })
	return p
}

func (p *peer) close() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = p.Close(ctx)
}

// over opens a session over HTTP.
func over(t testing.TB, name, url string, speaks ...protocol.Revision) *peer {
	t.Helper()
	tr, err := remote.New(url, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, name, tr, speaks...)
}

func (p *peer) serve(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before != nil {
		p.before()
		p.before = nil
	}
	p.asks = append(p.asks, ev.Method+" "+string(ev.Body))
	if ev.Method == protocol.MethodElicitationCreate {
		return protocol.ElicitResult{Action: protocol.ActionDecline}, nil
	}
	return protocol.CreateMessageResult{Role: "assistant", Model: p.name, Content: []protocol.Content{protocol.TextContent("I am " + p.name)}}, nil
}

func (p *peer) event(_ *session.Client, ev client.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ev.Kind == lifecycle.NotificationReceived {
		p.told[ev.Method]++
	}
}

// count returns how often it was told of something.
func (p *peer) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told[method]
}

// changes returns how often it was told that tools have changed.
func (p *peer) changes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told["notifications/tools/list_changed"]
}

// settle returns when what was said before has been heard, over a stream.
func (p *peer) settle() {
	p.t.Helper()
	p.tools()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.Sync(ctx); err != nil {
		p.t.Fatal(err)
	}
}

// tools returns the names of the tools there are.
func (p *peer) tools() (names []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := session.Do[protocol.ListToolsResult](ctx, p.Client, protocol.ListToolsParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// await waits until it has the tools.
func (p *peer) await(names ...string) {
	p.t.Helper()
	for _, name := range names {
		eventually(p.t, "no tool "+name, func() bool { return slices.Contains(p.tools(), name) })
	}
}

// try calls a tool.
func (p *peer) try(tool, args string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := p.CallTool(ctx, protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(args)}, session.RequestOptions{})
	return protocol.TextOf(r.Content), err
}

func (p *peer) call(tool, args string) string {
	p.t.Helper()
	text, err := p.try(tool, args)
	if err != nil {
		p.t.Fatalf("%s: %v", tool, err)
	}
	return text
}

// pid returns the process that a server of the client is.
func (p *peer) pid(tool string) int {
	p.t.Helper()
	text := p.call(tool, `{}`)
	n, err := strconv.Atoi(strings.Fields(text)[2])
	if err != nil {
		p.t.Fatal(text)
	}
	return n
}

// hang begins a call that does not end, and returns when its server has it.
func (p *peer) hang(tool string) <-chan error {
	p.t.Helper()
	begun, done := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		_, err := p.CallTool(context.Background(), protocol.CallToolParams{Name: tool}, session.RequestOptions{
			RequestOptions: client.RequestOptions{Timeout: lifecycle.NoTimeout},
			OnProgress:     func(protocol.ProgressParams) { once.Do(func() { close(begun) }) },
		})
		done <- err
	}()
	receive(p.t, begun)
	return done
}

// pipes is a links.Transport over two streams.
type pipes struct {
	in  <-chan jsonrpc.Message
	out *pipe.Writer
	end func()
}

func (t *pipes) Send(_ context.Context, o client.Outgoing, _ protocol.Revision) error {
	t.out.Send(o.Message)
	return nil
}

func (t *pipes) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case m, ok := <-t.in:
		if !ok {
			return links.Arrival{}, io.EOF
		}
		return links.Arrival{Message: m}, nil
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

func (t *pipes) Close(context.Context) error {
	err := t.out.Close(patience)
	t.end()
	return err
}

// stream serves a client over streams, and opens its session. done receives what Serve returned.
func stream(t testing.TB, g *gateway.Gateway, name string, speaks ...protocol.Revision) (p *peer, done <-chan error) {
	t.Helper()
	up, in := io.Pipe()
	out, down := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(context.Background(), up, down, stdio.Options{Drain: 200 * time.Millisecond}) }()
	quit := make(chan struct{})
	tr := &pipes{pipe.Read(out, quit, pipe.ReadOptions{}), pipe.NewWriter(in, 0, 0), sync.OnceFunc(func() { close(quit); _ = in.Close(); _ = out.Close() })}
	return connect(t, name, tr, speaks...), ended
}

const patience = 15 * time.Second

var eventually = await.Eventually

func receive[T any](t testing.TB, c <-chan T) T { return await.Receive(t, c) }

// alive reports whether a process runs.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func kill(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// ours are the goroutines of a gateway.
var ours = regexp.MustCompile(`sansmcp/mcp/(client/gateway\.|client/session\.\(\*link|client/child\.)`)

// quiet waits until no goroutine of a gateway is left.
func quiet(t testing.TB) { await.Quiet(t, ours) }
