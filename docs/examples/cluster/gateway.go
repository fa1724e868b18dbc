package main

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// newGateway returns a gateway in front of a server, which is a command, and its handler. Each session has its own
// child, at the process that is its home.
func newGateway(command string, key [16]byte, opt nethttp.Options) (*gateway.Gateway, *nethttp.Handler, error) {
	args := strings.Fields(command)
	g, err := gateway.New(gateway.Options{
		Relay: relay.Config{
			Info:    protocol.Implementation{Name: "cluster", Version: "1.0.0"},
			Manager: manager.Config{Client: client.Config{Revisions: protocol.AllRevisions()}},
		},
		Server: server.Config{HashKey: key, Revisions: protocol.AllRevisions()},
		Servers: []relay.Server{{
			Name: "server", Definition: command, Options: manager.Options{Endpoint: dial.Command{Args: args, Stderr: os.Stderr}, Resubscribe: true},
		}},
		Log: opt.Log,
	})
	if err != nil {
		return nil, nil, err
	}
	h, err := g.Handler(opt)
	return g, h, err
}

// serveInternal serves what other processes pass on to h, until stop is called. Call stop after h has ended, because
// others consider a process dead that refuses connections.
func serveInternal(l net.Listener, h *nethttp.Handler, log *slog.Logger) (stop func()) {
	s := &http.Server{Handler: h.Internal(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // until Close
	}()
	return func() {
		_ = s.Close()
		<-done
	}
}
