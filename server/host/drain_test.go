package host_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// sink is a Sink that a test fills and breaks.
type sink struct {
	sent       []string
	full       bool
	room, done chan struct{}
	err        error
	waits      []time.Duration // of Close
}

func newSink() *sink { return &sink{room: make(chan struct{}), done: make(chan struct{})} }

func (k *sink) Send(m jsonrpc.Message)         { k.sent = append(k.sent, string(jsonrpc.Append(nil, m))) }
func (k *sink) Full() bool                     { return k.full }
func (k *sink) Room() <-chan struct{}          { return k.room }
func (k *sink) Done() <-chan struct{}          { return k.done }
func (k *sink) Err() error                     { return k.err }
func (k *sink) Close(wait time.Duration) error { k.waits = append(k.waits, wait); return k.err }

func (k *sink) has(text string) bool {
	return slices.ContainsFunc(k.sent, func(line string) bool { return strings.Contains(line, text) })
}

// serve begins a session over the sink, in a bubble, and returns what brings its messages and what Serve returns.
func (k *sink) serve(ctx context.Context, t *testing.T, cfg server.Config, h *server.Handlers, opt host.Options) (in chan jsonrpc.Message, d *host.Host, served chan error) {
	t.Helper()
	cfg.Info = who
	cfg, err := host.Config(cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	in, d, served = make(chan jsonrpc.Message), host.New(s, h, k, opt), make(chan error, 1)
	go func() { served <- d.Serve(ctx, in) }()
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return in, d, served
}

var callOfT = jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t"}}`)

// Calls have Options.Drain to finish, and what is queued has the rest of it to be written, a tenth of it at least.
func TestDrain(t *testing.T) {
	type key struct{}
	for name, tt := range map[string]struct {
		drain  time.Duration
		takes  time.Duration // the call; 0 is none
		breaks bool          // the connection, at once
		lasts  time.Duration // how long Serve takes to return
		wait   time.Duration
		err    string
	}{
		"nothing is open":       {lasts: 0, wait: 5 * time.Second},
		"by default":            {takes: 2 * time.Second, lasts: 2 * time.Second, wait: 3 * time.Second},
		"negative":              {drain: -1, takes: 2 * time.Second, lasts: 2 * time.Second, wait: 3 * time.Second},
		"at the end":            {drain: 4 * time.Second, takes: 3900 * time.Millisecond, lasts: 3900 * time.Millisecond, wait: 400 * time.Millisecond},
		"longer":                {takes: time.Minute, lasts: 5 * time.Second, wait: 500 * time.Millisecond, err: "host: 1 calls still running 5s after the end of input: host: calls were stopped"},
		"the connection breaks": {breaks: true, takes: time.Minute, wait: 5 * time.Second, err: io.ErrUnexpectedEOF.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := new(server.Handlers)
				h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
					if ctx.Value(key{}) != "v" {
						t.Error("the values of the context of Serve are not those of the function")
					}
					time.Sleep(tt.takes)
					return protocol.TextResult("done"), nil
				})
				k := newSink()
				in, d, served := k.serve(context.WithValue(context.Background(), key{}, "v"), t, server.Config{}, h, host.Options{Drain: tt.drain})
				if tt.takes > 0 {
					in <- callOfT
				}
				began := time.Now()
				if tt.breaks {
					k.err = io.ErrUnexpectedEOF
					close(k.done)
				} else {
					close(in)
				}
				text, err := "", <-served
				if err != nil {
					text = err.Error()
				}
				if text != tt.err || errors.Is(err, host.ErrStopped) != (tt.lasts == 5*time.Second) {
					t.Errorf("Serve returns %v, want %q", err, tt.err)
				}
				if lasted := time.Since(began); lasted != tt.lasts || !slices.Equal(k.waits, []time.Duration{tt.wait}) {
					t.Errorf("Serve returns after %v, and what is queued has %v; want %v and %v", lasted, k.waits, tt.lasts, tt.wait)
				}
				if want := tt.takes > 0 && tt.err == ""; k.has("done") != want {
					t.Errorf("sent: %q", k.sent)
				}
				select {
				case <-d.Done():
				default:
					t.Error("Done is not closed")
				}
				time.Sleep(time.Minute) // until the function has returned
			})
		})
	}
}

// While the Sink is full nothing is taken in, neither messages nor turns; what is due is done, and the end
// begins.
func TestFullSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSink()
		in, d, served := k.serve(context.Background(), t, server.Config{Keepalive: lifecycle.Keepalive{Interval: time.Second}}, new(server.Handlers), host.Options{})
		synctest.Wait()
		k.full = true
		k.room <- struct{}{} // so that it looks
		turned := make(chan error, 1)
		go func() { in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"x","method":"ping"}`) }()
		go func() { turned <- d.StepNow() }()
		pass(1500 * time.Millisecond)
		if !k.has(`"method":"ping"`) || k.has(`"id":"x"`) || len(turned) != 0 {
			t.Errorf("full: %q, %d turns", k.sent, len(turned))
		}
		k.full = false
		k.room <- struct{}{}
		synctest.Wait()
		if !k.has(`"id":"x"`) || len(turned) != 1 {
			t.Errorf("with room again: %q, %d turns", k.sent, len(turned))
		}
		k.full = true
		d.Shutdown()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// wakes is a Companion that wants a step at the next of some times.
type wakes struct {
	at    []time.Duration
	began time.Time
	steps []time.Duration
}

func (c *wakes) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	since := now.Sub(c.began)
	c.steps = append(c.steps, since)
	for _, at := range c.at {
		if at > since {
			return s, out, c.began.Add(at)
		}
	}
	return s, out, time.Time{}
}
func (c *wakes) Commit()                    {}
func (c *wakes) Handlers() *server.Handlers { return nil }

// A Companion is stepped when it wants to be, whether the session is due before or after that, or never; and the
// session when it is due.
func TestDue(t *testing.T) {
	at := func(list ...int) (all []time.Duration) {
		for _, n := range list {
			all = append(all, time.Duration(n)*time.Second)
		}
		return all
	}
	for _, tt := range []struct {
		keepalive time.Duration
		at, steps []time.Duration
	}{
		{0, at(1, 3), at(0, 0, 1, 3)}, // one for each message
		{0, nil, at(0, 0)},
		{4 * time.Second, at(1, 3, 7), at(0, 0, 1, 3, 4, 7, 8)}, // the ping at 4 is over at 8
		{3 * time.Second, at(3), at(0, 0, 3, 6, 9)},
	} {
		synctest.Test(t, func(t *testing.T) {
			k, c := newSink(), &wakes{at: tt.at, began: time.Now()}
			in, _, served := k.serve(context.Background(), t, server.Config{Keepalive: lifecycle.Keepalive{Interval: tt.keepalive}}, new(server.Handlers),
				host.Options{Companion: func(server.Peer) server.Companion { return c }})
			pass(10*time.Second - 1)
			if !slices.Equal(c.steps, tt.steps) || k.has(`"method":"ping"`) != (tt.keepalive > 0) {
				t.Errorf("steps at %v, want %v; %q", c.steps, tt.steps, k.sent)
			}
			close(in)
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}
