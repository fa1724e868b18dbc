// Command cluster is the application of stdioserver over Streamable HTTP, as one of many processes that serve the
// same sessions. It needs only Go:
//
//	export MCP_KEY=$(openssl rand -hex 16)
//	go run . -addr 127.0.0.1:8080 -embedded 1
//	go run . -addr 127.0.0.1:8081 -store nats://127.0.0.1:4222
//
// The first one runs a NATS server itself. With a separate store every process is like the second:
//
//	go run . -addr 127.0.0.1:8080 -store redis://127.0.0.1:6379
//
// All need the same MCP_KEY, or -key: with another one a process cannot read the sessions of the others.
//
// With -before COMMAND it is a gateway in front of a server. Each session has its own child of that command, at one of
// the processes. The others pass requests on to that process by its -internal address, and one of them takes its place
// when it dies:
//
//	go run . -addr 127.0.0.1:8081 -store nats://127.0.0.1:4222 -before "npx some-server"
//
// docs/cluster.md says more. SIGTERM and SIGINT end it: open calls may finish, for five seconds.
package main

import (
	"context"
	"crypto/sha256"
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

	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// drain is how long calls may continue after a signal.
const drain = 5 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	store := flag.String("store", memory, "where sessions live: memory, redis://HOST:PORT or nats://HOST:PORT")
	key := flag.String("key", os.Getenv("MCP_KEY"), "a secret that all processes share; default the environment's MCP_KEY")
	liveness := flag.String("liveness", "", "where this process tells the others that it lives, as 10.0.0.5:0; empty for nowhere")
	var nodes embedded
	var front gatewayOf
	flag.StringVar(&front.command, "before", "", "be a gateway in front of the server that this `command` is")
	flag.StringVar(&front.internal, "internal", "127.0.0.1:0", "with -before, the `address` at which other processes reach this one, and nobody else")
	flag.IntVar(&nodes.count, "embedded", 0, "run so many servers of NATS in this process, and use them as the store")
	flag.StringVar(&nodes.dir, "dir", "", "what they store; empty for a folder that goes with the process")
	flag.IntVar(&nodes.port, "port", 4222, "where the first of them listens")
	flag.StringVar(&nodes.peers, "cluster", "", "HOST:PORT,HOST:PORT,… of the servers of NATS that are one cluster, with -embedded 1")
	flag.IntVar(&nodes.self, "self", 0, "which of -cluster is this one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	if err := run(ctx, *addr, *store, *key, *liveness, nodes, front); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// gatewayOf are the settings of a gateway.
type gatewayOf struct{ command, internal string }

func run(ctx context.Context, addr, store, key, liveness string, nodes embedded, front gatewayOf) (err error) {
	if nodes.count > 0 {
		url, stop, err := nodes.start()
		defer stop()
		if err != nil {
			return err
		}
		fmt.Println("nats server at", url)
		store = url
	}
	if key == "" && store != memory {
		return errors.New("-key is empty: want a secret that all processes share, such as MCP_KEY=$(openssl rand -hex 16)")
	}
	table, end, err := open(ctx, store, nodes.replicas())
	if err != nil {
		return err
	}
	defer end() // the Table and its client, after the Handler
	opt := nethttp.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Liveness: liveness}
	if table != nil {
		opt.Store = nethttp.NewShared(table)
	}
	sum := sha256.Sum256([]byte(key))
	secret := [16]byte(sum[:])
	var h *nethttp.Handler
	if front.command == "" {
		h, err = serveApp(secret, opt)
	} else {
		var inner net.Listener
		if inner, err = net.Listen("tcp", front.internal); err != nil {
			return err
		}
		defer inner.Close()
		opt.Internal.URL = "http://" + inner.Addr().String()
		var g *gateway.Gateway
		if g, h, err = newGateway(front.command, secret, opt); err == nil {
			defer serveInternal(inner, h, opt.Log)()
			defer func() {
				end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
				defer cancel()
				err = errors.Join(err, g.Close(end))
			}()
		}
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%v/mcp\n", l.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	err = h.ServeOn(ctx, &http.Server{Handler: mux}, l, drain)
	if errors.Is(err, context.DeadlineExceeded) { // calls that it could not wait for are answered
		opt.Log.Warn("calls were stopped", "err", err)
		return nil
	}
	return err
}

// serveApp returns the handler of the application.
func serveApp(secret [16]byte, opt nethttp.Options) (*nethttp.Handler, error) {
	cfg := app.Config("cluster")
	cfg.HashKey = secret
	a, err := app.New()
	if err != nil {
		return nil, err
	}
	h, err := nethttp.NewHandler(cfg, a.Handlers(), opt)
	if err == nil {
		a.ServedBy(front{h})
	}
	return h, err
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
	return r.Roots, err
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
