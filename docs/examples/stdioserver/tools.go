package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/docs/examples/stdio"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// tool registers a tool whose arguments are decoded into a T.
func tool[T any](h *server.Handlers, name, description string, schema jsonrpc.Raw, f func(server.Call, T) (*protocol.CallToolResult, error)) {
	h.Tool(protocol.Tool{Name: name, Description: description, InputSchema: schema},
		func(call server.Call, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			var args T
			if p.Arguments != "" {
				if err := json.Unmarshal([]byte(p.Arguments), &args); err != nil {
					return protocol.ErrorResult("arguments: " + err.Error()), nil
				}
			}
			r, err := f(call, args)
			if err != nil { // also when the client refused what the tool asked of it
				return protocol.ErrorResult(err.Error()), nil
			}
			return r, nil
		})
}

func handlers(host *stdio.Host) *server.Handlers {
	h := new(server.Handlers)
	tools(h, host)
	resources(h)
	prompts(h)
	return h
}

func tools(h *server.Handlers, host *stdio.Host) {
	tool(h, "echo", "Returns its text.", object("text", "string"),
		func(_ server.Call, a struct{ Text string }) (*protocol.CallToolResult, error) {
			return protocol.TextResult(a.Text), nil
		})
	tool(h, "slow", "Takes ms milliseconds in the given number of steps and reports each.", object("ms", "integer", "steps", "integer"),
		func(call server.Call, a struct{ Ms, Steps int }) (*protocol.CallToolResult, error) {
			steps := max(a.Steps, 1)
			total := float64(steps)
			for i := range steps {
				time.Sleep(time.Duration(a.Ms) * time.Millisecond / time.Duration(steps))
				p := protocol.ProgressParams{Progress: float64(i + 1), Total: &total, Message: fmt.Sprintf("step %d of %d", i+1, steps)}
				if err := host.Progress(call, p); err != nil {
					return nil, err // cancelled: nobody waits
				}
			}
			return protocol.TextResult(fmt.Sprintf("done in %d steps", steps)), nil
		})
	tool(h, "ask", "Asks the client's model.", object("prompt", "string"),
		func(call server.Call, a struct{ Prompt string }) (*protocol.CallToolResult, error) {
			ev, err := host.Request(call, protocol.CreateMessageParams{
				Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: protocol.TextContent(a.Prompt)}},
				MaxTokens: 100,
			})
			if err != nil {
				return nil, err
			}
			r, err := protocol.Decode[protocol.CreateMessageResult](ev.Body)
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(r.Content.Text), nil
		})
	tool(h, "confirm", "Asks the client's user.", object("message", "string"),
		func(call server.Call, a struct{ Message string }) (*protocol.CallToolResult, error) {
			ev, err := host.Request(call, protocol.ElicitParams{
				Message: a.Message,
				RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{
					{Name: "answer", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString, Title: "Your answer"}},
				}},
			})
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(string(ev.Body)), nil
		})
	tool(h, "roots", "Lists the client's roots.", `{"type":"object"}`,
		func(call server.Call, _ struct{}) (*protocol.CallToolResult, error) {
			ev, err := host.Request(call, protocol.ListRootsParams{})
			if err != nil {
				return nil, err
			}
			r, err := protocol.Decode[protocol.ListRootsResult](ev.Body)
			if err != nil {
				return nil, err
			}
			uris := make([]string, 0, len(r.Roots))
			for _, root := range r.Roots {
				uris = append(uris, root.URI)
			}
			return protocol.TextResult(strings.Join(uris, "\n")), nil
		})
	tool(h, "fail", "Fails with the message.", object("message", "string"),
		func(_ server.Call, a struct{ Message string }) (*protocol.CallToolResult, error) {
			return protocol.ErrorResult(a.Message), nil
		})
	tool(h, "content", "Returns a block of every kind.", `{"type":"object"}`,
		func(server.Call, struct{}) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{Content: []protocol.Content{
				protocol.TextContent("text"),
				protocol.ImageContent("image/png", pixel),
				protocol.AudioContent("audio/wav", silence),
				protocol.LinkContent(greeting),
				protocol.EmbeddedContent(protocol.TextResource(greeting.URI, greeting.MIMEType, "Hello!")),
			}}, nil
		})
}

// object returns the schema of an object with the given required members: name, type,
// name, type, and so on.
func object(members ...string) jsonrpc.Raw {
	var properties, required []string
	for i := 0; i < len(members); i += 2 {
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q}`, members[i], members[i+1]))
		required = append(required, fmt.Sprintf("%q", members[i]))
	}
	return jsonrpc.Raw(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]}`)
}
