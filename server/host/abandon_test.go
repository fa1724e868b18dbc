package host_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// breaks is a Companion that does something bad in a step, once it shall.
type breaks struct {
	bad  func()
	fail atomic.Bool
}

func (b *breaks) Step(s server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
	if b.fail.Load() {
		b.bad()
	}
	return s, out, time.Time{}
}
func (b *breaks) Commit()                    {}
func (b *breaks) Handlers() *server.Handlers { return nil }

// A Companion that panics, or ends the goroutine of Serve, leaves nobody behind: functions are told, and
// turns end, whoever recovers.
func TestServeIsAbandoned(t *testing.T) {
	for name, bad := range map[string]func(){"panic": func() { panic("oh") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			h := new(server.Handlers)
			h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
				<-ctx.Done()
				close(ended)
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
			b := &breaks{bad: bad}
			p := &peer{t: t, in: make(chan jsonrpc.Message), served: make(chan error, 1)}
			p.host = host.New(s, h, pipe.NewPacketWriter(&p.said, 0, 0), host.Options{Companion: func(server.Peer) server.Companion { return b }})
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				defer func() { _ = recover() }()
				_ = p.host.Serve(t.Context(), p.in)
			}()
			p.say(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			p.call("a")
			p.say(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
			p.hears(`"id":"ping"`)
			b.fail.Store(true)
			_ = p.host.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) { // its step fails
				return s, server.Output{}, nil
			})
			<-gone
			<-p.host.Done()
			<-ended
			err = p.host.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) {
				t.Error("a turn is made")
				return s, server.Output{}, nil
			})
			if !errors.Is(err, lifecycle.ErrGone) {
				t.Error(err)
			}
		})
	}
}

// Where panics are reported, Serve says that the session ended by one, and the program goes on.
func TestCompanionIsRecovered(t *testing.T) {
	h := new(server.Handlers)
	cfg, err := host.Config(server.Config{Info: who}, h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var reported any
	b := &breaks{bad: func() { panic("oh") }}
	w := host.NewWork(host.WorkOptions{Recover: func(v any, _ []byte) { reported = v }})
	d := host.New(s, h, pipe.NewWriter(io.Discard, 0, 0), host.Options{Work: w, Companion: func(server.Peer) server.Companion { return b }})
	b.fail.Store(true)
	in := make(chan jsonrpc.Message, 1)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	err = d.Serve(t.Context(), in)
	if err == nil || !strings.Contains(err.Error(), "panicked") || strings.Contains(err.Error(), "oh") || reported != "oh" {
		t.Errorf("%v, %v", err, reported)
	}
	<-d.Done()
}
