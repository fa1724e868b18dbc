//go:build unix

package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/stdio"
)

// A process of this test is a server if it is started with the arguments "server" and what it is
// to be called: see command.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "server" {
		time.AfterFunc(time.Minute, func() { os.Exit(3) }) // whatever becomes of its test
		if err := serve(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve is a server over standard input and output.
func serve(name string, tools []string) error {
	switch {
	case strings.HasPrefix(name, "stubborn"): // neither the end of input nor SIGTERM ends it
		signal.Ignore(syscall.SIGTERM)
		_ = stdio.Serve(context.Background(), config(name), handlers(name, tools), os.Stdin, os.Stdout, stdio.Options{})
		time.Sleep(time.Hour)
	case strings.HasPrefix(name, "mute"): // says nothing
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	return stdio.Serve(context.Background(), config(name), handlers(name, tools), os.Stdin, os.Stdout, stdio.Options{})
}

func config(name string) server.Config {
	cfg := server.Config{Info: protocol.Implementation{Name: name, Version: "1"}, Logging: true, Subscribe: true, ListChanged: protocol.CapToolsListChanged}
	if strings.HasPrefix(name, "new") { // speaks both eras
		cfg.Revisions = protocol.AllRevisions()
	}
	return cfg
}

const object = `{"type":"object"}`

// handlers has the tools of a server, and those of the given names, which say what they are.
func handlers(name string, tools []string) *server.Handlers {
	h := new(server.Handlers)
	add := func(tool string, f func(ctx context.Context, c server.Caller, args string) (string, error)) {
		h.Tool(protocol.Tool{Name: tool, InputSchema: object}, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			text, err := f(ctx, c, string(p.Arguments))
			if err != nil {
				return protocol.ErrorResult(err.Error()), nil
			}
			return protocol.TextResult(text), nil
		})
	}
	for _, tool := range append([]string{name}, tools...) {
		add(tool, func(_ context.Context, _ server.Caller, args string) (string, error) {
			return fmt.Sprint(name, " ", tool, " ", os.Getpid(), " ", args), nil
		})
	}
	add(name+"-hang", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		if err := c.Progress(protocol.ProgressParams{Progress: 1}); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	add(name+"-later", func(_ context.Context, c server.Caller, _ string) (string, error) {
		err := c.Progress(protocol.ProgressParams{Progress: 1})
		time.Sleep(200 * time.Millisecond)
		return "late but here", err
	})
	add(name+"-ask", func(ctx context.Context, c server.Caller, args string) (string, error) {
		for i := range 3 {
			if err := c.Progress(protocol.ProgressParams{Progress: float64(i + 1), Message: args}); err != nil {
				return "", err
			}
		}
		body, err := c.Request(ctx, protocol.CreateMessageParams{MaxTokens: 1, SystemPrompt: args, Messages: []protocol.SamplingMessage{}}, server.RequestOptions{})
		if err != nil {
			return "", err
		}
		form, err := c.Request(ctx, protocol.ElicitParams{Message: args, RequestedSchema: protocol.ElicitSchema{}}, server.RequestOptions{})
		if err != nil {
			return "", err
		}
		return string(body) + string(form), nil
	})
	h.Tool(protocol.Tool{Name: name + "-region", InputSchema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`},
		func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(string(p.Arguments)), nil
		})
	h.Resource(protocol.Resource{URI: "note://" + name, Name: name}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{}, nil
	})
	add(name+"-touch", func(_ context.Context, c server.Caller, _ string) (string, error) {
		return "touched", c.Notify(protocol.ResourceUpdatedParams{URI: "note://" + name})
	})
	// What -ask does, in the way that needs no session.
	h.Tool(protocol.Tool{Name: name + "-wonder", InputSchema: object}, func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		args := string(p.Arguments)
		if err := c.Progress(protocol.ProgressParams{Progress: 1, Message: args}); err != nil {
			return nil, err
		}
		q := protocol.Ask(p)
		model := q.Sample("model", protocol.CreateMessageParams{MaxTokens: 1, SystemPrompt: args, Messages: []protocol.SamplingMessage{}})
		form := q.Elicit("form", protocol.ElicitParams{Message: args, RequestedSchema: protocol.ElicitSchema{}})
		if err := q.Open(""); err != nil {
			return nil, err
		}
		return protocol.TextResult(model.Content[0].Text + string(form.Action)), nil
	})
	add(name+"-log", func(_ context.Context, c server.Caller, _ string) (string, error) {
		return "logged", c.Notify(protocol.LoggingMessageParams{Level: "info", Data: `"from here"`})
	})
	add(name+"-flood", func(ctx context.Context, c server.Caller, _ string) (string, error) {
		text := strings.Repeat("x", 2000)
		for range 20_000 {
			if err := c.Notify(protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(text)}); err != nil {
				return "", err
			}
		}
		return "flooded", nil
	})
	return h
}

// command is a server that is a process.
func command(t testing.TB, name string, tools ...string) relay.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{exe, "server", name}, tools...)
	return relay.Server{Name: name, Definition: strings.Join(args, " "), Options: manager.Options{
		Endpoint: dial.Command{Args: args}, Resubscribe: true,
	}}
}

// overHTTP is a server over HTTP.
func overHTTP(t testing.TB, name string, tools ...string) relay.Server {
	t.Helper()
	h, err := serverhttp.NewHandler(config(name), handlers(name, tools), serverhttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return relay.Server{Name: name, Definition: s.URL, Options: manager.Options{Endpoint: dial.URL{URL: s.URL}}}
}

// fast are options under which servers come back soon and end soon.
func fast(servers ...relay.Server) gateway.Options {
	return gateway.Options{
		Relay: relay.Config{
			Info:    protocol.Implementation{Name: "gateway", Version: "1"},
			Naming:  naming.Policy{Names: naming.Plain},
			Manager: manager.Config{Backoff: backoff.Policy{Base: 300 * time.Millisecond}},
		},
		Servers: servers,
		Dial:    dial.Dialer{Stdio: child.Options{Term: 200 * time.Millisecond, Kill: 200 * time.Millisecond}}.Dial,
	}
}

// begin makes a gateway that serves over HTTP.
func begin(t testing.TB, opt gateway.Options, http serverhttp.Options) (g *gateway.Gateway, url string) {
	t.Helper()
	g, err := gateway.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Handler(http)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = g.Close(ctx)
		s.Close()
		quiet(t)
	})
	return g, s.URL
}
