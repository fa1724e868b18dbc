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
// With one of these flags the client speaks to a proxy, which disturbs the two:
//
//	-cut TEXT     breaks a stream off after each event with TEXT in it; may be given again
//	-half         ... in the middle of the event
//	-end          ... by ending it in good order
//	-refuse N     answers the first N requests that go on with a stream with 503
//	-junk server  sends the server a body that is no message before each POST of a session
//	-junk client  puts an event that is no message behind each event of a stream
//	-expire TEXT  ends the session, with DELETE, before a POST with TEXT in it
//	-restart TEXT kills the server and starts it anew before a POST with TEXT in it
//	-old          refuses what is not HTTP+SSE, for a server that speaks both
//	-trace        writes what passes to standard error
//
// A message is disturbed once, also if it comes again. The file of -report always has the
// number of disturbances, so that a run without one can be told.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/sansmcp/mcp/conformance/proxy"
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
	flag.IntVar(&o.refuse, "refuse", 0, "answer the first `n` requests that go on with a stream with 503")
	flag.StringVar(&o.junk, "junk", "", "send what is no message to the `party`: server or client")
	flag.StringVar(&o.expire, "expire", "", "end the session before a POST with this `text`")
	flag.StringVar(&o.restart, "restart", "", "restart the server before a POST with this `text`")
	flag.BoolVar(&o.old, "old", false, "refuse POSTs that are none of HTTP+SSE")
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

// freeAddr returns an address of the loopback interface that nobody listens on. The port is
// below those that systems give to connections: one of them could take it before the server
// does.
func freeAddr() (addr string, err error) {
	for range 100 {
		var l net.Listener
		addr = fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if l, err = net.Listen("tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", err
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
	server := &server{argv: o.server, addr: addr}
	defer server.kill()
	if err := server.start(stop); err != nil {
		return 1, err
	}
	url := "http://" + addr + o.path
	if o.active() {
		d := &disturber{disturb: o.disturb, again: func() error { return server.restart(stop) }, done: map[string]bool{}}
		p, err := proxy.New(proxy.Options{Target: addr, Serve: d.serve})
		if err = errors.Join(err, d.write()); err != nil {
			return 1, err
		}
		defer p.Close()
		url = "http://" + p.Addr() + o.path
		defer func() { err = errors.Join(err, d.fault()) }()
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
	return code, server.end(o.stops)
}
