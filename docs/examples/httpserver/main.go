// Command httpserver is the application of stdioserver over Streamable HTTP. It serves programs of
// this machine:
//
//	go run ./docs/examples/httpserver -addr 127.0.0.1:8080
//	npx @modelcontextprotocol/inspector --cli http://127.0.0.1:8080/mcp --transport http --method tools/list
//
// SIGTERM and SIGINT end it: open calls may finish, for five seconds, and then are answered with an
// error. A second signal ends it at once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// drain is how long calls may continue after a signal.
const drain = 5 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	revision := flag.String("revision", "", "the newest revision to speak; empty for all that have sessions")
	legacy := flag.Bool("sse", false, "serve HTTP+SSE of 2024-11-05 as well")
	stateless := flag.Bool("stateless", false, "answer each request by itself, without sessions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	if err := run(ctx, *addr, *revision, nethttp.Options{LegacySSE: *legacy, Stateless: *stateless}); err != nil {
		fmt.Fprintln(os.Stderr, "httpserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr, newest string, opt nethttp.Options) error {
	cfg := app.Config("httpserver")
	var err error
	if cfg.Revisions, err = app.Until(newest); err != nil {
		return err
	}
	a, err := app.New()
	if err != nil {
		return err
	}
	opt.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	h, err := nethttp.NewHandler(cfg, a.Handlers(), opt)
	if err != nil {
		return err
	}
	a.ServedBy(front{h})
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%v/mcp\n", reach(l.Addr()))
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	if opt.LegacySSE {
		mux.Handle("/sse", h) // the usual path for its clients
	}
	err = h.ServeOn(ctx, &http.Server{Handler: mux}, l, drain)
	if errors.Is(err, context.DeadlineExceeded) { // calls that it could not wait for are answered
		opt.Log.Warn("calls were stopped", "err", err)
		return nil
	}
	return err
}

// reach returns an address at which this machine reaches the listener.
func reach(a net.Addr) string {
	if t, ok := a.(*net.TCPAddr); ok && t.IP.IsUnspecified() {
		return fmt.Sprint("localhost:", t.Port)
	}
	return a.String()
}

// front serves the application.
type front struct{ *nethttp.Handler }

// Roots implements app.Front.
func (f front) Roots(ctx context.Context, c server.Caller) ([]protocol.Root, error) {
	body, err := c.Request(ctx, protocol.ListRootsParams{}, server.RequestOptions{})
	if err != nil {
		return nil, err
	}
	r, err := protocol.Decode[protocol.ListRootsResult](body)
	if err != nil {
		return nil, err
	}
	return r.Roots, nil
}

// Session implements app.Front.
func (f front) Session(ctx context.Context) string {
	id, _ := nethttp.SessionFrom(ctx)
	return id
}

// Notify implements app.Front.
func (f front) Notify(session string, n protocol.Params) error {
	return f.Handler.Notify(context.Background(), session, n)
}
