package app

import (
	"context"
	"encoding/base64"
	"strconv"
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

func (a *App) resources(h *server.Handlers) {
	h.Resource(greeting, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return contents(protocol.TextResource(p.URI, "text/plain", "Hello!")), nil
	})
	h.Resource(protocol.Resource{URI: "example://pixel", Name: "pixel", MIMEType: "image/png"},
		func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return contents(protocol.BlobResource(p.URI, "image/png", pixel)), nil
		})
	h.Resource(note, func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return contents(protocol.TextResource(p.URI, "text/plain", *a.note.Load())), nil
	})
	h.Template(protocol.ResourceTemplate{URITemplate: "example://square/{n}", Name: "square of a number", MIMEType: "text/plain"},
		func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			n, err := strconv.ParseInt(vars.Get("n").String(), 10, 32)
			if err != nil {
				return nil, protocol.ResourceNotFound(p.URI)
			}
			return contents(protocol.TextResource(p.URI, "text/plain", strconv.FormatInt(n*n, 10))), nil
		})
	h.Template(protocol.ResourceTemplate{URITemplate: "example://greeting/{name}", Name: "greeting by name", MIMEType: "text/plain"},
		func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			name := vars.Get("name").String()
			if name == "" {
				return nil, protocol.ResourceNotFound(p.URI)
			}
			return contents(protocol.TextResource(p.URI, "text/plain", "Hello, "+name+"!")), nil
		})
}

func contents(list ...protocol.ResourceContents) *protocol.ReadResourceResult {
	return &protocol.ReadResourceResult{Contents: list}
}

func prompts(h *server.Handlers) {
	h.Prompt(protocol.Prompt{Name: "hello", Description: "Greets."},
		func(_ context.Context, _ server.Caller, _ protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
			return user("Say hello."), nil
		})
	h.Prompt(protocol.Prompt{
		Name: "greet", Description: "Greets somebody.",
		Arguments: []protocol.PromptArgument{
			{Name: "name", Description: "Who to greet.", Required: true},
			{Name: "language", Description: "In which language."},
		},
	}, func(_ context.Context, _ server.Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return user("Say hello to " + p.Arguments["name"] + "."), nil
	})
	h.Complete(func(_ context.Context, _ server.Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error) {
		all, ok := proposals(p)
		if !ok {
			return nil, protocol.InvalidParams("no such argument")
		}
		var r protocol.CompleteResult
		for _, value := range all {
			if strings.HasPrefix(value, p.Argument.Value) {
				r.Completion.Values = append(r.Completion.Values, value)
			}
		}
		r.Completion.Total = protocol.Ptr(int64(len(r.Completion.Values))) // no more than 100 are sent
		return &r, nil
	})
}

// proposals returns what there is for an argument, given those that are known.
func proposals(p protocol.CompleteParams) ([]string, bool) {
	switch p.Ref.Name + p.Ref.URI + " " + p.Argument.Name {
	case "greet name", "example://greeting/{name} name":
		if p.Context != nil && p.Context.Arguments["language"] == "French" {
			return []string{"Adèle", "Alain", "Gérard"}, true
		}
		return []string{"Ada", "Alan", "Grace"}, true
	case "greet language":
		return []string{"English", "French"}, true
	case "example://square/{n} n":
		numbers := make([]string, 1000)
		for i := range numbers {
			numbers[i] = strconv.Itoa(i)
		}
		return numbers, true
	}
	return nil, false
}

func user(text string) *protocol.GetPromptResult {
	return &protocol.GetPromptResult{Messages: []protocol.PromptMessage{{Role: protocol.RoleUser, Content: protocol.TextContent(text)}}}
}
