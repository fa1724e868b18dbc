package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is the program that is spoken to, which may be started again.
type server struct {
	argv []string
	addr string

	mu   sync.Mutex
	cmd  *exec.Cmd
	gone chan error
}

// start starts the server and waits until it accepts connections.
func (s *server) start(stop context.Context) error {
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return err
	}
	cmd, gone, err := start(replaced(s.argv, "{addr}", s.addr, "{port}", port), os.Stderr, "PORT="+port)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.cmd, s.gone = cmd, gone
	s.mu.Unlock()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			return c.Close()
		}
		select {
		case err := <-gone:
			return fmt.Errorf("the server did not start: %w", err)
		case <-stop.Done():
			return errors.New("stopped by a signal")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("the server does not listen after 20 s")
}

// restart kills the server and starts it anew.
func (s *server) restart(stop context.Context) error {
	s.kill()
	<-s.gone
	return s.start(stop)
}

// kill ends the server and what it started, at once.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		kill(s.cmd)
	}
}

// end checks that the server has survived its client, and ends it.
func (s *server) end(stops bool) error {
	s.mu.Lock()
	cmd, gone := s.cmd, s.gone
	s.mu.Unlock()
	select {
	case err := <-gone:
		return fmt.Errorf("the server has ended before its time: %w", err)
	default:
	}
	fmt.Println("ok   the server is still there when the client has gone")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if !stops {
		select {
		case <-gone:
		case <-time.After(200 * time.Millisecond): // it is killed then
		}
		return nil
	}
	select {
	case err := <-gone:
		if err != nil {
			return fmt.Errorf("the server at SIGTERM: %w", err)
		}
		fmt.Println("ok   the server ends by itself with 0 at SIGTERM")
		return nil
	case <-time.After(5 * time.Second):
		return errors.New("the server is still there 5 s after SIGTERM")
	}
}

func replaced(argv []string, pairs ...string) (out []string) {
	r := strings.NewReplacer(pairs...)
	for _, a := range argv {
		out = append(out, r.Replace(a))
	}
	return out
}
