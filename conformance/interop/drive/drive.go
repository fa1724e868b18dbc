// Package drive holds the checks that every Go peer client runs against a stdio
// server with the tools of docs/examples/stdioserver. A peer SDK is adapted to
// Session; the checks are written once.
package drive

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Deadline bounds one whole run of a client.
const Deadline = 60 * time.Second

// Item is one entry of a list: a tool, resource, resource template or prompt.
type Item struct {
	Name     string
	URI      string
	Icon     string   // the source of the first icon of a tool
	Required []string // names of the required arguments of a prompt
}

// Result is what a tool call returned.
type Result struct {
	Kinds   []string // the type of each content block
	Text    string   // the text blocks, joined
	IsError bool
}

// Info is what a program says of itself.
type Info struct{ Title, Description, Website, Icon string }

// Completion is what a completion proposed.
type Completion struct {
	Values  []string
	Total   int
	HasMore bool
}

// Session is a connected peer client.
type Session interface {
	// Version is the negotiated protocol version.
	Version() string
	// Server is what the server says of itself.
	Server() Info
	Ping(ctx context.Context) error
	// List follows the cursors to the end. kind is tools, resources, templates or prompts.
	List(ctx context.Context, kind string) ([]Item, error)
	// Call calls a tool. progress, if any, is called for each progress notification of this call.
	Call(ctx context.Context, tool string, args map[string]any, progress func(float64)) (Result, error)
	// Read returns the contents of a resource, each as its text, "" for a blob.
	Read(ctx context.Context, uri string) ([]string, error)
	Subscribe(ctx context.Context, uri string) error
	Unsubscribe(ctx context.Context, uri string) error
	SetLevel(ctx context.Context, level string) error
	// Complete completes an argument of a prompt, or of a template if ref has "://" in it.
	Complete(ctx context.Context, ref, argument, value string, known map[string]string) (Completion, error)
	// AddRoot adds a root to RootURI, and announces that.
	AddRoot(ctx context.Context, uri string) error
	// Prompt returns the number of messages of a prompt.
	Prompt(ctx context.Context, name string, args map[string]string) (int, error)
	// Request sends a request of any method without params.
	Request(ctx context.Context, method string) error
	// Code returns the JSON-RPC code of an error that the server answered, 0 if it is something else.
	Code(err error) int
	// Pages returns the ids of the elicitations that an error of the server asks for.
	Pages(err error) []string
	// FillsDefaults reports whether the SDK fills the defaults of a form in.
	FillsDefaults() bool
	Close() error
}

// Server is the server process under test.
type Server struct {
	In   io.WriteCloser
	Out  io.ReadCloser
	cmd  *exec.Cmd
	done chan error
}

func start(argv []string) (*Server, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// An own pipe, since Wait closes the one of StdoutPipe under a reader.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w.Close()
	s := &Server{In: in, Out: r, cmd: cmd, done: make(chan error, 1)}
	go func() { s.done <- cmd.Wait() }()
	return s, nil
}

// exit waits for the server to end by itself with code 0.
func (s *Server) exit() error {
	select {
	case err := <-s.done:
		return err
	case <-time.After(5 * time.Second):
		s.cmd.Process.Kill()
		return errors.New("still running 5 s after its input closed")
	}
}

// Main connects to the server that the command line names, runs all checks, prints one
// line for each and exits, with 1 if one failed. With -revision an older revision than the
// newest is asked for.
func Main(connect func(ctx context.Context, s *Server, h *Hooks) (Session, error)) {
	revision := flag.String("revision", "", "the revision to ask for; by default what the SDK asks for by itself")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: "+os.Args[0]+" [-revision REVISION] SERVER ARGS...")
		os.Exit(2)
	}
	srv, err := start(flag.Args())
	if err != nil {
		fmt.Println("FAIL start:", err)
		os.Exit(1)
	}
	time.AfterFunc(Deadline, func() {
		fmt.Println("FAIL deadline: not done after", Deadline)
		srv.cmd.Process.Kill()
		os.Exit(1)
	})
	ctx := context.Background()
	r := &runner{hooks: &Hooks{Revision: *revision}}
	want := cmp.Or(*revision, newest)
	r.check("initialize", func() error {
		c, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		s, err := connect(c, srv, r.hooks)
		if err != nil {
			return err
		}
		r.s = s
		if s.Version() != want {
			return fmt.Errorf("negotiated version %q, want %q", s.Version(), want)
		}
		return nil
	})
	if r.s != nil {
		r.all(ctx)
		r.features(ctx)
		if want == newest {
			r.newest(ctx)
		} else {
			r.older(ctx)
		}
		r.check("exits by itself with 0 when its input closes", func() error {
			if err := r.s.Close(); err != nil {
				return fmt.Errorf("close: %w", err)
			}
			srv.In.Close()
			return srv.exit()
		})
	}
	fmt.Printf("%d passed, %d failed\n", r.passed, r.failed)
	srv.cmd.Process.Kill()
	if r.failed > 0 {
		os.Exit(1)
	}
	os.Exit(0)
}
