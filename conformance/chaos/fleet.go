package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// patience is how long anything may take to begin.
const patience = 30 * time.Second

// fleet is a store, its processes and the proxy in front of them.
type fleet struct {
	dir     string
	url     string // of the store
	program string // of the processes; empty for this one
	before  string // the server behind them if they are gateways; otherwise empty
	lease   time.Duration
	proxy   *proxy
	place   *place // nil for memory
	end     []func()

	mu      sync.Mutex
	servers []*process
	gone    Stats // of killed processes, as of shortly before
}

// process is one server.
type process struct {
	addr string
	cmd  *exec.Cmd
}

func free() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String(), nil
}

// spawn starts another process of this program.
func (f *fleet) spawn(log string, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return f.run(self, log, args...)
}

func (f *fleet) run(program, log string, args ...string) (*exec.Cmd, error) {
	out, err := os.OpenFile(filepath.Join(f.dir, log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = out, out
	c.SysProcAttr = dying()
	return c, c.Start()
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
}

// newFleet starts a store and the processes. The error is tables.ErrNoRedis if there is no redis-server.
func (s *settings) newFleet() (*fleet, error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return nil, err
	}
	f := &fleet{dir: dir, lease: s.lease, url: s.store, program: s.program, before: s.before}
	f.end = append(f.end, func() { _ = os.RemoveAll(dir) })
	switch s.store {
	case "memory":
	case "redis":
		f.place, err = s.newRedis(f)
	case "nats":
		f.place, err = s.newNATS(f)
	default:
		return f, fmt.Errorf("-store is %q: want memory, redis or nats", s.store)
	}
	if err != nil {
		return f, err
	}
	if f.place != nil {
		f.url = f.place.url
	}
	for range s.servers {
		addr, err := free()
		if err != nil {
			return f, err
		}
		p := &process{addr: addr}
		f.servers = append(f.servers, p)
		if err := f.start(p); err != nil {
			return f, err
		}
	}
	f.proxy, err = newProxy(s.addr, f.addrs())
	return f, err
}

func (f *fleet) addrs() (list []string) {
	for _, p := range f.servers {
		list = append(list, p.addr)
	}
	return list
}

func (f *fleet) marks() string { return filepath.Join(f.dir, "marks") }

func (f *fleet) start(p *process) error {
	for range 20 { // a NATS server may not store yet
		var err error
		if f.program != "" {
			p.cmd, err = f.run(f.program, "server.log", "-addr", p.addr, "-store", f.url, "-key", "chaos", "-liveness", "127.0.0.1:0", "-before", f.before)
		} else {
			p.cmd, err = f.spawn("server.log", "-serve", p.addr, "-url", f.url, "-marks", f.marks(), "-lease", f.lease.String())
		}
		if err != nil {
			return err
		}
		if err = reachable(p.addr); err == nil {
			return nil
		}
		kill(p.cmd)
	}
	return errors.New("a server does not start: " + f.log())
}

// reachable waits until the address accepts connections.
func reachable(addr string) error {
	var err error
	for range 250 {
		var c net.Conn
		if c, err = net.Dial("tcp", addr); err == nil {
			return c.Close()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// log returns the end of what the servers wrote.
func (f *fleet) log() string {
	text, _ := os.ReadFile(filepath.Join(f.dir, "server.log"))
	return string(text[max(0, len(text)-2000):])
}

// stats returns the operations of all processes on the store.
func (f *fleet) stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.gone
	for _, p := range f.servers {
		all = all.plus(p.stats())
	}
	return all
}

func (p *process) stats() (s Stats) {
	client := http.Client{Timeout: time.Second}
	resp, err := client.Get("http://" + p.addr + "/stats")
	if err != nil {
		return s
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || json.Unmarshal(text, &s) != nil {
		return Stats{}
	}
	return s
}

// kill kills a process and replaces it a while later.
func (f *fleet) kill(i int, away time.Duration) error {
	p := f.servers[i]
	f.mu.Lock()
	f.gone = f.gone.plus(p.stats())
	f.mu.Unlock()
	kill(p.cmd)
	time.Sleep(away)
	return f.start(p)
}

// freeze suspends a process for a while.
func (f *fleet) freeze(i int, d time.Duration) error {
	return stopFor(f.servers[i].cmd.Process, d)
}

func (f *fleet) close() {
	if f.proxy != nil {
		f.proxy.close()
	}
	for _, p := range f.servers {
		if p.cmd != nil {
			kill(p.cmd)
		}
	}
	for i := len(f.end) - 1; i >= 0; i-- {
		f.end[i]()
	}
}
