package tables

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// RedisProgram is the server of Debian's package redis-server.
const RedisProgram = "redis-server"

// ErrNoRedis says that the program is not installed.
var ErrNoRedis = errors.New("tables: there is no " + RedisProgram + ": apt-get install -y redis-server")

// Redis is a Redis server on this machine, which stores its data in a folder.
type Redis struct {
	dir  string
	port int
	cmd  *exec.Cmd
}

// NewRedis starts a server on a free port. Errors: ErrNoRedis.
func NewRedis(dir string) (*Redis, error) {
	if _, err := exec.LookPath(RedisProgram); err != nil {
		return nil, ErrNoRedis
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Redis{dir: dir, port: l.Addr().(*net.TCPAddr).Port}
	if err := l.Close(); err != nil {
		return nil, err
	}
	return r, r.Start()
}

// Addr returns the address of the server.
func (r *Redis) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// URL returns the url for clients.
func (r *Redis) URL() string { return "redis://" + r.Addr() }

// Start starts the server, with its stored data, and waits until it answers.
func (r *Redis) Start() error {
	r.cmd = exec.Command(RedisProgram, "--bind", "127.0.0.1", "--port", strconv.Itoa(r.port), "--dir", r.dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--loglevel", "warning")
	if err := r.cmd.Start(); err != nil {
		return err
	}
	for range 500 {
		if conn, err := net.Dial("tcp", r.Addr()); err == nil {
			_, err = conn.Write([]byte("PING\r\n"))
			answer := make([]byte, 5)
			if err == nil {
				_, err = conn.Read(answer)
			}
			if e := conn.Close(); err == nil && e == nil && string(answer) == "+PONG" {
				return nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.Join(fmt.Errorf("tables: %s does not answer at %s", RedisProgram, r.Addr()), r.Stop())
}

// Process returns the process of the server, for example to suspend it.
func (r *Redis) Process() *os.Process { return r.cmd.Process }

// Stop kills the server.
func (r *Redis) Stop() error {
	err := r.cmd.Process.Kill()
	_ = r.cmd.Wait() // it was killed
	return err
}
