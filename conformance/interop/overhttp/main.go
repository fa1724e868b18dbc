// The overhttp command runs an MCP server and a client that speaks to it over HTTP:
//
//	overhttp [FLAGS] SERVER ARGS... -- CLIENT ARGS...
//
// The server gets a free port of the loopback interface: {addr} and {port} in its
// arguments, and PORT in its environment. {url} in the arguments of the client is where it
// finds the server. The standard output of the client is handed on, with a line for each
// check of overhttp itself; that of the server goes to standard error. It exits as the
// client did, or with 1 if a check of its own failed. Nothing that it started is left.
//
// With one of these flags the client speaks to a proxy that disturbs the two:
//
//	-cut TEXT     breaks a stream off after each event with TEXT in it; may be given again
//	-half         ... in the middle of the event
//	-end          ... by ending it in good order
//	-junk server  sends the server a body that is no message before each POST of a session
//	-junk client  puts an event that is no message behind each event of a stream
//	-expire TEXT  ends the session, with DELETE, before a POST with TEXT in it
//
// or with -trace, which writes what passes to standard error. A message is disturbed once, also if it comes again. The file of -report always has the
// number of disturbances, so that a run without one can be told.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

type options struct {
	path   string
	stops  bool
	server []string
	client []string
	disturb
}

func main() {
	// A child is killed when the thread that started it ends, so that must not be before
	// the program does.
	runtime.LockOSThread()
	var o options
	flag.StringVar(&o.path, "path", "/mcp", "the `path` of the server's endpoint")
	flag.BoolVar(&o.stops, "stops", false, "the server has to end with 0 within 5 s of SIGTERM, or that is a failure")
	flag.Func("cut", "break streams off after an event with this `text`", func(s string) error {
		o.cut = append(o.cut, s)
		return nil
	})
	flag.BoolVar(&o.half, "half", false, "cut in the middle of the event")
	flag.BoolVar(&o.end, "end", false, "cut by ending the stream in good order")
	flag.StringVar(&o.junk, "junk", "", "send what is no message to the `party`: server or client")
	flag.StringVar(&o.expire, "expire", "", "end the session before a POST with this `text`")
	flag.BoolVar(&o.trace, "trace", false, "write what passes the proxy to standard error")
	flag.StringVar(&o.report, "report", "", "`file` for the number of disturbances")
	flag.Parse()
	split := slices.Index(flag.Args(), "--")
	if split < 1 || split == flag.NArg()-1 || !slices.Contains([]string{"", "server", "client"}, o.junk) {
		fmt.Fprintln(os.Stderr, "usage: overhttp [FLAGS] SERVER ARGS... -- CLIENT ARGS...")
		flag.PrintDefaults()
		os.Exit(2)
	}
	o.server, o.client = flag.Args()[:split], flag.Args()[split+1:]
	code, err := run(o)
	if err != nil {
		fmt.Println("FAIL", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// freeAddr returns an address of the loopback interface that nobody listens on.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// start starts a program that dies with this one.
func start(argv []string, out *os.File, env ...string) (*exec.Cmd, chan error, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	return cmd, done, nil
}

// kill ends the group of processes of a program that start started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func run(o options) (code int, err error) {
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	addr, err := freeAddr()
	if err != nil {
		return 1, err
	}
	_, port, _ := net.SplitHostPort(addr)
	server, gone, err := start(replaced(o.server, "{addr}", addr, "{port}", port), os.Stderr, "PORT="+port)
	if err != nil {
		return 1, err
	}
	defer kill(server)
	if err := listening(stop, addr, gone); err != nil {
		return 1, err
	}
	url := "http://" + addr + o.path
	if o.active() {
		p, err := newProxy(o.disturb, addr)
		if err != nil {
			return 1, err
		}
		defer p.close()
		url = "http://" + p.addr() + o.path
		defer func() { err = errors.Join(err, p.fault()) }()
	}
	client, ended, err := start(replaced(o.client, "{url}", url), os.Stdout)
	if err != nil {
		return 1, err
	}
	defer kill(client)
	select {
	case err = <-ended:
	case <-stop.Done():
		return 1, errors.New("stopped by a signal")
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = max(exit.ExitCode(), 1), nil
	}
	if err != nil {
		return 1, err
	}
	return code, end(server, gone, o.stops)
}

func replaced(argv []string, pairs ...string) (out []string) {
	r := strings.NewReplacer(pairs...)
	for _, a := range argv {
		out = append(out, r.Replace(a))
	}
	return out
}

// listening waits until a server accepts connections.
func listening(stop context.Context, addr string, gone <-chan error) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		c, err := net.Dial("tcp", addr)
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

// end checks that a server has survived its client, and ends it.
func end(server *exec.Cmd, gone <-chan error, stops bool) error {
	select {
	case err := <-gone:
		return fmt.Errorf("the server has ended before its time: %w", err)
	default:
	}
	fmt.Println("ok   the server is still there when the client has gone")
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
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
