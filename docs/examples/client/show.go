package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var methods = []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}

// show prints what the server is and offers.
func (a *app) show(ctx context.Context) error {
	a.about()
	for _, method := range methods {
		switch err := a.showList(ctx, method); {
		case errors.Is(err, lifecycle.ErrClosed):
			return err
		case err != nil && !errors.Is(err, lifecycle.ErrCapability):
			// Some servers declare the capability and have no such list, and some hosts then show
			// nothing.
			a.log.Println(method+":", err)
		}
	}
	return nil
}

// about prints what the server says of itself.
func (a *app) about() {
	s := a.c.State()
	p := s.Peer()
	a.log.Printf("%s %s, protocol %s, capabilities: %s", p.Name, p.Version, s.Revision(), s.PeerCapabilities())
	for _, text := range []string{p.Title, p.Description, p.WebsiteURL, icons(p.Icons)} {
		if text != "" {
			a.log.Println("  " + text)
		}
	}
}

// showList prints the names in a list.
func (a *app) showList(ctx context.Context, method string) error {
	items, err := a.c.List(ctx, method)
	for _, item := range items {
		var x struct {
			Name, URI, URITemplate string
			Icons                  []protocol.Icon
		}
		_ = json.Unmarshal([]byte(item), &x) // an item of another form has no name
		switch method {
		case "tools/list":
			a.log.Println(strings.TrimSpace("tool " + x.Name + " " + icons(x.Icons)))
		case "prompts/list":
			a.log.Println("prompt", x.Name)
		default:
			a.log.Println("resource", x.URI+x.URITemplate)
		}
	}
	return err
}

// icons returns the images that a program may load: others might be on the disk of the user.
func icons(list []protocol.Icon) string {
	var words []string
	for _, icon := range list {
		if icon.Safe() {
			words = append(words, "icon "+icon.Src)
		}
	}
	return strings.Join(words, " ")
}

// callTool calls a tool, by default one that needs few arguments, which are made up.
func (a *app) callTool(ctx context.Context, name, args string) error {
	tools, _ := a.c.Tools(ctx)
	tool, ok := choose(tools, name)
	if !ok {
		a.log.Println("no tool to call")
		return nil
	}
	if args == "" {
		args = madeUp(tool.InputSchema)
	}
	a.log.Println("calling", tool.Name, args)
	r, err := a.c.CallTool(ctx, protocol.CallToolParams{Name: tool.Name, Arguments: jsonrpc.Raw(args)}, session.RequestOptions{
		RequestOptions: client.RequestOptions{ResetOnProgress: true},
		OnProgress: func(p protocol.ProgressParams) {
			a.log.Println("  (progress received: " + string(p.AppendJSON(nil)) + ")")
		},
	})
	if err != nil {
		return err
	}
	if err := a.c.Sync(ctx); err != nil { // first print what the server sent in the meantime
		return err
	}
	for _, c := range r.Content {
		a.log.Printf("result (isError %v) %s: %s", r.IsError, c.Type, c.Text)
	}
	if r.StructuredContent != "" {
		a.log.Println("structured result", r.StructuredContent)
	}
	return nil
}

// choose returns the tool with the name, or one that needs few arguments.
func choose(tools []protocol.Tool, name string) (best protocol.Tool, ok bool) {
	for _, t := range tools {
		switch {
		case t.Name == name, name == "" && t.Name == "echo":
			return t, true
		case name == "" && (!ok || !strings.Contains(string(t.InputSchema), `"required"`)):
			best, ok = t, true
		}
	}
	return best, ok
}

// madeUp returns arguments for the required members of a schema.
func madeUp(schema jsonrpc.Raw) string {
	var s struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	_ = json.Unmarshal([]byte(schema), &s) // other schemas need -args
	args := map[string]any{}
	for _, name := range s.Required {
		switch s.Properties[name].Type {
		case "integer", "number":
			args[name] = 1
		case "boolean":
			args[name] = true
		case "array":
			args[name] = []any{}
		case "object":
			args[name] = map[string]any{}
		default:
			args[name] = "hello"
		}
	}
	out, _ := json.Marshal(args) // strings, numbers and booleans always encode
	return string(out)
}
