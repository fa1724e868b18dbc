// Package drive holds the checks that every Go peer client runs against a server with the
// tools of docs/examples/stdioserver, over stdio or HTTP. A peer SDK is adapted to
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
	// ID is that of the session over HTTP, "" if it has none.
	ID() string
	Close() error
}

// Server is the server under test: a process with pipes, or what answers at a URL.
type Server struct {
	In   io.WriteCloser
	Out  io.ReadCloser
	URL  string // of HTTP, "" for stdio
	SSE  bool   // it is HTTP+SSE of 2024-11-05
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

// kill ends the process, if it is one.
func (s *Server) kill() {
	if s.cmd != nil {
		s.cmd.Process.Kill()
	}
}

// Connect makes a session with a server.
type Connect func(ctx context.Context, s *Server, h *Hooks) (Session, error)

// Main connects to the server that the command line names, runs the checks, prints one
// line for each and exits, with 1 if one failed. With -revision an older revision than the
// newest is asked for.
func Main(connect Connect) {
	revision := flag.String("revision", "", "the revision to ask for; by default what the SDK asks for by itself")
	mode := flag.String("mode", "all", "what to check: all, calls, oneway, bare, modern, moderncalls, modernbare, cuts or expires")
	likeEverything := flag.Bool("everything", false, "the server is server-everything: tools have its names")
	lossy := flag.Bool("lossy", false, "the server may lose progress while a stream is broken")
	srv := new(Server)
	flag.StringVar(&srv.URL, "url", "", "where the server is; without it, it is a command")
	flag.BoolVar(&srv.SSE, "sse", false, "at the URL is HTTP+SSE of 2024-11-05")
	flag.Parse()
	if (flag.NArg() == 0) == (srv.URL == "") {
		fmt.Fprintln(os.Stderr, "usage: "+os.Args[0]+" [-revision REVISION] SERVER ARGS... | -url URL [-sse] [-mode MODE]")
		os.Exit(2)
	}
	if srv.URL == "" {
		var err error
		if srv, err = start(flag.Args()); err != nil {
			fmt.Println("FAIL start:", err)
			os.Exit(1)
		}
	}
	time.AfterFunc(Deadline, func() {
		fmt.Println("FAIL deadline: not done after", Deadline)
		srv.kill()
		os.Exit(1)
	})
	ctx := context.Background()
	r := &runner{hooks: &Hooks{Revision: *revision}, connect: connect, srv: srv, want: cmp.Or(*revision, newest), lossy: *lossy}
	if *likeEverything {
		r.form = formOfEverything
	}
	r.check("initialize", func() error { return r.initialize(ctx) })
	switch {
	case r.s == nil:
	case *mode == "calls":
		r.calls(ctx)
	case *mode == "bare":
		r.bare(ctx)
	case *mode == "modern":
		r.modern(ctx)
	case *mode == "moderncalls":
		r.modernCalls(ctx)
	case *mode == "modernbare":
		r.modernBare(ctx)
	case *mode == "oneway":
		r.oneway(ctx)
	case *mode == "cuts":
		r.cuts(ctx)
	case *mode == "expires":
		r.expires(ctx)
	default:
		r.everything(ctx)
	}
	fmt.Printf("%d passed, %d failed\n", r.passed, r.failed)
	srv.kill()
	if r.failed > 0 {
		os.Exit(1)
	}
	os.Exit(0)
}

// initialize connects, or connects again.
func (r *runner) initialize(ctx context.Context) error {
	c, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	s, err := r.connect(c, r.srv, r.hooks)
	if err != nil {
		return err
	}
	r.s = s
	if r.form != nil {
		r.s = everything{s}
	}
	if s.Version() != r.want {
		return fmt.Errorf("negotiated version %q, want %q", s.Version(), r.want)
	}
	return nil
}

func (r *runner) everything(ctx context.Context) {
	r.all(ctx)
	r.features(ctx)
	if r.want == newest {
		r.newest(ctx)
	} else {
		r.older(ctx)
	}
	if r.srv.URL != "" {
		r.overHTTP(ctx)
		return
	}
	r.exits()
}

// exits checks that a process ends when the client leaves.
func (r *runner) exits() {
	r.check("exits by itself with 0 when its input closes", func() error {
		if err := r.s.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
		r.srv.In.Close()
		return r.srv.exit()
	})
}
