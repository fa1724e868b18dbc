package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// show lists what the server offers and calls a tool.
func show(d *driver, name, args string) error {
	if err := d.open(); err != nil {
		return err
	}
	caps := d.s.PeerCapabilities()
	fmt.Printf("%s %s, protocol %s, capabilities: %s\n", d.s.Peer().Name, d.s.Peer().Version, d.s.Revision(), caps)
	var tools []protocol.Tool
	if caps.Has(protocol.CapTools) {
		err := pages(d, func(c *protocol.Cursor) protocol.Params { return protocol.ListToolsParams{Cursor: c} },
			func(r protocol.ListToolsResult) *protocol.Cursor {
				for _, t := range r.Tools {
					fmt.Println("tool", t.Name)
				}
				tools = append(tools, r.Tools...)
				return r.NextCursor
			})
		if err != nil {
			return err
		}
	}
	if err := others(d, caps); err != nil {
		return err
	}
	tool, ok := choose(tools, name)
	if !ok {
		fmt.Println("no tool to call")
		return nil
	}
	if args == "" {
		args = madeUp(tool.InputSchema)
	}
	fmt.Println("calling", tool.Name, args)
	ev, err := d.request(protocol.CallToolParams{Name: tool.Name, Arguments: jsonrpc.Raw(args)}, client.RequestOptions{ResetOnProgress: true})
	if err != nil {
		return err
	}
	r, err := protocol.Decode[protocol.CallToolResult](ev.Body)
	if err != nil {
		return err
	}
	for _, c := range r.Content {
		fmt.Printf("result (isError %v) %s: %s\n", r.IsError, c.Type, c.Text)
	}
	return nil
}

// others lists the resources, templates and prompts.
func others(d *driver, caps protocol.Capability) error {
	if caps.Has(protocol.CapResources) {
		err := pages(d, func(c *protocol.Cursor) protocol.Params { return protocol.ListResourcesParams{Cursor: c} },
			func(r protocol.ListResourcesResult) *protocol.Cursor {
				for _, x := range r.Resources {
					fmt.Println("resource", x.URI)
				}
				return r.NextCursor
			})
		if err != nil {
			return err
		}
		err = pages(d, func(c *protocol.Cursor) protocol.Params { return protocol.ListResourceTemplatesParams{Cursor: c} },
			func(r protocol.ListResourceTemplatesResult) *protocol.Cursor {
				for _, x := range r.ResourceTemplates {
					fmt.Println("resource template", x.URITemplate)
				}
				return r.NextCursor
			})
		if err != nil {
			return err
		}
	}
	if !caps.Has(protocol.CapPrompts) {
		return nil
	}
	return pages(d, func(c *protocol.Cursor) protocol.Params { return protocol.ListPromptsParams{Cursor: c} },
		func(r protocol.ListPromptsResult) *protocol.Cursor {
			for _, x := range r.Prompts {
				fmt.Println("prompt", x.Name)
			}
			return r.NextCursor
		})
}

// pages walks a listing to its end.
func pages[R any, P interface {
	*R
	DecodeJSON(jsonrpc.Raw, jsonrpc.Span) error
}](d *driver, params func(*protocol.Cursor) protocol.Params, page func(R) *protocol.Cursor) error {
	var cursor *protocol.Cursor
	for range 1000 {
		ev, err := d.request(params(cursor), client.RequestOptions{})
		if err != nil {
			return err
		}
		r, err := protocol.Decode[R, P](ev.Body)
		if err != nil {
			return err
		}
		if cursor = page(r); cursor == nil {
			return nil
		}
	}
	return fmt.Errorf("the listing does not end")
}

// choose returns the tool of the name, or one that needs little.
func choose(tools []protocol.Tool, name string) (protocol.Tool, bool) {
	for _, t := range tools {
		if t.Name == name || name == "" && t.Name == "echo" {
			return t, true
		}
	}
	if name == "" {
		for _, t := range tools {
			if !strings.Contains(string(t.InputSchema), `"required"`) {
				return t, true
			}
		}
		if len(tools) > 0 {
			return tools[0], true
		}
	}
	return protocol.Tool{}, false
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
