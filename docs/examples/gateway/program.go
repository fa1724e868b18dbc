package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/relay/gateway"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/docs/examples/gateway/config"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
	serverstdio "github.com/sansmcp/mcp/server/stdio"
)

// program is a gateway with its file.
type program struct {
	settings
	in     io.Reader
	out    io.Writer
	log    *lossy
	reload <-chan os.Signal
	show   <-chan os.Signal
	listen func(addr net.Addr) // is told where it listens; nil for nobody
	g      *gateway.Gateway
	logger *slog.Logger
	within string // what servers are told of the gateways that they are behind
}

// How long servers may take.
const (
	startTime = 2 * time.Minute // to start: some are downloaded first
	termTime  = time.Second     // to end, before SIGTERM, and again before SIGKILL
	firstWait = 250 * time.Millisecond
	longWait  = 30 * time.Second
)

// run serves until ctx ends, or the input.
func (p *program) run(ctx context.Context) error {
	level := slog.LevelInfo
	if p.quiet {
		level = slog.LevelWarn
	}
	p.logger = slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: level}))
	within, err := nested(p.file)
	if err != nil {
		return err
	}
	p.within = within
	read := stamp(p.file)
	c, err := p.load()
	if err != nil {
		return err
	}
	p.g, err = gateway.New(gateway.Options{
		Relay: relay.Config{
			Info:   protocol.Implementation{Name: "gateway", Version: "1.0.0"},
			Naming: p.policy(),
			Lists:  relay.Lists{Hold: p.settle},
			Manager: manager.Config{
				Timeouts: manager.Timeouts{Connect: startTime},
				Backoff:  backoff.Policy{Base: firstWait, Cap: longWait, Jitter: 0.2},
				Seed:     uint64(time.Now().UnixNano()),
			},
		},
		Servers: p.servers(c), CloseTimeout: 3 * termTime, Log: p.logger,
		Dial: dial.Dialer{Stdio: stdio.Options{Term: termTime, Kill: termTime}}.Dial,
	})
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		p.watch(watching, c, read)
	}()
	if p.addr == "" {
		err = p.serveStdio(ctx)
	} else {
		err = p.serveHTTP(ctx)
	}
	stop()
	<-watched
	end, cancel := context.WithTimeout(context.Background(), p.drain)
	defer cancel()
	failed := p.g.Close(end)
	if errors.Is(failed, context.DeadlineExceeded) {
		failed = errors.New("calls did not finish in time")
	}
	return errors.Join(err, failed)
}

// serveStdio serves one client.
func (p *program) serveStdio(ctx context.Context) error {
	return p.g.Serve(ctx, p.in, p.out, serverstdio.Options{Drain: max(p.drain, time.Millisecond)})
}

// serveHTTP serves any number of clients, until ctx ends.
func (p *program) serveHTTP(ctx context.Context) error {
	opt := nethttp.Options{LegacySSE: p.sse, IdleTimeout: p.idle, MaxSessions: p.sessions, Log: p.logger}
	h, err := p.g.Handler(opt)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		return err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		p.logger.Warn("gateway: other machines can use these servers, and nobody asks who they are", "addr", p.addr)
	}
	fmt.Fprintf(p.out, "listening on http://%v/mcp\n", l.Addr())
	if p.listen != nil {
		p.listen(l.Addr())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	if p.sse {
		mux.Handle("/sse", h) // where clients of it look
	}
	mux.Handle("/status", p.g.StatusHandler(opt))
	// A client that sends no whole head costs a connection for so long.
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), p.drain)
	defer cancel()
	err = h.Shutdown(end)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("calls did not finish in time")
	}
	_ = srv.Shutdown(end)
	_ = srv.Close() // whatever is still connected has had its time
	return err
}

// load reads the file, and logs what it warns of.
func (p *program) load() (config.Config, error) {
	c, err := config.Load(p.file)
	if err != nil {
		return c, err
	}
	for _, w := range c.Warnings {
		p.logger.Warn("gateway: " + w.Error())
	}
	if len(c.Servers) == 0 {
		p.logger.Warn("gateway: there are no servers", "file", p.file)
	}
	return c, nil
}

// servers are the servers of a file for a Relay.
func (p *program) servers(c config.Config) []relay.Server {
	list := make([]relay.Server, 0, len(c.Servers))
	for _, s := range c.Servers {
		r := relay.Server{Name: s.Name, Definition: s.Definition(), Options: manager.Options{Resubscribe: true}}
		if s.URL != "" {
			header := http.Header{}
			for name, v := range s.Header {
				header.Set(name, v)
			}
			r.Options.Endpoint = dial.URL{URL: s.URL, Header: header}
		} else {
			r.Options.Endpoint = dial.Command{Args: append([]string{lookUp(s.Command, s.Env)}, s.Args...), Env: append([]string{p.within}, s.Env...), Dir: s.Dir, Stderr: os.Stderr}
		}
		list = append(list, r)
	}
	return list
}
