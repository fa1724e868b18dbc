// The suiteclient command is the client that the official conformance suite runs: it does
// what the scenario in its environment asks of a client, with the server of a url.
//
//	MCP_CONFORMANCE_SCENARIO=tools_call suiteclient URL
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// scenarios are what this client can do, by the names of the suite, beside those of auth/,
// which are all the same to a client.
var scenarios = map[string]func(context.Context, *session.Client) error{
	"initialize": func(ctx context.Context, c *session.Client) error {
		// The server declares nothing, so that there is no list to ask for.
		_, err := c.Request(ctx, protocol.PingParams{}, session.RequestOptions{})
		return err
	},
	"tools_call":                          call("add_numbers", `{"a":5,"b":3}`),
	"elicitation-sep1034-client-defaults": call("test_client_elicitation_defaults", `{}`),
	"sse-retry":                           call("test_reconnection", `{}`),
	"json-schema-2020-12-preservation":    echoSchema,
	"json-schema-ref-no-deref":            lists,
	"request-metadata":                    discovers,
	"sep-2322-client-request-state":       callAll(`{}`),
	"http-standard-headers":               useAll,
	"http-custom-headers":                 callGiven,
	"http-invalid-tool-headers":           callAll(`{"region":"eu"}`),
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "suiteclient:", err)
		os.Exit(1)
	}
}

func run() error {
	name := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	scenario := scenarios[name]
	if strings.HasPrefix(name, "auth/") {
		scenario = call("test-tool", `{}`)
	}
	if scenario == nil || len(os.Args) < 2 {
		return fmt.Errorf("no scenario %q, or no url", name)
	}
	ctx, end := context.WithTimeout(context.Background(), 55*time.Second)
	defer end()
	server := os.Args[len(os.Args)-1]
	l, err := newLogin(name, server)
	if err != nil {
		return err
	}
	defer l.Close()
	cfg := client.Config{
		Info:    protocol.Implementation{Name: "sansmcp-suiteclient", Version: "1.0.0"},
		Serve:   []string{protocol.MethodElicitationCreate},
		Declare: protocol.CapElicitationForm,
	}
	if text := os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"); text != "" {
		rev, known := protocol.ParseRevision(text)
		if !known {
			return fmt.Errorf("there is no revision %s", text)
		}
		// What it does not have cannot be promised.
		cfg.Serve = slices.DeleteFunc(cfg.Serve, func(method string) bool { return rev.Row(method) == nil })
		cfg.Declare &= rev.Capabilities()
		all := protocol.AllRevisions() // newest first
		cfg.Revisions = all[slices.Index(all, rev):]
	}
	c, err := connect(ctx, cfg, server, l)
	if rpc := jsonrpc.ErrorOf(err); rpc != nil && rpc.Code == protocol.CodeUnsupportedVersion {
		// The server of a scenario refuses the one revision that it has when it is asked first: a
		// connection ends with that, and another one may be tried.
		c, err = connect(ctx, cfg, server, l)
	}
	if err != nil {
		return err
	}
	if err := scenario(ctx, c); err != nil {
		_ = c.Close(ctx)
		return err
	}
	return c.Close(ctx)
}

// connect opens a connection.
func connect(ctx context.Context, cfg client.Config, server string, l *login.Runner) (*session.Client, error) {
	t, err := remote.New(server, remote.Options{Auth: l})
	if err != nil {
		return nil, err
	}
	return session.Connect(ctx, cfg, t, session.Options{Serve: accept})
}

// accept accepts each form with the defaults that it has.
func accept(_ context.Context, _ *session.Client, ev client.Event) (protocol.Result, error) {
	p, err := protocol.Decode[protocol.ElicitParams](ev.Body)
	if err != nil {
		return nil, err
	}
	return protocol.ElicitResult{Action: protocol.ActionAccept, Content: p.RequestedSchema.Fill(nil)}, nil
}

// call lists the tools, and calls one of them.
func call(tool string, args jsonrpc.Raw) func(context.Context, *session.Client) error {
	return func(ctx context.Context, c *session.Client) error {
		tools, err := c.Tools(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(tools, func(t protocol.Tool) bool { return t.Name == tool }) {
			return fmt.Errorf("there is no tool %s", tool)
		}
		return succeed(ctx, c, tool, args)
	}
}

func succeed(ctx context.Context, c *session.Client, tool string, args jsonrpc.Raw) error {
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tool, Arguments: args}, session.RequestOptions{})
	if err == nil && r.IsError {
		err = fmt.Errorf("%s failed: %s", tool, protocol.TextOf(r.Content))
	}
	return err
}

// echoSchema calls json_schema_echo with the schema of the other tool, as it came.
func echoSchema(ctx context.Context, c *session.Client) error {
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.Name != "json_schema_echo" {
			return succeed(ctx, c, "json_schema_echo", `{"schema":`+t.InputSchema+`}`)
		}
	}
	return fmt.Errorf("none of %d tools has the schema", len(tools))
}
