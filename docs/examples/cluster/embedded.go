package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	natsd "github.com/nats-io/nats-server/v2/server"
)

// embedded are NATS servers within this process.
type embedded struct {
	count int
	dir   string
	port  int
	peers string // of the cluster; empty if they are all of it
	self  int
}

// maxPayload is the greatest length of a record, with what NATS needs for itself.
const maxPayload = 8 << 20

// replicas is how many servers keep a record.
func (e embedded) replicas() int {
	switch n := max(e.count, strings.Count(e.peers, ",")+1); {
	case n >= 5:
		return 5
	case n >= 3:
		return 3
	default:
		return 1
	}
}

// start starts the servers, and returns their urls.
func (e embedded) start() (urls string, stop func(), err error) {
	var servers []*natsd.Server
	dir := e.dir
	stop = func() {
		for _, s := range servers {
			s.Shutdown()
			s.WaitForShutdown()
		}
		if e.dir == "" && dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "cluster"); err != nil {
			return "", stop, err
		}
	}
	var peers []string // where each accepts routes from the others
	if e.peers != "" {
		peers = strings.Split(e.peers, ",")
	} else if e.count > 1 {
		for i := range e.count {
			peers = append(peers, net.JoinHostPort("127.0.0.1", strconv.Itoa(e.port+2000+i)))
		}
	}
	var list []string
	for i := range e.count {
		opt := &natsd.Options{
			ServerName: fmt.Sprint("node", e.self+i), Host: "127.0.0.1", Port: e.port + i, JetStream: true,
			StoreDir: filepath.Join(dir, fmt.Sprint("node", e.self+i)), MaxPayload: maxPayload, NoSigs: true,
		}
		if len(peers) > 0 {
			if e.self+i >= len(peers) {
				return "", stop, fmt.Errorf("-self is %d: want one of the %d of -cluster", e.self, len(peers))
			}
			host, port, err := net.SplitHostPort(peers[e.self+i])
			if err != nil {
				return "", stop, fmt.Errorf("-cluster: %w", err)
			}
			opt.Cluster = natsd.ClusterOpts{Name: "mcp", Host: host}
			if opt.Cluster.Port, err = strconv.Atoi(port); err != nil {
				return "", stop, fmt.Errorf("-cluster: %w", err)
			}
			opt.Routes = natsd.RoutesFromStr("nats://" + strings.Join(peers, ",nats://"))
		}
		if err := vacant("-port", opt.Host, opt.Port); err != nil {
			return "", stop, err
		}
		if len(peers) > 0 {
			if err := vacant("-port + 2000, or -cluster", opt.Cluster.Host, opt.Cluster.Port); err != nil {
				return "", stop, err
			}
		}
		s, err := natsd.NewServer(opt)
		if err != nil {
			return "", stop, err
		}
		s.Start()
		servers = append(servers, s)
		list = append(list, fmt.Sprintf("nats://127.0.0.1:%d", opt.Port))
	}
	for _, s := range servers {
		if !s.ReadyForConnections(patience) {
			return "", stop, fmt.Errorf("a server of NATS is not ready within %v: do its peers run, and is its port free?", patience)
		}
	}
	return strings.Join(list, ","), stop, nil
}

// vacant returns an error that names a flag if the address is in use. A NATS server would try for a minute.
func vacant(flag, host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return l.Close()
}
