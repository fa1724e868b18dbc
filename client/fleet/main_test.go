//go:build unix

package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverstdio "github.com/sansmcp/mcp/server/stdio"
)

// kind holds what a process of this test is, if it is a server.
const kind = "SANSMCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if k := os.Getenv(kind); k != "" {
		time.AfterFunc(2*time.Minute, func() { os.Exit(1) }) // whatever becomes of the test
		be(k)
		return
	}
	os.Exit(m.Run())
}

// command returns the definition of a server of a kind; more are further words.
func command(of string, more ...string) dial.Command {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return dial.Command{Args: append([]string{exe}, more...), Env: []string{kind + "=" + of, "GORACE=atexit_sleep_ms=0"}}
}

// be is a server of a kind.
func be(kind string) {
	switch kind {
	case "good":
		serve()
	case "slow": // begins late
		time.Sleep(300 * time.Millisecond)
		serve()
	case "stubborn": // ends by SIGKILL
		signal.Ignore(syscall.SIGTERM)
		serve()
		select {}
	case "mute": // reads nothing, says nothing
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "short": // ends at once
		os.Exit(3)
	case "garbage":
		for range 100 {
			fmt.Println("this is no message \x00\xff" + strings.Repeat("{", 100))
		}
		serve()
	}
}

// handlers are the tools of all servers here.
func handlers() *server.Handlers {
	h := new(server.Handlers)
	tool := func(name string, f func(ctx context.Context, c server.Caller, arguments string) (string, error)) {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object"}`},
			func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				text, err := f(ctx, c, string(p.Arguments))
				if err != nil {
					return nil, err
				}
				return protocol.TextResult(text), nil
			})
	}
	tool("echo", func(_ context.Context, _ server.Caller, arguments string) (string, error) { return arguments, nil })
	tool("pid", func(context.Context, server.Caller, string) (string, error) { return strconv.Itoa(os.Getpid()), nil })
	tool("die", func(context.Context, server.Caller, string) (string, error) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	})
	tool("sleep", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		_ = c.Progress(protocol.ProgressParams{Progress: 1})
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	tool("ask", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		body, err := c.Request(ctx, protocol.CreateMessageParams{
			Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("?")}}},
			MaxTokens: 1,
		}, server.RequestOptions{})
		if err != nil {
			return err.Error(), nil
		}
		r, err := protocol.Decode[protocol.CreateMessageResult](body)
		return protocol.TextOf(r.Content), err
	})
	tool("flood", func(_ context.Context, c server.Caller, _ string) (string, error) {
		for i := range 5000 {
			if err := c.Notify(protocol.LoggingMessageParams{Level: protocol.LevelError, Data: protocol.Raw(strconv.Itoa(i))}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	h.Resource(protocol.Resource{URI: "test://a", Name: "a"}, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{URI: p.URI, Text: "the text"}}}, nil
	})
	h.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return &protocol.GetPromptResult{Description: "a prompt"}, nil
	})
	h.Complete(func(context.Context, server.Caller, protocol.CompleteParams) (*protocol.CompleteResult, error) {
		return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{"one"}}}, nil
	})
	return h
}

// about says who a server is.
func about() server.Config {
	return server.Config{
		Info:    protocol.Implementation{Name: "server", Version: "1.0.0"},
		Declare: protocol.CapLogging | protocol.CapResourcesSubscribe,
	}
}

func serve() {
	_ = serverstdio.Serve(context.Background(), about(), handlers(), os.Stdin, os.Stdout, serverstdio.Options{})
}

// fast are the settings of children that have no time.
var fast = dial.Dialer{Stdio: child.Options{Term: 200 * time.Millisecond, Kill: 200 * time.Millisecond}}

func settings() manager.Config {
	return manager.Config{Client: client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true,
	}}
}

// quiet are settings without anything to serve.
func quiet() manager.Config {
	cfg := settings()
	cfg.Client.Serve = nil
	return cfg
}

// start returns a Fleet that is closed at the end of the test, and sees that nothing is left.
func start(t *testing.T, cfg manager.Config, opt fleet.Options) *fleet.Fleet {
	t.Helper()
	if opt.Serve == nil {
		opt.Serve = func(context.Context, *fleet.Fleet, manager.Event) (protocol.Result, error) {
			return nil, errors.New("it has no model")
		}
	}
	if opt.Dial == nil {
		opt.Dial = fast.Dial
	}
	f, err := fleet.New(calls.Config{Manager: cfg}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Log("closed with", err)
		}
		if err := f.Caller().Manager().Check(); err != nil {
			t.Error(err)
		}
		var left string
		for range 400 {
			if left = ours(); left == "" {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("goroutines are left:\n%s", left)
	})
	return f
}

// ours returns the goroutines of the packages under test.
func ours() (left string) {
	buf := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		for _, of := range []string{"client/session.", "client/fleet.", "client/links.", "client/internal/waits.", "client/child.", "client/remote.", "jsonrpc/pipe."} {
			if strings.Contains(stack, "sansmcp/mcp/"+of) {
				left += stack + "\n\n"
				break
			}
		}
	}
	return left
}

// manage does something to the Manager of a Fleet.
func manage(ctx context.Context, f *fleet.Fleet, verb func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects)) error {
	_, err := f.Server("").Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		m, e := verb(m, now)
		return m, e, nil
	})
	return err
}

// join connects a server under that name.
func join(ctx context.Context, f *fleet.Fleet, name string, opt manager.Options) error {
	_, err := f.Server("").Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Connect(now, name, opt)
	})
	return err
}

func rejoin(ctx context.Context, f *fleet.Fleet, name string) error {
	_, err := f.Server("").Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Reconnect(now, name)
	})
	return err
}

func leave(ctx context.Context, f *fleet.Fleet, name string) error {
	return manage(ctx, f, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects) {
		return m.Disconnect(now, name)
	})
}

func leaveAll(ctx context.Context, f *fleet.Fleet) error {
	return manage(ctx, f, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects) { return m.DisconnectAll(now) })
}

func notify(ctx context.Context, f *fleet.Fleet, name string, n protocol.Params) error {
	_, err := f.Server(name).Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Notify(now, name, n, manager.Call{})
	})
	return err
}

// ready waits until a server is ready, or nothing more is tried.
func ready(ctx context.Context, f *fleet.Fleet, name string) error {
	for ctx.Err() == nil {
		s, _ := f.Caller().Manager().Status(name)
		switch s.Condition {
		case manager.Ready:
			return nil
		case manager.Failed, manager.Idle:
			return fmt.Errorf("%q is %v: %w", name, s.Condition, s.Err)
		}
		time.Sleep(time.Millisecond)
	}
	return context.Cause(ctx)
}

func ping(ctx context.Context, f *fleet.Fleet, name string) (time.Duration, error) {
	ev, err := f.Server(name).Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Request(now, name, protocol.PingParams{}, manager.RequestOptions{})
	})
	return ev.Latency, err
}

func statuses(f *fleet.Fleet) []manager.Status {
	return slices.Collect(f.Caller().Manager().Statuses())
}

// connect connects a server of a kind under that name.
func connect(t *testing.T, f *fleet.Fleet, name string, opt manager.Options) {
	t.Helper()
	if err := join(t.Context(), f, name, opt); err != nil {
		t.Fatal(err)
	}
}

func opts(endpoint any) manager.Options { return manager.Options{Endpoint: endpoint} }

// call calls a tool and returns its text.
func call(ctx context.Context, f *fleet.Fleet, server, tool string) (string, error) {
	r, err := fleet.Do[protocol.CallToolResult](ctx, f.Server(server), protocol.CallToolParams{Name: tool, Arguments: `{"of":"` + protocol.Raw(server) + `"}`}, fleet.RequestOptions{})
	return protocol.TextOf(r.Content), err
}

func mustCall(t *testing.T, f *fleet.Fleet, server, tool string) string {
	t.Helper()
	text, err := call(t.Context(), f, server, tool)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func pid(t *testing.T, f *fleet.Fleet, server string) int {
	t.Helper()
	n, err := strconv.Atoi(mustCall(t, f, server, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// alive reports whether there is a process.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
