package app

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
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
	// A uri whose variables are not valid names no resource.
	typed.Template(h, protocol.ResourceTemplate{URITemplate: "example://square/{n}", Name: "square of a number", MIMEType: "text/plain"},
		func(_ context.Context, _ server.Caller, uri string, in squareVars) (*protocol.ReadResourceResult, error) {
			return contents(protocol.TextResource(uri, "text/plain", strconv.FormatInt(int64(in.N)*int64(in.N), 10))), nil
		})
	typed.Template(h, protocol.ResourceTemplate{URITemplate: "example://greeting/{name}", Name: "greeting by name", MIMEType: "text/plain"},
		func(_ context.Context, _ server.Caller, uri string, in greetingVars) (*protocol.ReadResourceResult, error) {
			return contents(protocol.TextResource(uri, "text/plain", "Hello, "+in.Name+"!")), nil
		})
}

// The variables of the templates, and the arguments of a prompt.
type (
	squareVars struct {
		N int32 `json:"n"`
	}
	greetingVars struct {
		Name string `json:"name" schema:"minLength=1"`
	}
	greetArgs struct {
		Name     string `json:"name" doc:"Who to greet."`
		Language string `json:"language,omitempty" doc:"In which language."`
	}
)

func contents(list ...protocol.ResourceContents) *protocol.ReadResourceResult {
	return &protocol.ReadResourceResult{Contents: list}
}

func prompts(h *server.Handlers) {
	typed.Prompt(h, protocol.Prompt{Name: "hello", Description: "Greets."},
		func(context.Context, server.Caller, struct{}) (*protocol.GetPromptResult, error) {
			return user("Say hello."), nil
		})
	typed.Prompt(h, protocol.Prompt{Name: "greet", Description: "Greets somebody."},
		func(_ context.Context, _ server.Caller, in greetArgs) (*protocol.GetPromptResult, error) {
			return user("Say hello to " + in.Name + "."), nil
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

// proposals returns the values of an argument, given the known ones.
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
