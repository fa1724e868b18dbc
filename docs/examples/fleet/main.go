// Command fleet connects to several MCP servers at once, and prints the condition and the tools of
// each:
//
//	go run ./docs/examples/fleet [-watch] NAME=COMMAND ARGS… -- NAME=URL -- …
//
// Without servers it starts two of the example servers. With -watch it stays, opens lost
// connections again, and prints changes, until it is interrupted.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

func main() {
	watch := flag.Bool("watch", false, "stay, and print what changes")
	flag.Parse()
	keepPipeErrors()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, flag.Args(), *watch); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// run connects to the servers, prints the table and, if stay is set, changes.
func run(ctx context.Context, to io.Writer, args []string, stay bool) error {
	list, err := servers(args, stay)
	if err != nil {
		return err
	}
	out := &printer{to: to}
	opt := fleet.Options{Dial: dial.Dialer{}.Dial}
	if stay {
		opt.Event, opt.Changed = out.event, out.changed
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "fleet", Version: "1.0.0"}}
	f, err := fleet.New(calls.Config{Manager: manager.Config{Client: cfg}}, opt)
	if err != nil {
		return err
	}
	_ = f.Set(ctx, list) // failures are in the table
	out.print(table(ctx, f))
	if stay {
		listen(ctx, f)
		<-ctx.Done()
		if n := f.LeftOut(); n > 0 {
			out.print(fmt.Sprintf("%d events were not shown, for there were too many\n", n))
		}
	}
	end, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	return f.Close(end)
}

// servers parses the command line.
func servers(args []string, supervise bool) (list []fleet.Definition, err error) {
	if len(args) == 0 {
		args = strings.Fields("example=go run github.com/sansmcp/mcp/docs/examples/stdioserver -- greeter=go run github.com/sansmcp/mcp/docs/examples/tool")
	}
	for len(args) > 0 {
		words := args
		args = nil
		for i, word := range words {
			if word == "--" {
				words, args = words[:i], words[i+1:]
				break
			}
		}
		if len(words) == 0 {
			continue
		}
		name, first, ok := strings.Cut(words[0], "=")
		if !ok || name == "" || first == "" {
			return nil, fmt.Errorf("%q is not NAME=COMMAND or NAME=URL", words[0])
		}
		opt := manager.Options{Supervise: supervise, Resubscribe: supervise}
		if strings.HasPrefix(first, "http://") || strings.HasPrefix(first, "https://") {
			opt.Endpoint = dial.URL{URL: first}
		} else {
			opt.Endpoint = dial.Command{Args: append([]string{first}, words[1:]...)}
		}
		list = append(list, fleet.Definition{Name: name, Options: opt})
	}
	return list, nil
}

// table returns the condition of each server.
func table(ctx context.Context, f *fleet.Fleet) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tPROTOCOL\tSERVER\tRESOURCES\tTOOLS")
	names := map[string][]string{}
	for _, b := range f.Caller().Tools().ListAll() {
		names[b.Server] = append(names[b.Server], b.Key)
	}
	checkups, _ := f.Health(ctx)
	for _, c := range checkups {
		name := c.Link.Server
		info, err := f.Caller().Manager().ServerInfo(name)
		if err = cmp.Or(c.Err, err); err != nil {
			fmt.Fprintf(w, "%s\t%v\t-\t-\t-\t%v\n", name, c.Condition, innermost(err))
			continue
		}
		resources, _ := f.Server(name).List(ctx, protocol.MethodResourcesList, manager.Budget{}) // none, if it has no such list
		tools := names[name]
		if more := len(tools) - 5; more > 0 {
			tools = append(tools[:5:5], fmt.Sprintf("and %d more", more))
		}
		fmt.Fprintf(w, "%s\t%v\t%v\t%s %s\t%d\t%s\n", name, c.Condition, info.Revision, info.Server.Name, info.Server.Version, len(resources), strings.Join(tools, ", "))
	}
	_ = w.Flush()
	return text.String()
}

// listen asks each server that is ready and supports it for its log messages, also after a
// reconnect.
func listen(ctx context.Context, f *fleet.Fleet) {
	for s := range f.Caller().Manager().Statuses() {
		if s.Condition == manager.Ready {
			_, _ = fleet.Do[protocol.EmptyResult](ctx, f.Server(s.Link.Server), protocol.SetLevelParams{Level: protocol.LevelInfo}, fleet.RequestOptions{})
		}
	}
}

// innermost returns the innermost wrapped error.
func innermost(err error) error {
	for err != nil {
		next := errors.Unwrap(err)
		if next == nil {
			break
		}
		err = next
	}
	return err
}

// printer prints for several goroutines.
type printer struct {
	mu sync.Mutex
	to io.Writer
}

func (p *printer) print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.to, text)
}

// changed prints how the tools of servers have changed.
func (p *printer) changed(_ *fleet.Fleet, list []catalog.Change) {
	for _, c := range list {
		if n := len(c.Added) + len(c.Removed) + len(c.Changed); n > 0 {
			p.print(fmt.Sprintf("%s: %d tools have changed\n", c.Server, n))
		}
	}
}

// event prints a change of a server: one line, whatever the server writes.
func (p *printer) event(_ *fleet.Fleet, ev manager.Event) {
	switch ev.Kind {
	case manager.ServerChanged:
		line := fmt.Sprintf("%s: %v → %v", ev.Link.Server, ev.From, ev.To)
		if ev.Err != nil {
			line += fmt.Sprintf(" (%v: %.200q)", backoff.SeverityOf(ev.Err), cmp.Or(innermost(ev.Err), ev.Err).Error())
		}
		if !ev.RetryAt.IsZero() {
			line += fmt.Sprintf(", again in %v", time.Until(ev.RetryAt).Round(100*time.Millisecond))
		}
		p.print(line + "\n")
	case manager.SessionEvent:
		if ev.Session.Kind == lifecycle.NotificationReceived {
			p.print(fmt.Sprintf("%s: %.100q\n", ev.Link.Server, ev.Session.Method))
		}
	}
}
