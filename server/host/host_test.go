package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// peer is a Host with a client that this test is.
type peer struct {
	t      *testing.T
	host   *host.Host
	in     chan jsonrpc.Message
	served chan error
	said   await.Buffer
}

// meet serves one tool and runs the handshake.
func meet(ctx context.Context, t *testing.T, opt host.Options, f server.ToolFunc) *peer {
	t.Helper()
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, f)
	cfg, err := host.Config(server.Config{Info: who, ListChanged: protocol.CapToolsListChanged, ChangeDelay: -1, Logging: true}, h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, in: make(chan jsonrpc.Message), served: make(chan error, 1)}
	p.host = host.New(s, h, pipe.NewPacketWriter(&p.said, 0, 0), opt)
	go func() { p.served <- p.host.Serve(ctx, p.in) }()
	p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.hears(`"id":"open"`)
	return p
}

func (p *peer) say(line string) {
	select {
	case p.in <- jsonrpc.DecodeString(line):
	case <-p.host.Done():
	}
}

func (p *peer) call(id string) {
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"t"}}`, id))
}

func (p *peer) hears(want string) {
	p.t.Helper()
	eventually(p.t, "nothing has "+want, func() bool {
		return strings.Contains(p.said.String(), want)
	})
}

func (p *peer) end() error {
	p.t.Helper()
	select {
	case err := <-p.served:
		return err
	case <-time.After(10 * time.Second):
		p.t.Fatal("Serve does not return")
		return nil
	}
}

// Shutdown, the end of ctx and the end of input let open calls finish, and end a session
// without calls at once.
func TestEnds(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for name, how := range map[string]func(p *peer, end context.CancelFunc){
		"Shutdown":     func(p *peer, _ context.CancelFunc) { p.host.Shutdown(); p.host.Shutdown() },
		"ctx":          func(_ *peer, end context.CancelFunc) { end() },
		"end of input": func(p *peer, _ context.CancelFunc) { close(p.in) },
		"all of them":  func(p *peer, end context.CancelFunc) { end(); p.host.Shutdown(); close(p.in) },
	} {
		for _, calls := range []int{0, 2} {
			ctx, end := context.WithCancel(context.Background())
			begun, release := make(chan bool, 2), make(chan struct{})
			p := meet(ctx, t, host.Options{Drain: time.Minute}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				begun <- true
				<-release
				return protocol.TextResult(fmt.Sprint("done ", ctx.Err())), nil
			})
			for i := range calls {
				p.call(fmt.Sprint(i))
				<-begun
			}
			how(p, end)
			if calls > 0 {
				select {
				case err := <-p.served:
					t.Errorf("%s: Serve returns %v while calls are open", name, err)
				case <-time.After(10 * time.Millisecond):
				}
			}
			close(release)
			if err := p.end(); err != nil {
				t.Errorf("%s: Serve returns %v", name, err)
			}
			if calls > 0 {
				p.hears("done <nil>")
			}
			if got := p.host.State().Phase(); got != lifecycle.Disconnected {
				t.Errorf("%s: the phase is %v", name, got)
			}
			end()
		}
	}
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// After the end every method says so, and who waits then is told.
func TestAfterTheEnd(t *testing.T) {
	waits := make(chan error, 2)
	p := meet(context.Background(), t, host.Options{Drain: 50 * time.Millisecond}, nil)
	go func() { _, err := p.host.Roots(context.Background()); waits <- err }()
	go func() {
		_, err := p.host.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{})
		waits <- err
	}()
	p.hears("roots/list")
	p.hears(`"method":"ping"`)
	p.host.Shutdown()
	for range 2 {
		if err := <-waits; err == nil {
			t.Error("who waits gets no error")
		}
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	_, roots := p.host.Roots(context.Background())
	_, request := p.host.Request(context.Background(), protocol.PingParams{}, server.RequestOptions{})
	for name, err := range map[string]error{
		"Replace": p.host.Replace(new(server.Handlers)), "Roots": roots, "Request": request,
		"Notify": p.host.Notify(server.Call{}, protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `"x"`}),
	} {
		if !errors.Is(err, lifecycle.ErrGone) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

// Roots are given up with the context of who asks; the answer serves the next.
func TestRootsAreGivenUp(t *testing.T) {
	p := meet(context.Background(), t, host.Options{}, nil)
	ctx, end := context.WithTimeoutCause(context.Background(), time.Millisecond, io.ErrNoProgress)
	defer end()
	if _, err := p.host.Roots(ctx); !errors.Is(err, io.ErrNoProgress) {
		t.Error("got", err)
	}
	p.hears(`"id":1,"method":"roots/list"`)
	p.say(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"}]}}`)
	list, err := p.host.Roots(context.Background())
	if err != nil || len(list) != 1 || strings.Contains(p.said.String(), `"id":2,`) {
		t.Error(list, err)
	}
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// What the handlers cannot have is an error, and nothing has changed.
func TestReplaceRefuses(t *testing.T) {
	p := meet(context.Background(), t, host.Options{}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("as before"), nil
	})
	twice, prompts := new(server.Handlers), new(server.Handlers)
	for range 2 {
		twice.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	}
	prompts.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return nil, nil
	})
	if err := p.host.Replace(twice); err == nil {
		t.Error("two tools of one name are taken")
	}
	if err := p.host.Replace(prompts); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error("prompts, which were not declared, give", err)
	}
	p.call("a")
	p.hears("as before")
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// Config fills in what is empty and nothing else.
func TestConfig(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	a, err := host.Config(server.Config{}, h)
	if err != nil || a.Catalog == nil || fmt.Sprint(a.Serve) != fmt.Sprint(h.Serve()) || a.HashKey == [16]byte{} {
		t.Error(a, err)
	}
	given := server.Config{Catalog: a.Catalog, Serve: []string{"x"}, HashKey: [16]byte{1}}
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	b, err := host.Config(given, h)
	if err != nil || b.Catalog != a.Catalog || fmt.Sprint(b.Serve) != "[x]" || b.HashKey != given.HashKey {
		t.Error(b, err)
	}
	if _, err := host.Config(server.Config{}, h); err == nil {
		t.Error("two tools of one name are taken")
	}
}

// Hosts that share a Work share its bounds.
func TestHostsShareWork(t *testing.T) {
	w, release := host.NewWork(host.WorkOptions{MaxRunning: 1}), make(chan struct{})
	f := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	}
	a, b := meet(context.Background(), t, host.Options{Work: w}, f), meet(context.Background(), t, host.Options{Work: w}, f)
	a.call("a")
	eventually(t, "a does not run", func() bool { return w.Status().Running == 1 })
	b.call("b")
	eventually(t, "b does not wait", func() bool { return w.Status().Waiting == 1 })
	close(release)
	b.hears("done")
	for _, p := range []*peer{a, b} {
		close(p.in)
		if err := p.end(); err != nil {
			t.Error(err)
		}
	}
	if w.Status() != (host.WorkStatus{}) {
		t.Errorf("%+v is left", w.Status())
	}
}

// A Host serves once: Serve again, while it serves, after its end, or after a first one that had nothing to
// do, is an error at once, and takes nothing in.
func TestServesOnce(t *testing.T) {
	p := meet(context.Background(), t, host.Options{}, nil)
	again := func(when string) {
		t.Helper()
		in := make(chan jsonrpc.Message, 1)
		in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if err := p.host.Serve(context.Background(), in); !errors.Is(err, host.ErrServed) || len(in) != 1 {
			t.Errorf("%s: %v, %d messages are left", when, err, len(in))
		}
	}
	again("while it serves")
	p.say(`{"jsonrpc":"2.0","id":"on","method":"ping"}`)
	p.hears(`"id":"on"`)
	p.host.Shutdown()
	if err := p.end(); err != nil {
		t.Error(err)
	}
	again("after its end")
}
