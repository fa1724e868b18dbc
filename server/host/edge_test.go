package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// A request that Config.Serve asks for and the handlers do not have is refused at once.
func TestNobodyAnswers(t *testing.T) {
	h := new(server.Handlers)
	s, err := server.New(server.Config{Info: who, Serve: []string{"tools/call", "x/own"}, Unlisted: true}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, in: make(chan jsonrpc.Message), served: make(chan error, 1)}
	p.host = host.New(s, h, pipe.NewPacketWriter(&p.said, 0, 0), host.Options{})
	go func() { p.served <- p.host.Serve(context.Background(), p.in) }()
	p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.say(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"none"}}`)
	p.hears(`"id":"a","error":{"code":-32602`)
	p.say(`{"jsonrpc":"2.0","id":"b","method":"x/own"}`)
	p.hears(`"id":"b","error":{"code":-32603`)
	if _, err := p.host.Roots(context.Background()); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error("roots of a client without give", err)
	}
	close(p.in)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// What is due is done while nothing comes in, and a client that is silent is left.
func TestDeadlines(t *testing.T) {
	s, err := server.New(server.Config{
		Info: who, Keepalive: lifecycle.Keepalive{Interval: 30 * time.Millisecond, Misses: 2},
		Timeouts: lifecycle.Timeouts{Ping: 20 * time.Millisecond},
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, in: make(chan jsonrpc.Message), served: make(chan error, 1)}
	p.host = host.New(s, new(server.Handlers), pipe.NewPacketWriter(&p.said, 0, 0), host.Options{})
	go func() { p.served <- p.host.Serve(context.Background(), p.in) }()
	p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.hears(`"method":"ping"`)
	if err := p.end(); !errors.Is(err, &lifecycle.Cause{Kind: lifecycle.CausePeerSilent}) {
		t.Error("Serve returns", err)
	}
}

// A connection that breaks ends what is open, and Serve returns why; functions that do not
// heed their context do not hold it up.
func TestBrokenConnection(t *testing.T) {
	h := new(server.Handlers)
	begun, release := make(chan bool, 1), make(chan struct{})
	defer close(release)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		begun <- true
		<-release
		return protocol.TextResult("late"), nil
	})
	cfg, err := host.Config(server.Config{Info: who}, h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, out := io.Pipe()
	w := pipe.NewWriter(out, 0, 0)
	in, served := make(chan jsonrpc.Message), make(chan error, 1)
	d := host.New(s, h, w, host.Options{})
	go func() { served <- d.Serve(context.Background(), in) }()
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"t"}}`)
	<-begun
	_ = out.CloseWithError(io.ErrUnexpectedEOF)
	select {
	case err := <-served:
		if err == nil {
			t.Error("Serve returns no error")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Serve does not return")
	}
	if got := d.State().Phase(); got != lifecycle.Disconnected {
		t.Error("the phase is", got)
	}
}

// A panic is reported and answered where somebody asks for it.
func TestRecover(t *testing.T) {
	reported := make(chan string, 1)
	w := host.NewWork(host.WorkOptions{Recover: func(v any, stack []byte) { reported <- fmt.Sprint(v, strings.Contains(string(stack), "edge_test.go")) }})
	s := newShelf(t, w, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		panic("oops")
	})
	s.call("a", "{}")
	s.said(`"id":"a","error":{"code":-32603`)
	if got := <-reported; got != "oopstrue" {
		t.Error("reported is", got)
	}
	eventually(t, "it still counts", func() bool { return s.calls.Idle() && w.Status() == host.WorkStatus{} })
}

// idler is a Turner that wants to know when it may drop its Calls, and has a State at hand.
type idler struct {
	*shelf
	idle chan bool
}

func (x idler) Idle() { x.idle <- x.calls.Idle() }

func (x idler) State() server.State { return x.state() }

// The optional methods of a Turner are used.
func TestOptionalMethods(t *testing.T) {
	w := host.NewWork(host.WorkOptions{})
	phase := make(chan lifecycle.Phase, 1)
	s := newShelf(t, w, func(_ context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		phase <- c.State().Phase()
		return protocol.TextResult("done"), nil
	})
	x := idler{s, make(chan bool, 1)}
	s.calls = newCalls(w, x, "")
	if s.calls.Awaits(1) {
		t.Error("somebody waits for nothing")
	}
	s.call("a", "{}")
	if got := <-phase; got != lifecycle.Ready {
		t.Error("the phase is", got)
	}
	if !<-x.idle {
		t.Error("it is told while something runs")
	}
}

// A function is not begun once its Calls are closed, nor with Handlers that are nil.
func TestClosedBeginsNothing(t *testing.T) {
	calls := newCalls(host.NewWork(host.WorkOptions{}), nil, "")
	calls.Close(errors.New("over"))
	if e := calls.StartEarly(t.Context(), server.Job{}, jsonrpc.Message{}, nil); e != nil {
		t.Error("it is begun")
	}
	if _, err := host.Config(server.Config{}, nil); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}

// nowhere is an Entry whose State refuses the request.
type nowhere struct{}

func (nowhere) Enter()       {}
func (nowhere) Answer() bool { return true }

// A function that runs before the State has refused its request is told so by its Caller.
func TestRefusedEntry(t *testing.T) {
	h := new(server.Handlers)
	said := make(chan error, 2)
	h.Tool(protocol.Tool{Name: "a", InputSchema: protocol.Raw(`{"type":"object"}`)}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		said <- c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `1`})
		_, err := c.Request(ctx, protocol.PingParams{}, server.RequestOptions{})
		said <- err
		return nil, err
	})
	job, ok := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: `{"name":"a"}`})
	if !ok {
		t.Fatal("there is no function")
	}
	calls := newCalls(host.NewWork(host.WorkOptions{}), nil, "")
	e := calls.StartEarly(t.Context(), job, jsonrpc.Message{}, nowhere{})
	if e == nil {
		t.Fatal("it has no place")
	}
	e.Run()
	for range 2 {
		if err := <-said; !errors.Is(err, lifecycle.ErrGone) {
			t.Error(err)
		}
	}
}

// An update of a resource is dropped where nobody can have subscribed: a function of a request without a session, on a
// server of both kinds, does not fail by it. Other notifications say that there is no session.
func TestUpdateWithoutSession(t *testing.T) {
	cfg, err := host.Config(server.Config{Info: who, Logging: true, Subscribe: true, Serve: []string{"resources/read"}, Revisions: protocol.AllRevisions()}, new(server.Handlers))
	if err != nil {
		t.Fatal(err)
	}
	x := &shelf{t: t, cfg: cfg, ctx: context.Background()}
	if x.s, err = server.New(cfg, time.Now()); err != nil {
		t.Fatal(err)
	}
	x.calls = newCalls(host.NewWork(host.WorkOptions{}), x, "")
	if err := x.calls.Notify(server.Call{}, protocol.ResourceUpdatedParams{URI: "note:1"}); err != nil {
		t.Error(err)
	}
	if err := x.calls.Notify(server.Call{}, protocol.LoggingMessageParams{Level: protocol.LevelInfo, Data: `"x"`}); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
}
