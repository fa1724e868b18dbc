// Command catalogue has the tools of several MCP servers, and one of its own, under one set of
// names. It prints the names, and then does the calls of the command line as one batch, each with
// a time limit and three attempts:
//
//	go run ./docs/examples/catalogue -call now -call 'add={"a":1,"b":2}' NAME=COMMAND ARGS… -- NAME=URL
//
// With -model anthropic or gemini it prints the tools as that takes them, and does the calls as those of
// a model.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

func main() {
	var list []calls.Request
	flag.Func("call", "a tool to call, `NAME` or NAME=ARGUMENTS", func(s string) error {
		name, arguments, _ := strings.Cut(s, "=")
		list = append(list, calls.Request{Name: name, Arguments: protocol.Raw(arguments)})
		return nil
	})
	model := flag.String("model", "", "export the tools for `anthropic` or gemini, and call them as a model does")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, flag.Args(), list, *model); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

// run connects the servers and does the calls.
func run(ctx context.Context, to io.Writer, args []string, list []calls.Request, model string) (err error) {
	servers, err := split(args)
	if err != nil {
		return err
	}
	policy := attempt.Policy{Attempt: 10 * time.Second, Total: 30 * time.Second, Retry: backoff.Policy{Attempts: 3, Jitter: 0.5}}
	own, err := ownTools(policy)
	if err != nil {
		return err
	}
	for i, c := range list {
		list[i].Policy = own.policy[c.Name]
	}
	cfg := calls.Config{
		Manager:  manager.Config{Client: client.Config{Info: protocol.Implementation{Name: "catalogue", Version: "1.0.0"}}},
		Catalog:  catalog.Config{Naming: naming.Policy{Names: naming.Plain}, Local: own.tools},
		Attempts: attempt.Config{Policy: policy},
	}
	f, err := fleet.New(cfg, fleet.Options{Dial: dial.Dialer{}.Dial, Local: own.run})
	if err != nil {
		return err
	}
	defer func() {
		end, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		err = errors.Join(err, f.Close(end))
	}()
	patience, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	_ = f.Set(patience, servers) // what cannot be opened has no tools, and costs the others nothing
	tools := f.Caller().Tools()
	for _, b := range tools.List() {
		fmt.Fprintf(to, "%s is %v\n", b.Name, b.Ref())
	}
	switch model {
	case "anthropic":
		return callAsModel(ctx, to, f, provider.Anthropic, `{"role":"assistant","content":[`, list)
	case "gemini":
		return callAsModel(ctx, to, f, provider.Gemini, `{"role":"model","parts":[`, list)
	}
	done, err := f.Batch(ctx, list, attempt.BatchOptions{Strategy: attempt.Parallel, FailFast: true}, func(i int, p protocol.ProgressParams) {
		fmt.Fprintf(to, "%s: progress %v\n", list[i].Name, p.Progress)
	})
	for _, r := range done.Results {
		if r.Outcome.Err != nil {
			fmt.Fprintf(to, "%s: %v (attempts: %d)\n", r.Tool, r.Outcome.Err, r.Outcome.Attempts)
			continue
		}
		fmt.Fprintf(to, "%s: %s\n", r.Tool, r.Outcome.Value())
	}
	return err
}

// callAsModel exports the tools for a provider, and does calls as they come from there, in a message that
// begins with head. Gemini gets JSON Schema, which loses less.
func callAsModel(ctx context.Context, to io.Writer, f *fleet.Fleet, p provider.Provider, head string, list []calls.Request) error {
	x, err := provider.Export(p, f.Caller().Tools().Definitions(), provider.Options{JSONSchema: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%s\n", x.Tools)
	var blocks []string
	for i, c := range list {
		// What the model would send.
		block, ok := x.AppendCall(nil, provider.Call{ID: fmt.Sprint("call_", i), Params: protocol.CallToolParams{Name: c.Name, Arguments: c.Arguments}})
		if !ok {
			return fmt.Errorf("no tool of the list is called %q", c.Name)
		}
		blocks = append(blocks, string(block))
	}
	turn, err := x.Calls(protocol.Raw(head + strings.Join(blocks, ",") + `]}`))
	if err != nil {
		return err
	}
	results := make([]*protocol.CallToolResult, len(turn.Calls))
	for i, call := range turn.Calls {
		if call.Err != nil {
			continue // Messages reports it to the model
		}
		o, err := f.Call(ctx, calls.Request{Name: call.Params.Name, Arguments: call.Params.Arguments}, nil)
		if err != nil {
			return err
		}
		if results[i] = o.Result; o.Result == nil { // the model reads the error
			results[i] = o.Err.ToolResult()
		}
	}
	messages, _ := x.Messages(turn.Calls, results)
	for _, m := range append(turn.History, messages...) {
		fmt.Fprintf(to, "%s\n", m)
	}
	return nil
}

// split reads the servers of the command line.
func split(args []string) (servers []fleet.Definition, err error) {
	for words := range strings.SplitSeq(strings.Join(args, "\x00"), "\x00--\x00") {
		list := strings.Split(words, "\x00")
		name, first, ok := strings.Cut(list[0], "=")
		if !ok || first == "" {
			return nil, fmt.Errorf("%q is not NAME=COMMAND or NAME=URL", list[0])
		}
		var endpoint any = dial.Command{Args: append([]string{first}, list[1:]...)}
		if strings.HasPrefix(first, "http://") || strings.HasPrefix(first, "https://") {
			endpoint = dial.URL{URL: first}
		}
		servers = append(servers, fleet.Definition{Name: name, Options: manager.Options{Endpoint: endpoint, Supervise: true}})
	}
	return servers, nil
}
