//go:build unix

package child_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
)

// What is wrong with a server that does not begin is in the error of Connect, whichever fails first,
// the writing or the reading: how it exited, what it wrote last on standard error, and what of its
// output was no message.
func TestWhyAServerDoesNotBegin(t *testing.T) {
	most := `"no such module: \x1b[31m` + strings.Repeat("é", (200-len("no such module: \x1b[31m"))/2) + `…"`
	for kind, want := range map[string][2]string{
		"crash":      {"child: server exited (status 3) before the handshake", "; its last line on standard error: " + most},
		"crash late": {"child: server exited (status 7) before the handshake", `; its last line on standard error: "out of memory"`},
		"hello":      {`child: server exited (status 0) before the handshake; it wrote a line that is not a message: "hello"`},
		"silent":     {`child: server closed its output before the handshake; it wrote a line that is not a message: "[INFO] listening"`},
	} {
		for where, log := range map[string]io.Writer{"nobody": nil, "a writer": new(bytes.Buffer), "a file": os.Stderr} {
			if where == "a file" {
				null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer null.Close()
				log = null
			}
			for range 5 {
				cmd := command(kind)
				if log != nil {
					cmd.Stderr = log
				}
				c := start(t, cmd, short)
				_, err := session.Connect(t.Context(), client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, c, session.Options{})
				if err == nil {
					t.Fatalf("%s is a server", kind)
				}
				full := want[0] + want[1]
				if where == "a file" {
					full = want[0]
				}
				if !errors.Is(err, io.EOF) || !strings.HasSuffix(err.Error(), full) {
					t.Errorf("%s, %s takes its log:\n%s, want\n%s", kind, where, err, full)
				}
				var e *child.EndError
				if !errors.As(err, &e) || !e.Early || e.Exited != (kind != "silent") {
					t.Errorf("%s: %+v", kind, e)
				}
				var exit *exec.ExitError
				if errors.As(err, &exit) != strings.HasPrefix(kind, "crash") {
					t.Errorf("%s: the exit is %v", kind, exit)
				}
			}
		}
	}
}

// A send that fails because the server is gone says so too.
func TestSendToWhoIsGone(t *testing.T) {
	c := start(t, command("crash"), short)
	<-c.Gone()
	<-child.Written(c)
	err := c.Send(context.Background(), ping, protocol.Revision{})
	if err == nil || !strings.HasPrefix(err.Error(), "child: server exited (status 3) before the handshake; ") {
		t.Error(err)
	}
	if got, err := c.Receive(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "child: server exited (status 3) before the handshake; ") {
		t.Error(got, err)
	}
}

// A message that was too long stands in no error of the end: it was none that the server should not have written.
func TestEndAfterALongMessage(t *testing.T) {
	here, there := net.Pipe()
	c, err := child.Over(here, here, child.Options{MaxBytes: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	go func() {
		_, _ = there.Write([]byte(`{"jsonrpc":"2.0","method":"x","params":{"long":"` + strings.Repeat("x", 40) + "\"}}\n" + `{"jsonrpc":"2.0","method":"y"}` + "\n"))
		_ = there.Close()
	}()
	for {
		if _, err = c.Receive(t.Context()); err != nil {
			break
		}
	}
	if err.Error() != "child: server closed its output" {
		t.Error(err)
	}
}
