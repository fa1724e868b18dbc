//go:build !plan9

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/transcript/fixture"
	"github.com/sansmcp/mcp/server/stdio"
)

// child holds the options of the server that a process of this test is.
const child = "SANSMCP_TRANSCRIPT_SERVER"

// hungUp says that a process of this test is a server for a client that hangs up.
const hungUp = "SANSMCP_HUNG_UP_SERVER"

func TestMain(m *testing.M) {
	if options, ok := os.LookupEnv(child); ok {
		if err := serve(strings.Fields(options), os.Stdin, os.Stdout); err != nil && !errors.Is(err, syscall.EPIPE) { // it hangs up as it likes
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(hungUp) != "" {
		hungUpServer()
		return
	}
	os.Exit(m.Run())
}

// serve runs the fixture application over a pair of streams.
func serve(options []string, in io.Reader, out io.Writer) error {
	cfg, err := transcript.Server(options)
	if err != nil {
		return err
	}
	return stdio.Serve(context.Background(), cfg, fixture.Handlers(), in, out, stdio.Options{})
}

// stream is both directions of a connection to a server.
type stream struct {
	io.ReadCloser
	io.WriteCloser
}

func (s stream) Close() error { return errors.Join(s.WriteCloser.Close(), s.ReadCloser.Close()) }

// wireFiles returns the transcripts that are marked wire.
func wireFiles(t *testing.T) (files []*transcript.File) {
	t.Helper()
	all, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.Wire {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		t.Fatal("no transcript is marked wire")
	}
	return files
}

// TestWire runs the transcripts that are marked wire against the driver, over pipes, at
// every revision that they hold for.
func TestWire(t *testing.T) {
	runs := 0
	files := wireFiles(t)
	for _, f := range files {
		for _, r := range f.Revisions {
			in, ours := io.Pipe()
			theirs, out := io.Pipe()
			served := make(chan error, 1)
			go func() { served <- serve(f.Options(r), in, out) }()
			if err := f.Over(stream{theirs, ours}, r); err != nil {
				t.Error(err)
			}
			<-served // what it could not write any more is no matter
			runs++
		}
	}
	t.Logf("%d files, %d runs over pipes", len(files), runs)
}

// TestWireProcess runs them against a process of its own over its standard input and
// output, each at the newest revision that it holds for.
func TestWireProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files := wireFiles(t)
	for _, f := range files {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), child+"="+strings.Join(f.Options(f.Revisions[0]), " "),
			"GORACE=atexit_sleep_ms=0") // or else the race detector takes a second for each
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := f.Over(stream{out, in}, f.Revisions[0]); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // what it could not write any more is no matter
	}
	t.Logf("%d files, a process each", len(files))
}
