package child_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serving "github.com/sansmcp/mcp/server/stdio"
)

var clientConfig = client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}

// greets serves one tool over a connection until that ends.
func greets(conn net.Conn) <-chan error {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	served := make(chan error, 1)
	go func() {
		defer conn.Close()
		served <- serving.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, h, conn, conn, serving.Options{})
	}()
	return served
}

// over calls the tool over a connection and closes it.
func over(t *testing.T, conn net.Conn, served <-chan error) {
	t.Helper()
	c, err := child.Over(conn, conn, child.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := session.Connect(t.Context(), clientConfig, c, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := x.CallTool(t.Context(), protocol.CallToolParams{Name: "greet"}, session.RequestOptions{})
	if err != nil || protocol.TextOf(r.Content) != "Hello!" {
		t.Error(r, err)
	}
	if err := x.Close(t.Context()); err != nil {
		t.Error("Close gives", err)
	}
	if err := <-served; err != nil {
		t.Error("Serve gives", err)
	}
}

// A connection of bytes carries a session, and nothing of either side is left after Close: no time
// passes, and the bubble has no goroutine when the test ends.
func TestOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		here, there := net.Pipe()
		over(t, here, greets(there))
		if d := time.Since(began); d != 0 {
			t.Error("it took", d)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	here, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	over(t, here, greets(there))
}

// Close ends in time, however the other end behaves: it closes nothing, reads nothing, hangs up
// first, or goes on writing. Nothing is left, and the error says what was not written.
func TestCloseOfAConn(t *testing.T) {
	term := 2 * time.Second
	for _, tt := range []struct {
		name      string
		peer      func(in io.Reader, out io.WriteCloser)
		within    time.Duration // of the ctx of Close
		took      time.Duration
		want, end error
	}{
		{"closes nothing", func(in io.Reader, _ io.WriteCloser) { _, _ = io.Copy(io.Discard, in) }, time.Hour, term, nil, nil},
		{"closes nothing, and the caller has no patience", func(in io.Reader, _ io.WriteCloser) { _, _ = io.Copy(io.Discard, in) }, time.Second, time.Second, nil, nil},
		{"reads nothing", func(io.Reader, io.WriteCloser) {}, time.Hour, term, pipe.ErrClosed, nil},
		{"reads nothing, and the caller has no patience", func(io.Reader, io.WriteCloser) {}, time.Second, time.Second, pipe.ErrClosed, nil},
		{"ends with its input", func(in io.Reader, out io.WriteCloser) { _, _ = io.Copy(io.Discard, in); _ = out.Close() }, time.Hour, 0, nil, nil},
		{"goes on writing", func(in io.Reader, out io.WriteCloser) {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			for {
				time.Sleep(time.Millisecond)
				if _, err := io.WriteString(out, "[]\n"); err != nil {
					return
				}
			}
		}, time.Hour, term, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, said := io.Pipe()
				heard, write := io.Pipe()
				var peer sync.WaitGroup
				peer.Go(func() { tt.peer(heard, said) })
				c, err := child.Over(read, write, child.Options{Term: term})
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Send(t.Context(), ping, protocol.Revision{}); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				ctx, end := context.WithTimeout(context.Background(), tt.within)
				defer end()
				began := time.Now()
				if err := c.Close(ctx); !errors.Is(err, tt.want) {
					t.Error("Close gives", err)
				}
				if d := time.Since(began); d != tt.took {
					t.Errorf("it took %v, want %v", d, tt.took)
				}
				if err := c.Send(t.Context(), ping, protocol.Revision{}); lifecycle.DeliveryOf(err) != lifecycle.NotSent {
					t.Error("Send after Close gives", err)
				}
				peer.Wait() // its streams are closed
			})
		})
	}
}

// The end of a Conn says what it was told, as that of a Child does.
func TestEndOfAConn(t *testing.T) {
	most := strings.Repeat("x", 200)
	for text, want := range map[string]string{
		most:           `child: server closed its output before the handshake; it wrote a line that is not a message: "` + most + `"`,
		most + "y":     `child: server closed its output before the handshake; it wrote a line that is not a message: "` + most + `…"`,
		"":             "child: server closed its output before the handshake",
		"\nhello\nbye": `child: server closed its output before the handshake; it wrote a line that is not a message: "hello"`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n{\n": `child: server closed its output; it wrote a line that is not a message: "{"`,
	} {
		c, err := child.Over(strings.NewReader(text), io.Discard, child.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = c.Receive(t.Context())
		}
		if !errors.Is(err, io.EOF) || err.Error() != want {
			t.Errorf("after %q: %v, want %s", text, err, want)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got, want := (&child.EndError{Err: io.ErrClosedPipe}).Error(), "it cannot be written to: "+io.ErrClosedPipe.Error(); !strings.Contains(got, want) {
		t.Errorf("%q, want %q in it", got, want)
	}
	if _, err := child.Over(strings.NewReader(""), io.Discard, child.Options{Term: -1}); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
}
