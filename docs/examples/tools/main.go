// Command tools is an MCP server over standard input and output whose tools access files, web pages
// and commands, only as far as the lists on its command line allow:
//
//	go run ./docs/examples/tools -root . -host example.org -command "git status" -command "go version"
//
// With -list it prints its groups and tools instead, including those whose name another group has.
//
// Each family of tools is a group of package registry: files and search in one folder, fetch from
// the named hosts, and the named commands, with exactly these arguments. Copy what you need, with
// its tests.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/builtin"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/stdio"
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, ", ") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

func main() {
	var hosts, commands list
	root := flag.String("root", "", "the folder whose files may be read; none if empty")
	flag.Var(&hosts, "host", "a host that may be fetched from, as example.org; may be repeated")
	flag.Var(&commands, "command", "a command that may be run, as it is; may be repeated")
	shown := flag.Bool("list", false, "print the groups and their tools, and end")
	flag.Parse()
	r, err := groups(*root, hosts, commands)
	if err == nil && *shown {
		show(os.Stdout, r)
		return
	}
	if err == nil {
		err = serve(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tools:", err)
		os.Exit(1)
	}
}

func serve(r *registry.Registry) error {
	cfg := r.View().Config(server.Config{Info: protocol.Implementation{Name: "tools", Version: "1.0.0"}})
	return stdio.Serve(context.Background(), cfg, r.View().Handlers(), os.Stdin, os.Stdout, stdio.Options{
		Companion: func(server.Peer) server.Companion { return r.View().Companion() }, // each tool has its time
	})
}

// show prints the groups and tools.
func show(w io.Writer, r *registry.Registry) {
	for _, st := range r.Status() {
		fmt.Fprintf(w, "%s %s: %d tools\n", st.Name, st.Version, st.Tools)
	}
	for _, t := range r.View().Tools() {
		fmt.Fprintf(w, "%s of %s, %v", t.Tool.Name, t.Group, t.Timeout)
		if t.ShadowedBy != "" {
			fmt.Fprintf(w, ", hidden by that of %s", t.ShadowedBy)
		}
		fmt.Fprintln(w)
	}
	for _, name := range r.View().Catalog().NonstandardNames() {
		fmt.Fprintf(w, "%s is a name that some clients refuse\n", name)
	}
}

// groups returns the groups that the lists allow.
func groups(root string, hosts, commands []string) (*registry.Registry, error) {
	pure, err := builtin.New(builtin.Options{Now: time.Now, Entropy: func(p []byte) error { _, err := rand.Read(p); return err }})
	if err != nil {
		return nil, err
	}
	all := []*registry.Group{pure}
	add := func(name string, tools ...registry.Tool) error {
		s, err := registry.NewGroup(registry.Definition{Name: name, Tools: tools})
		all = append(all, s)
		return err
	}
	if root != "" {
		dir, err := os.OpenRoot(root)
		if err != nil {
			return nil, err
		}
		if err := add("files", folder{dir}.tools()...); err != nil {
			return nil, err
		}
	}
	if len(hosts) > 0 {
		if err := add("web", newFetcher(hosts, public).tool()); err != nil {
			return nil, err
		}
	}
	if len(commands) > 0 {
		if err := add("commands", shell{allowed: commands, dir: root}.tool()); err != nil {
			return nil, err
		}
	}
	return registry.FromGroups(all...)
}

// tool makes a tool from a function that returns a text.
func tool(name, description string, input protocol.Raw, f func(ctx context.Context, a *schema.Arguments) (string, error)) registry.Tool {
	return registry.Tool{
		Tool: protocol.Tool{Name: name, Description: description, InputSchema: input},
		Func: func(ctx context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			text, err := f(ctx, schema.ReadArguments(p.Arguments))
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(strings.ToValidUTF8(text, "�")), nil
		},
	}
}

// one makes a tool from a function of one text, the named member of the arguments.
func one(name, description string, input protocol.Raw, member string, f func(ctx context.Context, text string) (string, error)) registry.Tool {
	return tool(name, description, input, func(ctx context.Context, a *schema.Arguments) (string, error) {
		text := a.String(member)
		if err := a.Err(); err != nil {
			return "", err
		}
		return f(ctx, text)
	})
}
