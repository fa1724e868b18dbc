package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/tables"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// A process of this test is a gateway if it is started with the arguments "gateway", an address and a store, and a
// server behind one if with "server".
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "gateway" && os.Args[1] != "server" {
		os.Exit(m.Run())
	}
	time.AfterFunc(2*time.Minute, func() { os.Exit(3) }) // whatever becomes of its test
	var err error
	if os.Args[1] == "server" {
		err = stdio.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: "behind", Version: "1"}}, behind(), os.Stdin, os.Stdout, stdio.Options{})
	} else {
		err = run(context.Background(), os.Args[2], os.Args[3], "key", "", embedded{}, gatewayOf{os.Args[0] + " server", "127.0.0.1:0"})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// behind has a tool that says which gateway has started the server, and one that does not return.
func behind() *server.Handlers {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "whose", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(strconv.Itoa(os.Getppid())), nil
	})
	h.Tool(protocol.Tool{Name: "hang", InputSchema: `{"type":"object"}`}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return nil, err
		}
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	return h
}

// balance passes each connection on to the next address that accepts it.
func balance(t *testing.T, addrs []string) string {
	t.Helper()
	var n atomic.Uint64
	dial := func(ctx context.Context, network, _ string) (conn net.Conn, err error) {
		for range addrs {
			var d net.Dialer
			if conn, err = d.DialContext(ctx, network, addrs[n.Add(1)%uint64(len(addrs))]); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}
	s := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1"}) },
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
	})
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// A client of a gateway of three processes keeps its session when the one is killed that has its server, in the middle of
// a call: the call fails and says why, and the next one is answered by a server of another process.
func TestGateway(t *testing.T) {
	t.Run("nats", func(t *testing.T) {
		nodes := embedded{count: 1, port: 20000 + 10*rand.IntN(500), dir: t.TempDir()}
		store, stop, err := nodes.start()
		defer stop()
		if err != nil {
			t.Fatal(err)
		}
		keepsItsSession(t, store)
	})
	t.Run("redis", func(t *testing.T) {
		r, err := tables.NewRedis(t.TempDir())
		if errors.Is(err, tables.ErrNoRedis) {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := r.Stop(); err != nil {
				t.Error(err)
			}
		}()
		keepsItsSession(t, r.URL())
	})
}

// keepsItsSession is TestGateway on a store. The processes end before it.
func keepsItsSession(t *testing.T, store string) {
	processes := map[string]*exec.Cmd{}
	var addrs []string
	for range 3 {
		addrs = append(addrs, free(t))
		cmd := exec.Command(os.Args[0], "gateway", addrs[len(addrs)-1], store)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[strconv.Itoa(cmd.Process.Pid)] = cmd
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
	}
	for _, addr := range addrs {
		post(t, addr, "", `{}`) // until it listens
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	way, err := remote.New(balance(t, addrs), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Revisions: protocol.Revisions()}, way, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(ctx) }()
	whose := func() string {
		t.Helper()
		r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "whose"}, session.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return protocol.TextOf(r.Content)
	}
	home := whose()
	for range 6 {
		if is := whose(); is != home || processes[is] == nil {
			t.Fatalf("%s answers, and then %s", home, is)
		}
	}
	for len(processes) > 1 {
		begun, lost := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, protocol.CallToolParams{Name: "hang"}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { begun <- struct{}{} }})
			lost <- err
		}()
		<-begun
		killed := time.Now()
		if err := processes[home].Process.Kill(); err != nil {
			t.Fatal(err)
		}
		delete(processes, home)
		err := <-lost
		if err == nil || !strings.Contains(err.Error(), "the process that ran the call was lost") {
			t.Error(err)
		}
		t.Logf("told after %v: %v", time.Since(killed), err)
		next := whose()
		t.Logf("answered after %v", time.Since(killed))
		if next == home || processes[next] == nil {
			t.Fatalf("%s was killed, and %s answers", home, next)
		}
		home = next
	}
}
