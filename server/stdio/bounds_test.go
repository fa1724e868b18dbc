package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/stdio"
)

var who = protocol.Implementation{Name: "s", Version: "1"}

// session is a Server with a peer that this test is.
type session struct {
	t      *testing.T
	host   *stdio.Server
	peer   *io.PipeWriter
	out    *io.PipeReader
	scan   *bufio.Scanner
	served chan error
	ids    int
}

// open serves one tool and runs the handshake.
func open(t *testing.T, opt stdio.Options, f server.ToolFunc) *session {
	t.Helper()
	in, peer := io.Pipe()
	lines, out := io.Pipe()
	x := &session{t: t, peer: peer, out: lines, scan: bufio.NewScanner(lines), served: make(chan error, 1)}
	x.scan.Buffer(nil, 16<<20)
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, f)
	var err error
	if x.host, err = stdio.New(server.Config{Info: who, Logging: true}, &h, in, out, opt); err != nil {
		t.Fatal(err)
	}
	go func() { x.served <- x.host.Serve(context.Background()) }()
	x.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	x.next(`"id":"open"`)
	x.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return x
}

func (x *session) say(format string, args ...any) { fmt.Fprintf(x.peer, format+"\n", args...) }

// call calls the tool and returns the id.
func (x *session) call(args string) int {
	x.ids++
	x.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":%s}}`, x.ids, args)
	return x.ids
}

func (x *session) cancel(id int) {
	x.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`, id)
}

// next returns the next line, which has to have all this in it.
func (x *session) next(want ...string) string {
	x.t.Helper()
	if !x.scan.Scan() {
		x.t.Fatalf("the end of output, want %s", want)
	}
	for _, w := range want {
		if !strings.Contains(x.scan.Text(), w) {
			x.t.Fatalf("got %.200s, want %s", x.scan.Text(), w)
		}
	}
	return x.scan.Text()
}

// end waits for the end of Serve.
func (x *session) end() error {
	x.t.Helper()
	select {
	case err := <-x.served:
		return err
	case <-time.After(10 * time.Second):
		x.t.Fatal("Serve does not return")
		return nil
	}
}

var eventually = await.Eventually

// So many functions run at a time, those whose call was cancelled included, the others wait
// for their turn; what has no place is refused; what is cancelled while it waits never runs.
func TestRunningWorkIsBounded(t *testing.T) {
	var running, most, ran atomic.Int32
	release := make(chan struct{})
	x := open(t, stdio.Options{Work: host.WorkOptions{MaxRunning: 2, MaxWaiting: 3}}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		ran.Add(1)
		n := running.Add(1)
		for {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		<-release // whatever its context says
		running.Add(-1)
		return protocol.TextResult("done"), nil
	})
	for range 5 {
		x.call("{}")
	}
	x.next(fmt.Sprintf(`"id":%d,"error":{"code":-32603,"message":"too busy"`, x.call("{}")))
	x.cancel(1) // runs on
	x.cancel(3) // never runs
	waits := x.call("{}")
	x.next(fmt.Sprintf(`"id":%d,"error":{"code":-32603`, x.call("{}")))
	eventually(t, "two do not run", func() bool { return running.Load() == 2 })
	close(release)
	left := map[string]bool{`"id":2,`: true, `"id":4,`: true, `"id":5,`: true, fmt.Sprintf(`"id":%d,`, waits): true}
	for range 4 {
		line := x.next(`"text":"done"`)
		for id := range left {
			if strings.Contains(line, id) {
				delete(left, id)
			}
		}
	}
	if len(left) != 0 || most.Load() != 2 || ran.Load() != 5 {
		t.Errorf("not answered: %v; %d ran at a time, %d in all", left, most.Load(), ran.Load())
	}
	x.peer.Close()
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// The params of calls are bounded together, of those that run, cancelled or not, and of
// those that wait; one alone may be larger. What has ended counts no more.
func TestCallBytes(t *testing.T) {
	release := make(chan struct{}, 100)
	x := open(t, stdio.Options{Work: host.WorkOptions{MaxRunning: 1, CallBytes: 10_000}}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	})
	args := func(n int) string { return `{"a":"` + strings.Repeat("x", n) + `"}` }
	refused := func() {
		t.Helper()
		x.next(fmt.Sprintf(`"id":%d,"error":{"code":-32603,"message":"too busy"`, x.ids))
	}
	first := x.call(args(20_000))
	x.call("{}")
	refused()
	x.cancel(first)
	x.call("{}")
	refused()
	release <- struct{}{}
	runs := 0
	eventually(t, "no place again", func() bool {
		release <- struct{}{}
		runs = x.call(args(100))
		return strings.Contains(x.next(fmt.Sprintf(`"id":%d,`, runs)), "done")
	})
	for len(release) > 0 {
		<-release
	}
	runs = x.call(args(1000)) // runs
	for range 10 {            // waits, and is cancelled
		x.cancel(x.call(args(8000)))
	}
	waits := x.call(args(8000))
	x.call(args(8000))
	refused()
	release <- struct{}{}
	x.next(fmt.Sprintf(`"id":%d,"result"`, runs))
	runs = x.call(args(1000)) // what has returned counts no more
	release <- struct{}{}
	x.next(fmt.Sprintf(`"id":%d,"result"`, waits))
	release <- struct{}{}
	x.next(fmt.Sprintf(`"id":%d,"result"`, runs))
	x.peer.Close()
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// The context of a function ends with its call, however that ends, and says why.
func TestContextEndsWithTheCall(t *testing.T) {
	causes := make(chan error, 1)
	fs := map[string]server.ToolFunc{
		"waits": func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		},
		"asks": func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			_, err := c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
			<-ctx.Done()
			if err == nil {
				err = errors.New("an answer")
			}
			causes <- context.Cause(ctx)
			return nil, err
		},
	}
	for name, f := range fs {
		for how, kind := range map[string]lifecycle.CauseKind{
			"cancelled": lifecycle.CauseCancelled, "the end of input": lifecycle.CauseShutdown, "nobody reads": lifecycle.CauseLost,
		} {
			begun := make(chan server.Caller, 1)
			x := open(t, stdio.Options{Drain: 20 * time.Millisecond}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				begun <- c
				return f(ctx, c, p)
			})
			id := x.call("{}")
			c := <-begun
			if name == "asks" {
				x.next("sampling/createMessage")
			}
			go func() {
				for x.scan.Scan() { // what else it says
				}
			}()
			switch how {
			case "cancelled":
				x.cancel(id)
			case "the end of input":
				x.peer.Close()
			default:
				x.out.Close()
				x.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			}
			select {
			case cause := <-causes:
				if !errors.Is(cause, &lifecycle.Cause{Kind: kind}) {
					t.Errorf("%s, %s: the cause is %v", name, how, cause)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%s, %s: it goes on", name, how)
			}
			if err := c.Progress(protocol.ProgressParams{Progress: 1}); !errors.Is(err, lifecycle.ErrGone) {
				t.Errorf("%s, %s: progress afterwards gives %v", name, how, err)
			}
			x.peer.Close()
			_ = x.end()
			if got := c.State().Phase(); got != lifecycle.Disconnected {
				t.Errorf("%s, %s: at the end the phase is %v", name, how, got)
			}
		}
	}
}

// A request that a function gives up is cancelled at the client, and forgotten.
func TestRequestObeysItsContext(t *testing.T) {
	x := open(t, stdio.Options{}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err := c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
		return protocol.TextResult(fmt.Sprint(err, " ", c.State().Status().Outbound)), nil
	})
	x.call("{}")
	x.next(`"id":1,"method":"sampling/createMessage"`)
	x.next(`"notifications/cancelled","params":{"requestId":1`)
	x.next(context.DeadlineExceeded.Error() + " 0")
	x.peer.Close()
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// Functions that do not listen hold up the end for Drain and no longer.
func TestDrainIsBounded(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	x := open(t, stdio.Options{Drain: 50 * time.Millisecond}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return nil, nil
	})
	x.call("{}")
	x.call("{}")
	began := time.Now() // before Serve can see the end
	x.peer.Close()
	if err := x.end(); !errors.Is(err, host.ErrStopped) || !strings.Contains(err.Error(), "2 calls") {
		t.Error("Serve returns", err)
	}
	if d := time.Since(began); d < 50*time.Millisecond {
		t.Errorf("after %v", d)
	}
}
