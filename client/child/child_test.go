//go:build unix

package child_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
)

// short are times that a test can wait for.
var short = child.Options{Term: 300 * time.Millisecond, Kill: 300 * time.Millisecond, Linger: 100 * time.Millisecond}

// patience is how long what has to happen may take, however busy the machine is: less than the
// minute after which the processes of these tests end by themselves.
const patience = 20 * time.Second

func start(t *testing.T, cmd *exec.Cmd, opt child.Options) *child.Child {
	t.Helper()
	c, err := child.Start(cmd, opt)
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

// under returns what a message has at a revision without a session.
func under(r protocol.Revision) *verbs.Envelope {
	return &verbs.Envelope{Revision: r, Role: protocol.Server, Self: protocol.Implementation{Name: "greeter", Version: "1.0.0"}, Peer: "{}"}
}

// open runs the handshake at a revision, or asks what the server is where there is none.
func open(t *testing.T, c *child.Child, r protocol.Revision) {
	t.Helper()
	if r.Stateless() {
		if err := c.Send(context.Background(), say("%s", under(r).In(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`)), r); err != nil {
			t.Fatal(err)
		}
		if got := hear(t, c); !strings.Contains(got, `"supportedVersions":["`+r.String()+`"]`) {
			t.Fatal("the answer to server/discover is", got)
		}
		return
	}
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
func hear(t *testing.T, c *child.Child) string {
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
	for _, r := range protocol.AllRevisions() {
		for _, heard := range []bool{false, true} {
			var said bytes.Buffer
			cmd := command("noisy")
			if heard {
				cmd.Stderr = &said
			}
			c := start(t, cmd, child.Options{})
			open(t, c, r)
			for i := range 10 {
				call, stamp := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"greet"}}`, i), ""
				if r.Stateless() {
					call, stamp = under(r).In(call), `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"greeter","version":"1.0.0"}},`
				}
				if err := c.Send(context.Background(), say("%s", call), r); err != nil {
					t.Fatal(err)
				}
				if got, want := hear(t, c), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s"content":[{"type":"text","text":"Hello!"}]}}`, i, stamp); got != want {
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
// rows: STDIO-010 STDIO-011 STDIO-012 STDIO-203
func TestEveryServerEnds(t *testing.T) {
	for _, r := range protocol.AllRevisions() {
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
			c := start(t, command(tt.kind), child.Options{Term: tt.term, Kill: tt.kill, Linger: short.Linger})
			if tt.kind != "deaf" {
				open(t, c, r)
			}
			began := time.Now()
			if err := c.Close(context.Background()); err != nil {
				t.Error("Close returns", err)
			}
			if d := time.Since(began); d < tt.least || d > patience {
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
	opt := child.Options{Term: time.Hour, Kill: time.Hour}
	hurried := func(kind string) string {
		t.Helper()
		cmd := command(kind)
		if kind == "stubborn" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		c := start(t, cmd, opt)
		open(t, c, newest)
		ctx, end := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer end()
		began := time.Now()
		_ = c.Close(ctx)
		if d := time.Since(began); d > patience {
			t.Errorf("%s: gone after %v", kind, d)
		}
		return fmt.Sprint(c.Exit())
	}
	if got := hurried("stubborn"); got != "signal: killed" {
		t.Error("stubborn ends with", got)
	}
	// SIGKILL comes half a second after SIGTERM, and finds one that has had no turn on a busy
	// machine meanwhile; without SIGTERM it finds all of them.
	got := ""
	for range 5 {
		if got = hurried("patient"); got != "signal: killed" {
			break
		}
	}
	if got != "signal: terminated" {
		t.Error("patient ends with", got)
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
			cmd := command(kind)
			said := toFile(t, cmd)
			c := start(t, cmd, short)
			if kind == "parent" {
				open(t, c, newest)
				go func() { _ = c.Close(context.Background()) }()
			}
			began := time.Now()
			for {
				if _, err := c.Receive(context.Background()); err != nil {
					break
				}
			}
			<-c.Gone()
			if d := time.Since(began); d > patience {
				t.Errorf("the end comes after %v", d)
			}
			child := pidIn(t, said)
			for end := time.Now().Add(patience); alive(child); time.Sleep(5 * time.Millisecond) {
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
	cmd := command("escape")
	said := toFile(t, cmd)
	c := start(t, cmd, child.Options{Linger: 2 * time.Second})
	open(t, c, newest)
	go func() { _ = c.Close(context.Background()) }()
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
	child := pidIn(t, said)
	if !alive(child) {
		t.Error("it did not escape")
	}
	_ = syscall.Kill(child, syscall.SIGKILL)
}

// toFile has a server write on standard error into a file, and returns its name. What a server
// writes into a pipe is lost if nobody has read it within Linger of its end.
func toFile(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	cmd.Stderr = f
	return f.Name()
}

// pidIn returns the number of a process that a file has.
func pidIn(t *testing.T, name string) (pid int) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(string(text), err)
	}
	return pid
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
	opt.QueueBytes, opt.Stall = 100_000, time.Hour // the caller has less patience
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
	opt.Stall = 300 * time.Millisecond
	c = start(t, command("deaf"), opt)
	for err = nil; err == nil; {
		err = c.Send(context.Background(), large, protocol.Revision{})
	}
	if !errors.Is(err, pipe.ErrStalled) {
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
	c := start(t, command("short"), child.Options{Linger: patience}) // nothing holds its output, so nobody waits for that
	got, err := c.Receive(context.Background())
	if err != nil || got.Message.Method != "notifications/tools/list_changed" {
		t.Error(got, err)
	}
	if _, err := c.Receive(context.Background()); !errors.Is(err, io.EOF) || err.Error() != "child: server exited (status 3)" {
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
