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

// short are times that a test can wait for.
var short = stdio.Options{Term: 300 * time.Millisecond, Kill: 300 * time.Millisecond, Linger: 100 * time.Millisecond}

func start(t *testing.T, cmd *exec.Cmd, opt stdio.Options) *stdio.Child {
	t.Helper()
	c, err := stdio.Start(cmd, opt)
	if err != nil {
		t.Fatal(err)
	}
	if c.Pid() != cmd.Process.Pid {
		t.Errorf("process %d is called %d", cmd.Process.Pid, c.Pid())
	}
	t.Cleanup(func() {
		c.StopNow()
		<-c.Gone()
	})
	return c
}

// say returns a message to send.
func say(format string, args ...any) client.Outgoing {
	return client.Outgoing{Message: jsonrpc.DecodeString(fmt.Sprintf(format, args...))}
}

var ping = say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)

// open runs the handshake at a revision.
func open(t *testing.T, c *stdio.Child, r protocol.Revision) {
	t.Helper()
	hello := say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, r)
	if err := c.Send(context.Background(), hello, protocol.Revision{}); err != nil {
		t.Fatal(err)
	}
	if got := hear(t, c); !strings.Contains(got, r.String()) {
		t.Fatal("the answer to initialize is", got)
	}
	if err := c.Send(context.Background(), say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), r); err != nil {
		t.Fatal(err)
	}
}

// hear returns the next message.
func hear(t *testing.T, c *stdio.Child) string {
	t.Helper()
	got, err := c.Receive(context.Background())
	if err != nil || got.Message.Kind == jsonrpc.KindInvalid {
		t.Fatal(got, err)
	}
	return string(jsonrpc.Append(nil, got.Message))
}

var newest = protocol.Revisions()[0]

// A child process is a server over its standard input and output. What it writes on standard
// error arrives there as it is, or nowhere, and disturbs nothing, whatever it says.
//
// rows: TRANS-002 STDIO-001 STDIO-006 STDIO-007 STDIO-101 STDIO-102
func TestSession(t *testing.T) {
	for _, r := range protocol.Revisions() {
		for _, heard := range []bool{false, true} {
			var said bytes.Buffer
			cmd := command("noisy")
			if heard {
				cmd.Stderr = &said
			}
			c := start(t, cmd, stdio.Options{})
			open(t, c, r)
			for i := range 10 {
				if err := c.Send(context.Background(), say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"greet"}}`, i), r); err != nil {
					t.Fatal(err)
				}
				if got, want := hear(t, c), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"Hello!"}]}}`, i); got != want {
					t.Errorf("%v: got %s, want %s", r, got, want)
				}
			}
			if err := c.Close(context.Background()); err != nil {
				t.Error(r, err)
			}
			if heard && !strings.HasPrefix(said.String(), noise+"\n") {
				t.Errorf("%v: on standard error it said %.100q", r, said.String())
			}
		}
	}
}

// However a server behaves, it is gone in time, by the means that it takes and no earlier:
// first its input ends, then comes SIGTERM, then SIGKILL.
//
// rows: STDIO-010 STDIO-011 STDIO-012
func TestEveryServerEnds(t *testing.T) {
	for _, r := range protocol.Revisions() {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			everyServerEnds(t, r)
		})
	}
}

func everyServerEnds(t *testing.T, r protocol.Revision) {
	for _, tt := range []struct {
		kind       string
		exit       string
		term, kill time.Duration
		least      time.Duration
	}{
		{"good", "<nil>", time.Minute, time.Minute, 0},
		{"patient", "signal: terminated", 300 * time.Millisecond, time.Minute, 300 * time.Millisecond},
		{"stubborn", "signal: killed", 200 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond},
		{"deaf", "signal: terminated", 300 * time.Millisecond, time.Minute, 300 * time.Millisecond},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			c := start(t, command(tt.kind), stdio.Options{Term: tt.term, Kill: tt.kill, Linger: short.Linger})
			if tt.kind != "deaf" {
				open(t, c, r)
			}
			began := time.Now()
			if err := c.Close(context.Background()); err != nil {
				t.Error("Close returns", err)
			}
			if d := time.Since(began); d < tt.least || d > 20*time.Second {
				t.Errorf("gone after %v", d)
			}
			if got := fmt.Sprint(c.Exit()); got != tt.exit {
				t.Errorf("it ends with %s, want %s", got, tt.exit)
			}
			if _, err := c.Receive(context.Background()); !errors.Is(err, io.EOF) {
				t.Error("Receive afterwards gives", err)
			}
			if err := c.Send(context.Background(), ping, r); !errors.Is(err, pipe.ErrClosed) {
				t.Error("Send afterwards gives", err)
			}
		})
	}
}

// Who is in a hurry waits neither for the end of input nor long for SIGTERM.
func TestStopNow(t *testing.T) {
	opt := stdio.Options{Term: time.Hour, Kill: time.Hour}
	for kind, exit := range map[string]string{"patient": "signal: terminated", "stubborn": "signal: killed"} {
		cmd := command(kind)
		if kind == "stubborn" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		c := start(t, cmd, opt)
		open(t, c, newest)
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
	open(t, c, newest)
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
				open(t, c, newest)
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

// A process that a server has left behind in a session of its own cannot be reached, but
// does not hold up its client.
func TestEscaped(t *testing.T) {
	var pid bytes.Buffer
	cmd := command("escape")
	cmd.Stderr = &pid
	c := start(t, cmd, stdio.Options{Linger: 2 * time.Second})
	open(t, c, newest)
	c.Stop()
	began := time.Now()
	for {
		if _, err := c.Receive(context.Background()); err != nil {
			break
		}
	}
	<-c.Gone()
	if d := time.Since(began); d > 15*time.Second { // and not ten times Linger
		t.Errorf("the end comes after %v", d)
	}
	child := 0
	if _, err := fmt.Sscan(pid.String(), &child); err != nil {
		t.Fatal(pid.String(), err)
	}
	if !alive(child) {
		t.Error("it did not escape")
	}
	_ = syscall.Kill(child, syscall.SIGKILL)
}

func init() {
	more["escape"] = func() {
		cmd := command("sleeper")
		cmd.Stdout, cmd.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, cmd.Process.Pid)
		serve()
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
	if _, err := c.Receive(context.Background()); !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "exit status 3") {
		t.Error("the end is", err)
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
		c := start(t, command("good"), stdio.Options{})
		open(t, c, newest)
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

// What a server says that nobody receives any more holds nothing after Close.
func TestFloodAtTheEnd(t *testing.T) {
	readers := func() int {
		buf := make([]byte, 1<<20)
		return strings.Count(string(buf[:runtime.Stack(buf, true)]), "created by github.com/sansmcp/mcp/jsonrpc/pipe.Read")
	}
	none := func(what string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); readers() > 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	none("a reader of an earlier test reads still") // it may end while this test runs, and would be counted for ours
	c := start(t, command("chatty"), short)
	if _, err := c.Receive(context.Background()); err != nil {
		t.Fatal(err)
	}
	if readers() == 0 {
		t.Fatal("the goroutine that reads is not found")
	}
	ctx, end := context.WithCancel(context.Background())
	end()
	_ = c.Close(ctx)
	none("it reads still")
}

func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // there is no such folder everywhere
	}
	return len(files)
}
