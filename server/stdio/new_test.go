package stdio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/stdio"
)

// What cannot be served is an error, and nothing is read or written.
func TestNewRefuses(t *testing.T) {
	twice := new(server.Handlers)
	for range 2 {
		twice.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	}
	in := strings.NewReader("{}\n")
	if err := stdio.Serve(context.Background(), server.Config{Info: who}, twice, in, io.Discard, stdio.Options{}); err == nil {
		t.Error("two tools of one name are served")
	}
	if err := stdio.Serve(context.Background(), server.Config{}, new(server.Handlers), in, io.Discard, stdio.Options{}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error("a server without a name gives", err)
	}
	if in.Len() != 3 {
		t.Error("something was read")
	}
}

// closable is a stream without an end that can be closed.
type closable struct{ *io.PipeReader }

// A session that ends although more could be read closes what it reads.
func TestEndOfContext(t *testing.T) {
	in, peer := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	end()
	if err := stdio.Serve(ctx, server.Config{Info: who}, new(server.Handlers), closable{in}, io.Discard, stdio.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := peer.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Error("a write to it gives", err)
	}
}

// A Server serves once: a second Serve is an error, which neither reads nor closes what the first one has.
func TestServesOnce(t *testing.T) {
	in, peer := io.Pipe()
	s, err := stdio.New(server.Config{Info: who}, new(server.Handlers), closable{in}, io.Discard, stdio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(t.Context()) }()
	_ = s.State() // it serves
	if err := s.Serve(t.Context()); !errors.Is(err, host.ErrServed) {
		t.Error("while it serves:", err)
	}
	if _, err := peer.Write([]byte("{}\n")); err != nil {
		t.Error("a write to the first one gives", err)
	}
	s.Shutdown()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := s.Serve(t.Context()); !errors.Is(err, host.ErrServed) {
		t.Error("after its end:", err)
	}
}
