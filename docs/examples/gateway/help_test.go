//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/await"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// A process of this test is a server if it is started with "server" and its name, and the gateway
// if it is started with "gateway" and its arguments.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "server":
		time.AfterFunc(time.Minute, func() { os.Exit(3) })
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) > 1 && os.Args[1] == "gateway":
		time.AfterFunc(time.Minute, func() { os.Exit(3) })
		os.Args = slices.Delete(os.Args, 1, 2)
		main()
	default:
		os.Exit(m.Run())
	}
}

// serve is a server whose one tool, of its name, tells the process, the variable WHO and the
// folder; "-hang" does not end.
func serve(name string) error {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		dir, err := os.Getwd()
		return protocol.TextResult(fmt.Sprint(os.Getpid(), " ", os.Getenv("WHO"), " ", dir)), err
	})
	h.Tool(protocol.Tool{Name: name + "-hang", InputSchema: `{"type":"object"}`}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_ = c.Progress(protocol.ProgressParams{Progress: 1})
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	h.Tool(protocol.Tool{Name: "large", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(strings.Repeat("x", 100_000)), nil
	})
	if strings.HasPrefix(name, "late") {
		time.Sleep(500 * time.Millisecond)
	}
	if strings.HasPrefix(name, "stubborn") {
		signal.Ignore(syscall.SIGTERM)
		defer time.Sleep(time.Hour)
	}
	return stdio.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: name, Version: "1"}}, &h, os.Stdin, os.Stdout, stdio.Options{})
}

// entry is a server of a file, which is a process of this test.
func entry(t *testing.T, name string, more ...any) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := map[string]any{"command": exe, "args": []string{"server", name}}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%q: %s", name, text)
}

// file writes a configuration file, as editors do: another one takes its place.
func file(t *testing.T, path string, entries ...string) string {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "mcp.json")
	}
	text := "{\n  \"mcpServers\": {\n    " + strings.Join(entries, ",\n    ") + "\n  }\n}\n"
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// running is a gateway in this process.
type running struct {
	t      *testing.T
	said   *await.Buffer
	url    string
	reload chan os.Signal
	show   chan os.Signal
	stop   context.CancelFunc
	ended  chan error
}

// run runs a gateway over HTTP.
func run(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{t: t, said: new(await.Buffer), reload: make(chan os.Signal, 1), show: make(chan os.Signal, 1), ended: make(chan error, 1)}
	s, err := parse(append([]string{"-http", "127.0.0.1:0", "-names", "plain"}, args...), r.said)
	if err != nil {
		t.Fatal(err)
	}
	at := make(chan net.Addr, 1)
	p := &program{settings: s, out: io.Discard, log: newLossy(r.said), reload: r.reload, show: r.show, listen: func(a net.Addr) { at <- a }}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		err := p.run(ctx)
		p.log.Close()
		r.ended <- err
	}()
	select {
	case a := <-at:
		r.url = fmt.Sprintf("http://%v", a)
	case err := <-r.ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Log(r.said)
		}
	})
	return r
}

// refusedRun returns why a gateway does not start.
func refusedRun(t *testing.T, args ...string) error {
	t.Helper()
	s, err := parse(append([]string{"-http", "127.0.0.1:0"}, args...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{settings: s, out: io.Discard, log: newLossy(io.Discard)}
	defer p.log.Close()
	return p.run(t.Context())
}

// end ends it and returns what it returned.
func (r *running) end() error {
	r.t.Helper()
	r.stop()
	return receive(r.t, r.ended)
}

// says waits until it has said something.
func (r *running) says(want string) {
	r.t.Helper()
	eventually(r.t, "it does not say "+want, func() bool { return strings.Contains(r.said.String(), want) })
}

// peer is a client.
type peer struct {
	*session.Client
	t    *testing.T
	mu   sync.Mutex
	told int
}

func open(t *testing.T, url string) *peer {
	t.Helper()
	return openWith(t, url, nil)
}

// openWith opens a session whose requests have that header.
func openWith(t *testing.T, url string, header http.Header) *peer {
	t.Helper()
	tr, err := remote.New(url+"/mcp", remote.Options{Header: header})
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p.Client, err = session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, tr, session.Options{Event: func(_ *session.Client, ev client.Event) {
		if ev.Kind == lifecycle.NotificationReceived && ev.Method == "notifications/tools/list_changed" {
			p.mu.Lock()
			p.told++
			p.mu.Unlock()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = p.Close(ctx)
	})
	return p
}

func (p *peer) changes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

func (p *peer) tools() (names []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := session.Do[protocol.ListToolsResult](ctx, p.Client, protocol.ListToolsParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, tool := range r.Tools {
		if !strings.HasSuffix(tool.Name, "-hang") && !strings.HasSuffix(tool.Name, "large") {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *peer) await(names ...string) {
	p.t.Helper()
	slices.Sort(names)
	eventually(p.t, fmt.Sprint("the tools are not ", names), func() bool { return slices.Equal(p.tools(), names) })
}

// call calls a tool; fields are the words of its answer.
func (p *peer) call(tool string) (fields []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := p.CallTool(ctx, protocol.CallToolParams{Name: tool}, session.RequestOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.Split(protocol.TextOf(r.Content), " ")
}

// fault is the error of a call.
func (p *peer) fault(tool string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := p.CallTool(ctx, protocol.CallToolParams{Name: tool}, session.RequestOptions{})
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// begin begins a call, and returns when there is progress of it.
func (p *peer) begin(tool string) <-chan struct{} {
	begun := make(chan struct{}, 10)
	go func() {
		_, _ = p.CallTool(context.Background(), protocol.CallToolParams{Name: tool}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { begun <- struct{}{} }})
	}()
	return begun
}

func (p *peer) pid(tool string) int {
	p.t.Helper()
	n, err := strconv.Atoi(p.call(tool)[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// hang begins a call that does not end.
func (p *peer) hang(tool string) <-chan error {
	p.t.Helper()
	begun, done := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		_, err := p.CallTool(context.Background(), protocol.CallToolParams{Name: tool}, session.RequestOptions{OnProgress: func(protocol.ProgressParams) { begun <- struct{}{} }})
		done <- err
	}()
	receive(p.t, begun)
	return done
}

const patience = 15 * time.Second

var eventually = await.Eventually

func receive[T any](t testing.TB, c <-chan T) T { return await.Receive(t, c) }

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// lines are those of a reader.
func lines(r io.Reader) <-chan string {
	c := make(chan string, 1000)
	go func() {
		defer close(c)
		for s := bufio.NewScanner(r); s.Scan(); {
			c <- s.Text()
		}
	}()
	return c
}
