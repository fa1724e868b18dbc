package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/jetstream"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/redis"
	"github.com/sansmcp/mcp/server/typed"
)

// nodeAt is the address of a NATS server.
type nodeAt struct {
	addr, dir     string
	advertise     string // the address for clients; "" means addr
	route, routes string // in a cluster: its own address there, and those of all
}

// node is a NATS server in its own process, until that is killed.
func node(at nodeAt) error {
	a, err := net.ResolveTCPAddr("tcp", at.addr)
	if err != nil {
		return err
	}
	opt := &natsd.Options{Host: a.IP.String(), Port: a.Port, JetStream: true, StoreDir: at.dir, MaxPayload: 8 << 20, NoSigs: true, ClientAdvertise: at.advertise}
	if at.routes != "" {
		r, err := net.ResolveTCPAddr("tcp", at.route)
		if err != nil {
			return err
		}
		opt.ServerName = at.addr
		opt.Cluster = natsd.ClusterOpts{Name: "chaos", Host: r.IP.String(), Port: r.Port}
		opt.Routes = natsd.RoutesFromStr("nats://" + strings.ReplaceAll(at.routes, ",", ",nats://"))
	}
	s, err := natsd.NewServer(opt)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		return errors.New("the server of NATS does not start")
	}
	select {}
}

// Stats are the operations of a process on its store since its start.
type Stats struct {
	Gets, Puts, Refused, In, Out, Waits, Cluster int64
}

func (s Stats) minus(t Stats) Stats {
	return Stats{s.Gets - t.Gets, s.Puts - t.Puts, s.Refused - t.Refused, s.In - t.In, s.Out - t.Out, s.Waits - t.Waits, s.Cluster - t.Cluster}
}

func (s Stats) plus(t Stats) Stats { return s.minus(Stats{}.minus(t)) }

// store is the common interface of both Tables.
type store interface {
	nethttp.Table
	nethttp.Cluster
	nethttp.Changes
}

// counted counts operations of a store.
type counted struct {
	store
	deeds                                        deeds
	gets, puts, refused, in, out, waits, cluster atomic.Int64
}

func (c *counted) stats() Stats {
	return Stats{c.gets.Load(), c.puts.Load(), c.refused.Load(), c.in.Load(), c.out.Load(), c.waits.Load(), c.cluster.Load()}
}

func (c *counted) Get(ctx context.Context, id string) ([]byte, error) {
	c.gets.Add(1)
	data, err := c.store.Get(ctx, id)
	c.in.Add(int64(len(data)))
	return data, err
}

func (c *counted) Put(ctx context.Context, id string, data []byte, step uint64, keep time.Duration) error {
	c.puts.Add(1)
	c.out.Add(int64(len(data)))
	err := c.store.Put(ctx, id, data, step, keep)
	if errors.Is(err, nethttp.ErrStep) {
		c.refused.Add(1)
	}
	return err
}

// branches is counted for a store with Branches.
type branches struct {
	*counted
	nethttp.Branches
}

func (b branches) PutOn(ctx context.Context, branch uint64, id string, data []byte, step uint64, keep time.Duration) error {
	b.puts.Add(1)
	b.out.Add(int64(len(data)))
	err := b.Branches.PutOn(ctx, branch, id, data, step, keep)
	if errors.Is(err, nethttp.ErrStep) {
		b.refused.Add(1)
	}
	return err
}

func (c *counted) GetSince(ctx context.Context, id, mark string) (data []byte, all bool, next string, err error) {
	c.gets.Add(1)
	data, all, next, err = c.store.GetSince(ctx, id, mark)
	c.in.Add(int64(len(data)))
	return data, all, next, err
}

func (c *counted) Append(ctx context.Context, branch uint64, id, mark string, data []byte, step uint64, keep time.Duration) (string, error) {
	c.puts.Add(1)
	c.out.Add(int64(len(data)))
	next, err := c.store.Append(ctx, branch, id, mark, data, step, keep)
	if errors.Is(err, nethttp.ErrStep) {
		c.refused.Add(1)
	}
	return next, err
}

func (c *counted) Wait(ctx context.Context, id string, step uint64) error {
	c.waits.Add(1)
	return c.store.Wait(ctx, id, step)
}

func (c *counted) Disown(ctx context.Context, process, session string, mark uint64) error {
	c.cluster.Add(1)
	return c.store.Disown(ctx, process, session, mark)
}

func open(ctx context.Context, url string) (store, error) {
	if strings.HasPrefix(url, "redis") {
		client, err := redis.Dial(url)
		if err != nil {
			return nil, err
		}
		return redis.New(client, redis.Options{})
	}
	conn, err := jetstream.Dial(url)
	if err != nil {
		return nil, err
	}
	replicas := 1
	if strings.Count(url, ",") == 2 {
		replicas = 3
	}
	return jetstream.New(ctx, conn, jetstream.Options{Replicas: replicas})
}

// markArgs are the arguments of the tool mark.
type markArgs struct {
	ID    string `json:"id"`
	MS    int64  `json:"ms"`
	Steps int64  `json:"steps"`
	Ask   bool   `json:"ask,omitempty"`
}

// tools has one tool, which records its start in a file, and then follows its arguments.
func tools(marks *os.File) *server.Handlers {
	hs := new(server.Handlers)
	typed.Tool(hs, protocol.Tool{Name: "mark", Description: "Writes its id into a file, tells of its progress, asks the model, and answers."},
		func(ctx context.Context, c server.Caller, in markArgs) (string, error) {
			if _, err := fmt.Fprintf(marks, "%s %d %d\n", in.ID, os.Getpid(), time.Now().UnixNano()); err != nil {
				return "", err
			}
			text := fmt.Sprintf("marked %s by %d", in.ID, os.Getpid())
			if in.Ask {
				body, err := c.Request(ctx, protocol.CreateMessageParams{
					Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("for " + in.ID)}}},
					MaxTokens: 10,
				}, server.RequestOptions{})
				if err != nil {
					return "", err
				}
				r, err := protocol.Decode[protocol.CreateMessageResult](body)
				if err != nil {
					return "", err
				}
				text += ", told " + protocol.TextOf(r.Content)
			}
			steps := max(1, in.Steps)
			for i := range steps {
				select {
				case <-time.After(time.Duration(in.MS) * time.Millisecond / time.Duration(steps)):
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
				if in.Steps > 0 {
					_ = c.Progress(protocol.ProgressParams{Progress: float64(i + 1), Message: "step of " + in.ID}) // it may be lost
				}
			}
			return text, nil
		})
	return hs
}

// leasesOf is the suffix of the file of deeds, after the name of that of marks.
const leasesOf = ".leases"

// serve is one process of many, until it is killed.
func serve(addr, url, marks string, lease time.Duration) error {
	f, err := os.OpenFile(marks, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	cfg := server.Config{Info: protocol.Implementation{Name: "chaos", Version: "1"}, HashKey: [16]byte{1, 2, 3}, Logging: true}
	opt := nethttp.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Lease: lease, Liveness: "127.0.0.1:0"}
	stats := func() Stats { return Stats{} }
	record := func(context.Context, string) ([]byte, error) { return nil, nethttp.ErrNoSession }
	if url != "memory" {
		s, err := open(context.Background(), url)
		if err != nil {
			return err
		}
		leases, err := os.OpenFile(marks+leasesOf, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		c := &counted{store: s}
		c.deeds.out = leases
		var t nethttp.Table = c
		if b, ok := s.(nethttp.Branches); ok {
			t = branches{c, b}
		}
		opt.Store, stats, record = nethttp.NewShared(t), c.stats, s.Get
	}
	h, err := nethttp.NewHandler(cfg, tools(f), opt)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/stats", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(stats()) // the requester has left
	})
	mux.HandleFunc("/goroutines", func(w http.ResponseWriter, _ *http.Request) {
		_ = pprof.Lookup("goroutine").WriteTo(w, 2)
	})
	mux.HandleFunc("/record", func(w http.ResponseWriter, r *http.Request) {
		data, err := record(r.Context(), r.FormValue("id"))
		_, _ = fmt.Fprintf(w, "%s\n%v\n", data, err)
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return h.ServeOn(ctx, &http.Server{Handler: mux}, l, time.Second)
}
