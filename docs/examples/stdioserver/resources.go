package main

import (
	"encoding/base64"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

var (
	pixel, _   = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence, _ = base64.StdEncoding.DecodeString("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")

	greeting = protocol.Resource{URI: "example://greeting", Name: "greeting", Title: "A greeting", MIMEType: "text/plain"}
)

func resources(h *server.Handlers) {
	h.Resource(greeting, func(_ server.Call, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return contents(protocol.TextResource(p.URI, "text/plain", "Hello!")), nil
	})
	h.Resource(protocol.Resource{URI: "example://pixel", Name: "pixel", MIMEType: "image/png"},
		func(_ server.Call, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return contents(protocol.BlobResource(p.URI, "image/png", pixel)), nil
		})
	h.Template(protocol.ResourceTemplate{URITemplate: "example://greeting/{name}", Name: "greeting by name", MIMEType: "text/plain"},
		func(_ server.Call, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			name := vars.Get("name").String()
			if name == "" {
				e := protocol.ResourceNotFound(p.URI)
				return nil, &e
			}
			return contents(protocol.TextResource(p.URI, "text/plain", "Hello, "+name+"!")), nil
		})
}

func contents(list ...protocol.ResourceContents) *protocol.ReadResourceResult {
	return &protocol.ReadResourceResult{Contents: list}
}

func prompts(h *server.Handlers) {
	h.Prompt(protocol.Prompt{Name: "hello", Description: "Greets."},
		func(_ server.Call, _ protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
			return user("Say hello."), nil
		})
	h.Prompt(protocol.Prompt{
		Name: "greet", Description: "Greets somebody.",
		Arguments: []protocol.PromptArgument{{Name: "name", Description: "Who to greet.", Required: true}},
	}, func(_ server.Call, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return user("Say hello to " + p.Arguments["name"] + "."), nil
	})
	h.Complete(func(_ server.Call, p protocol.CompleteParams) (*protocol.CompleteResult, error) {
		var r protocol.CompleteResult
		for _, name := range []string{"Ada", "Alan", "Grace"} {
			if strings.HasPrefix(name, p.Argument.Value) {
				r.Completion.Values = append(r.Completion.Values, name)
			}
		}
		return &r, nil
	})
}

func user(text string) *protocol.GetPromptResult {
	return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: protocol.RoleUser, Content: protocol.TextContent(text)}}}
}
