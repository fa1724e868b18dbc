package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var methods = []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}

// show tells what the server is and offers.
func (d *driver) show() error {
	if err := d.open(); err != nil {
		return err
	}
	d.about()
	for _, method := range methods {
		switch err := d.showList(method); {
		case errors.Is(err, errGone):
			return err
		case err != nil && !errors.Is(err, lifecycle.ErrCapability):
			// It declares the capability and has no such list. There are such servers, and
			// hosts that show nothing.
			fmt.Fprintln(d.log, method+":", err)
		}
	}
	return nil
}

// about prints what the server says of itself.
func (d *driver) about() {
	p := d.s.Peer()
	fmt.Fprintf(d.log, "%s %s, protocol %s, capabilities: %s\n", p.Name, p.Version, d.s.Revision(), d.s.PeerCapabilities())
	for _, text := range []string{p.Title, p.Description, p.WebsiteURL, icons(p.Icons)} {
		if text != "" {
			fmt.Fprintln(d.log, "  "+text)
		}
	}
}

// showList prints what a list names.
func (d *driver) showList(method string) error {
	items, err := d.list(method)
	for _, item := range items {
		var x struct {
			Name, URI, URITemplate string
			Icons                  []protocol.Icon
		}
		_ = json.Unmarshal([]byte(item), &x) // what does not fit has no name
		switch method {
		case "tools/list":
			fmt.Fprintln(d.log, strings.TrimSpace("tool "+x.Name+" "+icons(x.Icons)))
		case "prompts/list":
			fmt.Fprintln(d.log, "prompt", x.Name)
		default:
			fmt.Fprintln(d.log, "resource", x.URI+x.URITemplate)
		}
	}
	return err
}

// icons tells where the images are that a program may load: others could be on the disk
// of the user.
func icons(list []protocol.Icon) string {
	var words []string
	for _, icon := range list {
		if icon.Safe() {
			words = append(words, "icon "+icon.Src)
		}
	}
	return strings.Join(words, " ")
}

// callTool calls a tool, by default one that needs little with arguments made up.
func (d *driver) callTool(name, args string) error {
	items, _ := d.lists.Items("tools/list")
	tool, ok := choose(items, name)
	if !ok {
		fmt.Fprintln(d.log, "no tool to call")
		return nil
	}
	if args == "" {
		args = madeUp(tool.InputSchema)
	}
	fmt.Fprintln(d.log, "calling", tool.Name, args)
	schema, _ := d.lists.OutputSchema(tool.Name)
	call := func() (client.Event, error) {
		return d.request(protocol.CallToolParams{Name: tool.Name, Arguments: jsonrpc.Raw(args)},
			client.RequestOptions{ResetOnProgress: true, OutputSchema: schema})
	}
	ev, err := call()
	var e *jsonrpc.Error
	if errors.As(err, &e) && e.Code == protocol.CodeURLElicitationRequired && d.answer.Action == protocol.ActionAccept {
		if err = d.visit(e); err == nil {
			ev, err = call()
		}
	}
	if err != nil {
		return err
	}
	r, err := protocol.Decode[protocol.CallToolResult](ev.Body)
	if err != nil {
		return err
	}
	for _, c := range r.Content {
		fmt.Fprintf(d.log, "result (isError %v) %s: %s\n", r.IsError, c.Type, c.Text)
	}
	if r.StructuredContent != "" {
		fmt.Fprintln(d.log, "structured result", r.StructuredContent)
	}
	return nil
}

// choose returns the tool of the name, or one that needs little.
func choose(items []jsonrpc.Raw, name string) (best protocol.Tool, ok bool) {
	for _, item := range items {
		t, err := protocol.Decode[protocol.Tool](item)
		switch {
		case err != nil:
		case t.Name == name, name == "" && t.Name == "echo":
			return t, true
		case name == "" && (!ok || !strings.Contains(string(t.InputSchema), `"required"`)):
			best, ok = t, true
		}
	}
	return best, ok
}

// madeUp returns arguments that fit the required members of a schema.
func madeUp(schema jsonrpc.Raw) string {
	var s struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	_ = json.Unmarshal([]byte(schema), &s) // a schema that does not fit needs -args
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
