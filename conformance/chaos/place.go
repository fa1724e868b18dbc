package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/conformance/tables"
)

// place is the store, with its possible faults.
type place struct {
	url      string
	stop     func(i int, d time.Duration) error // suspends one of its servers, for a while
	slow     func(late, d time.Duration)        // delays all its traffic, for a while
	failover func(i int, d time.Duration) error // another server replaces one
	servers  int
	loses    bool // a failover loses writes
}

// errFault says that a store does not have the fault.
var errFault = errors.New("-fault is one that the store does not have")

// fault causes a fault of the store, for a while.
func (p *place) fault(what string, i int, d time.Duration) error {
	switch {
	case what == "stop" && p.stop != nil:
		return p.stop(i%p.servers, d)
	case what == "slow" && p.slow != nil:
		p.slow(late, d)
		return nil
	case what == "failover" && p.failover != nil:
		return p.failover(i%p.servers, d)
	}
	return fmt.Errorf("%w: %q", errFault, what)
}

// late is the delay of a slow store, each way.
const late = 300 * time.Millisecond

func stopFor(p *os.Process, d time.Duration) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(d)
	return p.Signal(syscall.SIGCONT)
}

func slowly(k *link) func(late, d time.Duration) {
	return func(late, d time.Duration) {
		k.slow(late)
		time.Sleep(d)
		k.slow(0)
	}
}

// linked makes the processes reach an address by a link if that may become slow, or another one.
func (f *fleet) linked(addr string) (*link, error) {
	k, err := newLink(addr)
	if err == nil {
		f.end = append(f.end, k.close)
	}
	return k, err
}

// newRedis starts a Redis server, and a replica of it for failovers. The error is tables.ErrNoRedis without
// a redis-server.
func (s *settings) newRedis(f *fleet) (*place, error) {
	count := 1
	if s.fault == "failover" {
		count = 2
	}
	var all []*tables.Redis
	for i := range count {
		dir := filepath.Join(f.dir, fmt.Sprint("redis", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		r, err := tables.NewRedis(dir)
		if err != nil {
			return nil, err
		}
		f.end = append(f.end, func() { _ = r.Stop() })
		all = append(all, r)
	}
	p := &place{url: all[0].URL(), servers: 1, loses: true}
	p.stop = func(_ int, d time.Duration) error { return stopFor(all[0].Process(), d) }
	if s.fault != "failover" && s.fault != "slow" {
		return p, nil
	}
	front, err := f.linked(all[0].Addr())
	if err != nil {
		return nil, err
	}
	p.url, p.slow = "redis://"+front.addr(), slowly(front)
	if count == 1 {
		return p, nil
	}
	behind, err := f.linked(all[0].Addr()) // the traffic of the replica
	if err != nil {
		return nil, err
	}
	if err := follow(all[1], behind); err != nil {
		return nil, err
	}
	p.failover = func(_ int, d time.Duration) error {
		behind.hold() // writes from now on are lost
		time.Sleep(d)
		if _, err := ask(all[1].Addr(), "REPLICAOF NO ONE"); err != nil {
			return err
		}
		front.turn(all[1].Addr())
		behind.turn(all[1].Addr())
		behind.release()
		all[0], all[1] = all[1], all[0]
		return follow(all[1], behind)
	}
	return p, nil
}

// follow makes a server the replica of the server behind a link, and waits until it has all data.
func follow(r *tables.Redis, behind *link) error {
	host, port, err := net.SplitHostPort(behind.addr())
	if err == nil {
		_, err = ask(r.Addr(), "REPLICAOF "+host+" "+port)
	}
	for end := time.Now().Add(patience); err == nil; time.Sleep(20 * time.Millisecond) {
		var info string
		switch info, err = ask(r.Addr(), "INFO replication"); {
		case strings.Contains(info, "master_link_status:up"):
			return nil
		case time.Now().After(end):
			return errors.New("the replica does not follow: " + info)
		}
	}
	return err
}

// ask sends a command to a server of Redis, and returns its answer.
func ask(addr, command string) (string, error) {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return "", err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := fmt.Fprintf(c, "%s\r\n", command); err != nil {
		return "", err
	}
	r := bufio.NewReader(c)
	line, err := r.ReadString('\n')
	if n := 0; err == nil && strings.HasPrefix(line, "$") {
		if _, err := fmt.Sscanf(line, "$%d", &n); err != nil {
			return "", err
		}
		text := make([]byte, n)
		for at := 0; at < n; {
			more, err := r.Read(text[at:])
			if err != nil {
				return "", err
			}
			at += more
		}
		return string(text), nil
	}
	if err == nil && strings.HasPrefix(line, "-") {
		return "", errors.New(addr + ": " + line)
	}
	return line, err
}

// newNATS starts a NATS server, or a cluster of three for failovers.
func (s *settings) newNATS(f *fleet) (*place, error) {
	count := 1
	if s.fault == "failover" {
		count = 3
	}
	var addrs, routes, urls []string
	for range 2 * count {
		addr, err := free()
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	addrs, routes = addrs[:count], addrs[count:]
	p := &place{servers: count}
	nodes := make([]*exec.Cmd, count)
	start := func(i int) (err error) {
		args := []string{"-node", addrs[i], "-dir", filepath.Join(f.dir, fmt.Sprint("nats", i))}
		if count > 1 {
			args = append(args, "-route", routes[i], "-routes", strings.Join(routes, ","))
		}
		if p.slow != nil {
			args = append(args, "-advertise", strings.TrimPrefix(urls[0], "nats://"))
		}
		nodes[i], err = f.spawn("nats.log", args...)
		return err
	}
	f.end = append(f.end, func() {
		for _, c := range nodes {
			if c != nil {
				kill(c)
			}
		}
	})
	for _, addr := range addrs {
		if s.fault == "slow" {
			k, err := f.linked(addr)
			if err != nil {
				return nil, err
			}
			addr, p.slow = k.addr(), slowly(k)
		}
		urls = append(urls, "nats://"+addr)
	}
	p.url = strings.Join(urls, ",")
	for i := range nodes {
		if err := start(i); err != nil {
			return nil, err
		}
	}
	for _, addr := range addrs {
		if err := reachable(addr); err != nil {
			return nil, err
		}
	}
	p.stop = func(i int, d time.Duration) error { return stopFor(nodes[i].Process, d) }
	if count == 1 {
		return p, nil
	}
	p.failover = func(i int, d time.Duration) error {
		kill(nodes[i])
		time.Sleep(d)
		if err := start(i); err != nil {
			return err
		}
		return reachable(addrs[i])
	}
	return p, nil
}
