// Command client connects to an MCP server, shows what it offers and calls a tool. The server is a
// command to start, or the url of a running one:
//
//	go run ./docs/examples/client -- COMMAND ARGS…
//	go run ./docs/examples/client URL
//	go run ./docs/examples/client tcp:HOST:PORT # lines over a connection
//
// With -login FOLDER it logs in at a url that requires a token: it prints the page to open, and keeps the
// token in the folder. Without a command or url it starts the example server. With -i it reads commands
// instead of calling a tool; help lists them.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// app is the program. Other goroutines than that of the commands print what the server sends.
type app struct {
	c     *session.Client
	log   *log.Logger
	heard heard // the notifications, until a command uses them
	roots []protocol.Root

	mu     sync.Mutex
	answer protocol.ElicitResult // what the user answers to everything
}

func main() {
	tool := flag.String("tool", "", "the tool to call; by default one that needs little")
	args := flag.String("args", "", "its arguments, a JSON object; by default made up from its schema")
	typed := flag.Bool("i", false, "do what standard input says instead")
	revision := flag.String("revision", "", "the revision of the protocol to offer; by default the newest")
	token := flag.String("token", "", "the token for a url")
	folder := flag.String("login", "", "log in at a url that wants it, and keep the token in this `folder`")
	flag.Parse()
	keepPipeErrors()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, flag.Args(), *revision, *token, *folder, func(a *app) error {
		if *typed {
			return a.commands(ctx, os.Stdin)
		}
		return a.callTool(ctx, *tool, *args)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, target []string, revision, token, folder string, do func(*app) error) error {
	a := &app{
		log: log.New(os.Stdout, "", 0), roots: []protocol.Root{{URI: "file:///", Name: "everything"}},
		answer: protocol.ElicitResult{Action: protocol.ActionDecline},
	}
	cfg, err := config(a.roots, revision)
	if err != nil {
		return err
	}
	t, end, err := transport(target, token, folder)
	if err != nil {
		return err
	}
	defer end()
	a.c, err = session.Connect(ctx, cfg, t, session.Options{
		Serve: a.serve, Event: a.event, HoldUp: true, Visit: a.visit, VisitWait: visitWait,
	})
	if err == nil {
		if err = a.show(ctx); err == nil {
			err = do(a)
		}
		err = cmp.Or(err, a.c.Close(ctx))
	}
	if child, ok := t.(*child.Child); ok && child.Exit() != nil {
		fmt.Println("the server ended with", child.Exit())
	}
	return err
}

// transport returns the transport to a server, and a function to call at the end.
func transport(target []string, token, folder string) (t links.Transport, end func(), err error) {
	end = func() {}
	if len(target) == 1 && strings.HasPrefix(target[0], "tcp:") {
		c, err := net.Dial("tcp", strings.TrimPrefix(target[0], "tcp:"))
		if err != nil {
			return nil, nil, err
		}
		t, err = child.Over(c, c, child.Options{})
		return t, end, err
	}
	if len(target) == 1 && (strings.HasPrefix(target[0], "http://") || strings.HasPrefix(target[0], "https://")) {
		var opt remote.Options
		if token != "" {
			opt.Token = func(_ context.Context, c headers.Challenge) (string, error) {
				if c != (headers.Challenge{}) {
					return "", errors.New("the server does not take the token: " + c.String())
				}
				return token, nil
			}
		}
		if folder != "" {
			r, err := newLogin(target[0], folder)
			if err != nil {
				return nil, nil, err
			}
			opt.Auth, end = r, r.Close
		}
		t, err = remote.New(target[0], opt)
		return t, end, err
	}
	if len(target) == 0 {
		target = []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	}
	cmd := exec.Command(target[0], target[1:]...)
	cmd.Stderr = os.Stderr
	t, err = child.Start(cmd, child.Options{})
	return t, end, err
}

func config(roots []protocol.Root, revision string) (client.Config, error) {
	cfg := client.Config{
		Info: protocol.Implementation{
			Name: "client", Version: "1.0.0", Title: "Example client",
			Description: "Shows what a server offers.", WebsiteURL: "https://example.com/client",
		},
		Roots:            roots,
		RootsListChanged: true,
		Serve:            []string{"sampling/createMessage", "elicitation/create"},
		Declare:          protocol.CapSamplingTools | protocol.CapElicitationForm | protocol.CapElicitationURL,
	}
	if revision != "" {
		r, known := protocol.ParseRevision(revision)
		if !known {
			return cfg, fmt.Errorf("there is no revision %s", revision)
		}
		cfg.Revisions = []protocol.Revision{r}
		// It cannot declare what the revision does not have.
		cfg.Serve = slices.DeleteFunc(cfg.Serve, func(method string) bool { return r.Row(method) == nil })
		cfg.Declare &= r.Capabilities()
	}
	return cfg, nil
}
