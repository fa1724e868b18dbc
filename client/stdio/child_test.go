//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
)

// short are times that a test can wait for; none is over before a good server has ended.
var short = stdio.Options{Term: 300 * time.Millisecond, Kill: 300 * time.Millisecond, Linger: 100 * time.Millisecond}

func start(t *testing.T, cmd *exec.Cmd, opt stdio.Options) *stdio.Child {
	t.Helper()
	c, err := stdio.Start(cmd, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.StopNow()
		<-c.Gone()
	})
	return c
}

var hello = client.Outgoing{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)}

// open sends initialize and waits for the answer.
func open(t *testing.T, c *stdio.Child) {
	t.Helper()
	if err := c.Send(context.Background(), hello, protocol.Revision{}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Receive(context.Background())
	if err != nil || got.Message.Kind != jsonrpc.KindResult {
		t.Fatal(got, err)
	}
}

// However a server behaves, it is gone in time, by the means that it takes and no earlier.
func TestEveryServerEnds(t *testing.T) {
	for _, tt := range []struct {
		kind        string
		exit        string
		least, most time.Duration
	}{
		{"good", "<nil>", 0, short.Term},
		{"patient", "signal: terminated", short.Term, short.Term + short.Kill},
		{"stubborn", "signal: killed", short.Term + short.Kill, 5 * time.Second},
		{"deaf", "signal: terminated", short.Term, short.Term + short.Kill},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			c := start(t, command(tt.kind), short)
			if tt.kind != "deaf" {
				open(t, c)
			}
			began := time.Now()
			if err := c.Close(context.Background()); err != nil {
				t.Error("Close returns", err)
			}
			if d := time.Since(began); d < tt.least || d > tt.most {
				t.Errorf("gone after %v", d)
			}
			if got := fmt.Sprint(c.Exit()); got != tt.exit {
				t.Errorf("it ends with %s, want %s", got, tt.exit)
			}
			if _, err := c.Receive(context.Background()); !errors.Is(err, io.EOF) {
				t.Error("Receive afterwards gives", err)
			}
			if err := c.Send(context.Background(), hello, protocol.Revision{}); !errors.Is(err, pipe.ErrClosed) {
				t.Error("Send afterwards gives", err)
			}
		})
	}
}

// Who is in a hurry waits neither for the end of input nor long for SIGTERM.
func TestStopNow(t *testing.T) {
	opt := stdio.Options{Term: time.Hour, Kill: time.Hour}
	for kind, exit := range map[string]string{"patient": "signal: terminated", "stubborn": "signal: killed"} {
		c := start(t, command(kind), opt)
		open(t, c)
		ctx, end := context.WithTimeout(context.Background(), 50*time.Millisecond)
		began := time.Now()
		_ = c.Close(ctx)
		end()
		if d := time.Since(began); d > 5*time.Second {
			t.Errorf("%s: gone after %v", kind, d)
		}
		if got := fmt.Sprint(c.Exit()); got != exit {
			t.Errorf("%s ends with %s, want %s", kind, got, exit)
		}
	}
	c := start(t, command("stubborn"), opt) // the hurry comes after SIGTERM
	open(t, c)
	c.StopNow()
	c.StopNow()
	<-c.Gone()
}

// What a server leaves behind neither holds its client up nor stays.
func TestWhatIsLeftBehind(t *testing.T) {
	for _, kind := range []string{"parent", "talker"} {
		t.Run(kind, func(t *testing.T) {
			var pid bytes.Buffer
			cmd := command(kind)
			cmd.Stderr = &pid
			c := start(t, cmd, short)
			if kind == "parent" {
				open(t, c)
				c.Stop()
			}
			began := time.Now()
			for {
				if _, err := c.Receive(context.Background()); err != nil {
					break
				}
			}
			<-c.Gone()
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("the end comes after %v", d)
			}
			child := 0
			if _, err := fmt.Sscan(pid.String(), &child); err != nil {
				t.Fatal(pid.String(), err)
			}
			for end := time.Now().Add(5 * time.Second); alive(child); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("what it left behind lives")
				}
			}
		})
	}
}

// alive reports whether there is such a process that is no zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !bytes.Contains(stat, []byte(") Z "))
}

// A server that does not read is waited for while the caller has patience, and is stopped in
// the end.
func TestDeaf(t *testing.T) {
	opt := short
	opt.QueueBytes, opt.Stall = 100_000, 300*time.Millisecond
	c := start(t, command("deaf"), opt)
	large := client.Outgoing{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("x", 90_000) + `"}}`)}
	ctx, end := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer end()
	var err error
	sent := 0
	for ; err == nil && sent < 100; sent++ {
		err = c.Send(ctx, large, protocol.Revision{})
	}
	if !errors.Is(err, context.DeadlineExceeded) || sent > 5 {
		t.Errorf("after %d: %v", sent, err)
	}
	if err := c.Send(context.Background(), large, protocol.Revision{}); !errors.Is(err, pipe.ErrStalled) {
		t.Error("Send gives", err)
	}
	if _, err := c.Receive(context.Background()); !errors.Is(err, pipe.ErrStalled) {
		t.Error("Receive gives", err)
	}
	<-c.Gone()
	if err := c.Close(context.Background()); !errors.Is(err, pipe.ErrStalled) {
		t.Error("Close gives", err)
	}
}

// A server that ends by itself is heard to its last word.
func TestServerThatEnds(t *testing.T) {
	c := start(t, command("short"), short)
	got, err := c.Receive(context.Background())
	if err != nil || got.Message.Method != "notifications/tools/list_changed" {
		t.Error(got, err)
	}
	if _, err := c.Receive(context.Background()); err == nil {
		t.Error("there is more")
	}
	<-c.Gone()
	if got := fmt.Sprint(c.Exit()); got != "exit status 3" {
		t.Error("it ends with", got)
	}
	ctx, end := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	end(stop)
	c = start(t, command("deaf"), short)
	if _, err := c.Receive(ctx); !errors.Is(err, stop) {
		t.Error("Receive gives", err)
	}
}

// What cannot be started costs nothing, and what has ended neither.
func TestNothingIsLeft(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	for range 20 {
		if _, err := stdio.Start(exec.Command("/there/is/no/such/server"), stdio.Options{}); err == nil {
			t.Fatal("it started")
		}
		cmd := exec.Command("true")
		cmd.Stdin = strings.NewReader("")
		if _, err := stdio.Start(cmd, stdio.Options{}); err == nil {
			t.Fatal("it started although its input was set")
		}
	}
	for range 3 {
		c := start(t, command("good"), short)
		open(t, c)
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > goroutines || descriptors(t) > files; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines more, %d files more", runtime.NumGoroutine()-goroutines, descriptors(t)-files)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // there is no such folder everywhere
	}
	return len(files)
}
