package transports_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverstdio "github.com/sansmcp/mcp/server/stdio"
)

// childMode is the variable of the environment that makes this program the server of a
// test: "plain", "talks" on standard error, "stays" after the end of its input, or is
// "stubborn", and does not heed SIGTERM either.
const childMode = "SANSMCP_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}

// noise is what the child that talks writes at a time.
const noise = "error: this is no error — ünïcode\npanic: nor is this\n"

// serve is the server of a child.
func serve(mode string) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "say", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if mode == "talks" {
			fmt.Fprint(os.Stderr, strings.Repeat(noise, 4000))
		}
		return protocol.TextResult("said"), nil
	})
	err := serverstdio.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: "child", Version: "1"}}, h, os.Stdin, os.Stdout, serverstdio.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if mode == "stays" || mode == "stubborn" {
		fmt.Fprintln(os.Stderr, "input ended")
		<-told
		fmt.Fprintln(os.Stderr, "told")
	}
	if mode == "stubborn" {
		time.Sleep(time.Minute) // it is killed before
	}
}

// buffer is where a child writes what is no message.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start starts a child and has a handshake with it. Its standard error goes to the buffer,
// nowhere if that is nil.
func start(t *testing.T, mode string, log *buffer, opt stdio.Options) (*stdio.Child, *host.Client) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childMode+"="+mode, "GORACE=atexit_sleep_ms=0") // or it takes a second to end
	if log != nil {
		cmd.Stderr = log
	}
	child, err := stdio.Start(cmd, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(child.StopNow)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := host.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}}, child, host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return child, c
}

// say calls the tool of the child.
func say(t *testing.T, c *host.Client) {
	t.Helper()
	r, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "say"}, host.RequestOptions{})
	if err != nil || len(r.Content) != 1 || r.Content[0].Text != "said" {
		t.Errorf("%+v, %v", r, err)
	}
}

// A client starts a server as a process of its own, and has a session with it over the
// standard input and output of that.
//
// revisions: all
// rows: TRANS-002 STDIO-001
func TestChild(t *testing.T) {
	child, c := start(t, "plain", nil, stdio.Options{})
	say(t, c)
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-child.Gone()
	if err := child.Exit(); err != nil {
		t.Errorf("the child did not end by itself: %v", err)
	}
}

// Standard error is for text of any kind, which arrives as it is where the client wants it,
// or nowhere. However much it is and whatever it says, the session goes on.
//
// revisions: all
// rows: STDIO-006 STDIO-007 STDIO-101 STDIO-102
func TestStandardError(t *testing.T) {
	for _, log := range []*buffer{new(buffer), nil} {
		child, c := start(t, "talks", log, stdio.Options{})
		say(t, c)
		say(t, c)
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		<-child.Gone()
		if err := child.Exit(); err != nil {
			t.Error(err)
		}
		if log != nil && log.String() != strings.Repeat(noise, 8000) {
			t.Errorf("%d bytes came, beginning with %.200q", len(log.String()), log.String())
		}
	}
}

// Shutdown closes the input of the child first. One that stays is told by SIGTERM, once its
// time is over and not before, and one that does not heed that is killed.
//
// revisions: all
func TestEndOfChild(t *testing.T) {
	const term, kill = 300 * time.Millisecond, 300 * time.Millisecond
	end := func(t *testing.T, mode string) (log string, took time.Duration, err error) {
		out := new(buffer)
		child, c := start(t, mode, out, stdio.Options{Term: term, Kill: kill})
		begin := time.Now()
		_ = c.Close(t.Context()) // what it says is judged by what the child saw
		<-child.Gone()
		return out.String(), time.Since(begin), child.Exit()
	}
	t.Run("STDIO-010", func(t *testing.T) {
		log, took, err := end(t, "plain")
		if log != "" || err != nil || took >= term {
			t.Errorf("a server that ends with its input: %q, %v, after %v", log, err, took)
		}
	})
	t.Run("STDIO-011", func(t *testing.T) {
		log, took, err := end(t, "stays")
		if log != "input ended\ntold\n" || err != nil || took < term {
			t.Errorf("%q, %v, after %v", log, err, took)
		}
	})
	t.Run("STDIO-012", func(t *testing.T) {
		log, took, err := end(t, "stubborn")
		if log != "input ended\ntold\n" || err == nil || took < term+kill || took > 10*time.Second {
			t.Errorf("%q, %v, after %v", log, err, took)
		}
	})
}
