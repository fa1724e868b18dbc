package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/docs/examples/gateway/config"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	serverstdio "github.com/sansmcp/mcp/server/stdio"
)

// program is a gateway with its file.
type program struct {
	settings
	in      io.Reader
	out     io.Writer
	log     *lossy
	reload  <-chan os.Signal
	show    <-chan os.Signal
	ask     func(ctx context.Context, in config.Input) (string, bool) // asks at a terminal; nil for none
	listen  func(addr net.Addr)                                       // gets the listening address; may be nil
	g       *gateway.Gateway
	users   users                         // nil for anyone
	pages   *login.Pages                  // nil without logins
	trades  exchanges                     // nil without any
	current atomic.Pointer[config.Config] // the current file
	logger  *slog.Logger
	within  string // tells servers the gateways that they are behind
}

// How long servers may take, and how often they are tried.
const (
	termTime  = time.Second     // to end, before SIGTERM, and again before SIGKILL
	pingTime  = 5 * time.Second // to answer a ping, or as long as they may be silent
	misses    = 2               // how many pings in a row may fail
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
	c, err := p.load(ctx)
	if err != nil {
		return err
	}
	p.ask = nil // the user who started it may be gone
	if p.strict && len(c.Refused) > 0 {
		return fmt.Errorf("%s: %d entries are refused, and -strict is set", p.file, len(c.Refused))
	}
	p.current.Store(&c)
	if p.userFile != "" {
		if p.users, err = readUsers(p.userFile); err != nil {
			return err
		}
	}
	if p.forUser != "" {
		if p.trades, err = readExchanges(p.forUser); err != nil {
			return err
		}
	}
	var serversOf func(server.Peer) []relay.Server
	if p.login != "" {
		if p.pages, err = p.newPages(); err != nil {
			return err
		}
		defer p.pages.Close()
		serversOf = p.serversOf
	}
	speaks := protocol.AllRevisions()
	if p.eras != "" {
		speaks = protocol.Revisions()
	}
	p.g, err = gateway.New(gateway.Options{
		Server: server.Config{Revisions: speaks},
		Relay: relay.Config{
			Info:         protocol.Implementation{Name: "gateway", Version: "1.0.0"},
			Naming:       p.policy(),
			Lists:        relay.Lists{Hold: p.settle},
			MessageBytes: p.message,
			Manager: manager.Config{
				Client:   client.Config{Revisions: speaks},
				Timeouts: manager.Timeouts{Ping: min(pingTime, cmp.Or(p.health, pingTime))},
				Health:   manager.Health{Interval: p.health, Misses: misses},
				Backoff:  backoff.Policy{Base: firstWait, Cap: longWait, Jitter: 0.2},
				Seed:     uint64(time.Now().UnixNano()),
			},
		},
		Servers: p.servers(c, ""), ServersOf: serversOf, CloseTimeout: 3 * termTime, RestAfter: cmp.Or(p.rest, lifecycle.NoTimeout), Log: p.logger,
		Dial: dial.Dialer{
			Stdio: child.Options{Term: termTime, Kill: termTime, MaxBytes: p.message},
			HTTP:  remote.Options{Exchange: exchange.Options{MaxBytes: p.message}},
		}.Dial,
	})
	if err != nil {
		return err
	}
	p.g.SetNotes(notes(nil, c))
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
	if errors.Is(failed, context.DeadlineExceeded) { // the calls were answered
		p.logger.Warn("gateway: calls did not finish in time")
		failed = nil
	}
	if err != nil && ctx.Err() != nil { // it was told to end, and did
		p.logger.Warn("gateway: ended", "err", err)
		err = nil
	}
	return errors.Join(err, failed)
}

// serveStdio serves one client.
func (p *program) serveStdio(ctx context.Context) error {
	if p.pages != nil {
		stop, err := p.serveLogin()
		if err != nil {
			return err
		}
		defer stop()
	}
	return p.g.Serve(ctx, p.in, p.out, serverstdio.Options{Drain: max(p.drain, time.Millisecond)})
}

// serveHTTP serves any number of clients, until ctx ends.
func (p *program) serveHTTP(ctx context.Context) error {
	opt := nethttp.Options{LegacySSE: p.sse, IdleTimeout: p.idle, MaxSessions: p.sessions, MaxBody: p.body, Log: p.logger}
	if p.users != nil {
		opt.Authenticate = p.users.client
	}
	h, err := p.g.Handler(opt)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		return err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() && p.users == nil {
		p.logger.Warn("gateway: public address without authentication", "addr", p.addr)
	}
	fmt.Fprintf(p.out, "listening on http://%v/mcp\n", l.Addr())
	if p.listen != nil {
		p.listen(l.Addr())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	if p.sse {
		mux.Handle("/sse", h) // the usual path for its clients
	}
	mux.Handle("/status", p.g.StatusHandler(opt))
	if p.pages != nil {
		u, _ := url.Parse(p.login) // NewPages has accepted it
		mux.Handle(strings.TrimSuffix(u.Path, "/")+"/", p.pages)
	}
	err = h.ServeOn(ctx, &http.Server{Handler: mux}, l, p.drain)
	if errors.Is(err, context.DeadlineExceeded) { // the calls were answered
		p.logger.Warn("gateway: calls did not finish in time")
		return nil
	}
	return err
}

// maxTold is how many refused entries are logged.
const maxTold = 100

// load reads the file, and logs its warnings and the faults of its entries.
func (p *program) load(ctx context.Context) (config.Config, error) {
	c, err := config.Load(p.file, config.Options{Dialect: p.dialect, Input: func(in config.Input) (string, bool) { return p.input(ctx, in) }})
	if err != nil {
		return c, err
	}
	for i, r := range c.Refused {
		if i == maxTold {
			p.logger.Error("gateway: more servers skipped", "servers", len(c.Refused)-maxTold)
			break
		}
		for _, f := range r.Faults {
			p.logger.Error("gateway: left out: " + f.Error())
		}
	}
	for _, w := range c.Warnings {
		p.logger.Warn("gateway: " + w.Error())
	}
	if len(c.Servers) == 0 {
		p.logger.Warn("gateway: no servers configured", "file", p.file)
	}
	return c, nil
}

// servers returns the servers of a file for a Relay, with the tokens of a principal.
func (p *program) servers(c config.Config, principal string) []relay.Server {
	list := make([]relay.Server, 0, len(c.Servers))
	for _, s := range c.Servers {
		r := relay.Server{Name: s.Name, Definition: s.Definition(), Filter: s.Filter, Options: manager.Options{Resubscribe: true}}
		if s.URL != "" {
			header := http.Header{}
			for name, v := range s.Header {
				header.Set(name, v)
			}
			at := dial.URL{URL: s.URL, Header: header}
			if p.pages != nil && header.Get("Authorization") == "" {
				at.Auth = p.pages.Visitor(principal, s.Name)
			}
			r.Options.Endpoint = at
		} else {
			r.Options.Endpoint = dial.Command{
				Args: append([]string{lookUp(s.Command, s.Env)}, s.Args...), Env: append([]string{p.within}, s.Env...), Dir: s.Dir,
				Stderr: &labelled{to: p.log, name: s.Name},
			}
		}
		list = append(list, r)
	}
	return list
}
