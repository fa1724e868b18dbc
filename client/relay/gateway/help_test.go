//go:build unix

package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/nethttp"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/relay/gateway"
	clientstdio "github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/stdio"
)

// A process of this test is a server if it is started with the arguments "server" and what it is
// to be called: see command.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "server" {
		time.AfterFunc(time.Minute, func() { os.Exit(3) }) // whatever becomes of its test
		if err := serve(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve is a server over standard input and output.
func serve(name string, tools []string) error {
	switch {
	case strings.HasPrefix(name, "stubborn"): // neither the end of input nor SIGTERM ends it
		signal.Ignore(syscall.SIGTERM)
		_ = stdio.Serve(context.Background(), config(name), handlers(name, tools), os.Stdin, os.Stdout, stdio.Options{})
		time.Sleep(time.Hour)
	case strings.HasPrefix(name, "mute"): // says nothing
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	return stdio.Serve(context.Background(), config(name), handlers(name, tools), os.Stdin, os.Stdout, stdio.Options{})
}

func config(name string) server.Config {
	return server.Config{Info: protocol.Implementation{Name: name, Version: "1"}, Logging: true, ListChanged: protocol.CapToolsListChanged}
}

const object = `{"type":"object"}`

// handlers has the tools of a server, and those of the given names, which say what they are.
func handlers(name string, tools []string) *server.Handlers {
	h := new(server.Handlers)
	add := func(tool string, f func(ctx context.Context, c server.Caller, args string) (string, error)) {
		h.Tool(protocol.Tool{Name: tool, InputSchema: object}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			text, err := f(ctx, c, string(p.Arguments))
			if err != nil {
				return protocol.ErrorResult(err.Error()), nil
			}
			return protocol.TextResult(text), nil
		})
	}
	for _, tool := range append([]string{name}, tools...) {
		add(tool, func(_ context.Context, _ server.Caller, args string) (string, error) {
			return fmt.Sprint(name, " ", tool, " ", os.Getpid(), " ", args), nil
		})
	}
	add(name+"-hang", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	add(name+"-later", func(_ context.Context, c server.Caller, _ string) (string, error) {
		err := c.Progress(protocol.ProgressParams{Progress: 1})
		time.Sleep(200 * time.Millisecond)
		return "late but here", err
	})
	add(name+"-ask", func(ctx context.Context, c server.Caller, args string) (string, error) {
		for i := range 3 {
			if err := c.Progress(protocol.ProgressParams{Progress: float64(i + 1), Message: args}); err != nil {
				return "", err
			}
		}
		body, err := c.Request(ctx, protocol.CreateMessageParams{MaxTokens: 1, SystemPrompt: args, Messages: []protocol.SamplingMessage{}}, server.RequestOptions{})
		if err != nil {
			return "", err
		}
		form, err := c.Request(ctx, protocol.ElicitParams{Message: args, RequestedSchema: protocol.ElicitSchema{}}, server.RequestOptions{})
		if err != nil {
			return "", err
		}
		return string(body) + string(form), nil
	})
	add(name+"-flood", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		text := strings.Repeat("x", 2000)
		for range 20_000 {
			if err := c.Notify(protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(text)}); err != nil {
				return "", err
			}
		}
		return "flooded", nil
	})
	return h
}

// command is a server that is a process.
func command(t testing.TB, name string, tools ...string) relay.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{exe, "server", name}, tools...)
	return relay.Server{Name: name, Definition: strings.Join(args, " "), Options: manager.Options{
		Endpoint: dial.Command{Args: args}, Resubscribe: true,
	}}
}

// remote is a server over HTTP.
func remote(t testing.TB, name string, tools ...string) relay.Server {
	t.Helper()
	h, err := serverhttp.NewHandler(config(name), handlers(name, tools), serverhttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return relay.Server{Name: name, Definition: s.URL, Options: manager.Options{Endpoint: dial.URL{URL: s.URL}}}
}

// fast are options under which servers come back soon and end soon.
func fast(servers ...relay.Server) gateway.Options {
	return gateway.Options{
		Relay: relay.Config{
			Info:    protocol.Implementation{Name: "gateway", Version: "1"},
			Naming:  naming.Policy{Names: naming.Plain},
			Manager: manager.Config{Backoff: backoff.Policy{Base: 300 * time.Millisecond}},
		},
		Servers: servers,
		Dial:    dial.Dialer{Stdio: clientstdio.Options{Term: 200 * time.Millisecond, Kill: 200 * time.Millisecond}}.Dial,
	}
}

// begin makes a gateway that serves over HTTP.
func begin(t testing.TB, opt gateway.Options, http serverhttp.Options) (g *gateway.Gateway, url string) {
	t.Helper()
	g, err := gateway.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler(http)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Close(ctx)
		s.Close()
		quiet(t)
	})
	return g, s.URL
}

// peer is a client of a gateway.
type peer struct {
	*host.Client
	t    testing.TB
	name string

	mu   sync.Mutex
	told map[string]int // notifications by method
	asks []string       // what it was asked
}

// connect opens a session.
func connect(t testing.TB, name string, tr links.Transport) *peer {
	t.Helper()
	p := &peer{t: t, name: name, told: map[string]int{}}
	cfg := client.Config{
		Info: protocol.Implementation{Name: name, Version: "1"}, Serve: []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate},
		Declare: protocol.CapElicitationForm,
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := host.Connect(ctx, cfg, tr, host.Options{Serve: p.serve, Event: p.event})
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
func over(t testing.TB, name, url string) *peer {
	t.Helper()
	tr, err := nethttp.New(url, nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, name, tr)
}

func (p *peer) serve(_ context.Context, _ *host.Client, ev client.Event) (protocol.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asks = append(p.asks, ev.Method+" "+string(ev.Body))
	if ev.Method == protocol.MethodElicitationCreate {
		return protocol.ElicitResult{Action: protocol.ActionDecline}, nil
	}
	return protocol.CreateMessageResult{Role: "assistant", Model: p.name, Content: []protocol.Content{protocol.TextContent("I am " + p.name)}}, nil
}

func (p *peer) event(_ *host.Client, ev client.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ev.Kind == lifecycle.NotificationReceived {
		p.told[ev.Method]++
	}
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
	r, err := host.Do[protocol.ListToolsResult](ctx, p.Client, protocol.ListToolsParams{})
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
	r, err := p.CallTool(ctx, protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(args)}, host.RequestOptions{})
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
		_, err := p.CallTool(context.Background(), protocol.CallToolParams{Name: tool}, host.RequestOptions{
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
func stream(t testing.TB, g *gateway.Gateway, name string) (p *peer, done <-chan error) {
	t.Helper()
	up, in := io.Pipe()
	out, down := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(context.Background(), up, down, stdio.Options{Drain: 200 * time.Millisecond}) }()
	quit := make(chan struct{})
	tr := &pipes{pipe.Read(out, quit), pipe.NewWriter(in, 0, 0), sync.OnceFunc(func() { close(quit); _ = in.Close(); _ = out.Close() })}
	return connect(t, name, tr), ended
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
var ours = regexp.MustCompile(`sansmcp/mcp/(client/relay/gateway\.|client/host\.\(\*link|client/stdio\.)`)

// quiet waits until no goroutine of a gateway is left.
func quiet(t testing.TB) { await.Quiet(t, ours) }

// logText is a log as a text.
type logText struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logText) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
