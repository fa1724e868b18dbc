package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// measure is the gateway: it starts everything, and measures itself between the steps of the clients.
func measure(s settings) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	g, err := start(self, s)
	if err != nil {
		return err
	}
	h, err := g.Handler(nethttp.Options{MaxConnections: 4 * s.n, MaxSessions: 4 * s.n, Authenticate: byName})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: h}
	go func() { _ = web.Serve(l) }()
	defer func() {
		h.Close()
		err = errors.Join(err, web.Close(), g.Close(context.Background()))
	}()
	c, err := clients(self, "http://"+l.Addr().String()+"/", s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	return c.steps(s)
}

// start makes the gateway in front of a server for each party.
func start(self string, s settings) (*gateway.Gateway, error) {
	info := protocol.Implementation{Name: "gateway", Version: "1.0.0"}
	// By default a party has 250 subscriptions, a quarter of Inbound, and 256 parked calls, of which a
	// server has asked 64.
	each := s.n/s.parties + 1
	return gateway.New(gateway.Options{
		Server: server.Config{Revisions: protocol.AllRevisions(), Limits: lifecycle.Limits{Inbound: 4 * each}},
		Relay: relay.Config{
			Info: info, Naming: naming.Policy{Names: naming.Plain},
			Held:    relay.Held{Requests: each},
			Manager: manager.Config{Client: client.Config{Info: info, Limits: lifecycle.Limits{Inbound: each}}},
		},
		Servers:   []relay.Server{{Name: "one", Options: manager.Options{Endpoint: dial.Command{Args: []string{self, "server"}, Stderr: os.Stderr}}}},
		RestAfter: lifecycle.NoTimeout,
	})
}

// byName accepts a client's own name as its principal.
func byName(r *http.Request) (nethttp.Principal, error) {
	return nethttp.Principal{ID: r.Header.Get("User")}, nil
}

// figures are the measured sizes of the gateway.
type figures struct {
	bytes      uint64 // of the heap and the stacks
	goroutines int
}

// now measures after a garbage collection.
func now() figures {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return figures{m.HeapAlloc + m.StackInuse, runtime.NumGoroutine()}
}

// crew is the process of the clients. It does a step for each line, and answers with a line.
type crew struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func clients(self, url string, s settings) (*crew, error) {
	cmd := exec.Command(self, "-n", strconv.Itoa(s.n), "-parties", strconv.Itoa(s.parties), "-workers", strconv.Itoa(s.workers), "clients", url)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &crew{cmd, in, bufio.NewScanner(out)}, cmd.Start()
}

// do lets the clients do a step, and returns their answer.
func (c *crew) do(step string) (string, error) {
	if _, err := fmt.Fprintln(c.in, step); err != nil {
		return "", fmt.Errorf("%s: %w", step, err)
	}
	if !c.lines.Scan() {
		return "", fmt.Errorf("%s: the clients have failed", step)
	}
	return c.lines.Text(), nil
}

func (c *crew) end() error {
	return errors.Join(c.in.Close(), c.cmd.Wait())
}

// steps lets the clients do all steps, and prints the cost.
func (c *crew) steps(s settings) error {
	if _, err := c.do("meet"); err != nil { // so that servers run before the first measure
		return err
	}
	var before figures
	for _, step := range []string{"park", "answer", "listen", "write", "leave"} {
		kept := step == "park" || step == "listen"
		if kept {
			before = now()
		}
		said, err := c.do(step)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%-7s %6d in %s", step, s.n, said)
		switch after := now(); {
		case kept:
			line += fmt.Sprintf("; each keeps %d bytes and %.2f goroutines", (int64(after.bytes)-int64(before.bytes))/int64(s.n),
				float64(after.goroutines-before.goroutines)/float64(s.n))
		case step != "write":
			left := settled(before.goroutines)
			line += fmt.Sprintf("; %d goroutines more than before, %d bytes each", left, (int64(now().bytes)-int64(before.bytes))/int64(s.n))
			if left > 2*s.workers {
				err = fmt.Errorf("%s: %d goroutines are left", step, left)
			}
		}
		fmt.Println(strings.TrimRight(line, " "))
		if err != nil {
			return err
		}
	}
	return nil
}

// settled returns how many more goroutines there are than at first, once those of closed
// connections have had time to end.
func settled(first int) (more int) {
	for range 100 {
		if more = runtime.NumGoroutine() - first; more <= 0 {
			return more
		}
		time.Sleep(50 * time.Millisecond)
	}
	return more
}
