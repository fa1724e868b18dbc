package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// discovers asks for nothing but what every client asks a server without sessions.
func discovers(context.Context, *session.Client) error { return nil }

// lists asks for the tools.
func lists(ctx context.Context, c *session.Client) error {
	_, err := c.Tools(ctx)
	return err
}

// callAll calls each tool that can be called with the arguments that are there: tools whose headers cannot be
// made are not.
func callAll(args jsonrpc.Raw) func(context.Context, *session.Client) error {
	return func(ctx context.Context, c *session.Client) error {
		tools, err := c.Tools(ctx)
		if err != nil {
			return err
		}
		for _, t := range tools {
			if _, bad := headers.Params(t.InputSchema); bad != nil {
				continue
			}
			_, failed := c.CallTool(ctx, protocol.CallToolParams{Name: t.Name, Arguments: args}, session.RequestOptions{})
			err = errors.Join(err, failed)
		}
		return err
	}
}

// callGiven calls the tools that the suite names, with the arguments that it gives.
func callGiven(ctx context.Context, c *session.Client) error {
	var g struct {
		Calls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &g); err != nil {
		return err
	}
	_, err := c.Tools(ctx) // which say what goes into headers
	for _, call := range g.Calls {
		if err == nil {
			err = succeed(ctx, c, call.Name, jsonrpc.Raw(call.Arguments))
		}
	}
	return err
}

// useAll makes a request of each kind that names something.
func useAll(ctx context.Context, c *session.Client) error {
	err := callAll(`{}`)(ctx, c)
	resources, failed := c.List(ctx, protocol.MethodResourcesList)
	err = errors.Join(err, failed)
	for _, raw := range resources {
		r, bad := protocol.Decode[protocol.Resource](raw)
		_, failed = c.Request(ctx, protocol.ReadResourceParams{URI: r.URI}, session.RequestOptions{})
		err = errors.Join(err, bad, failed)
	}
	prompts, failed := c.List(ctx, protocol.MethodPromptsList)
	err = errors.Join(err, failed)
	for _, raw := range prompts {
		p, bad := protocol.Decode[protocol.Prompt](raw)
		_, failed = c.Request(ctx, protocol.GetPromptParams{Name: p.Name}, session.RequestOptions{})
		err = errors.Join(err, bad, failed)
	}
	if err != nil {
		return fmt.Errorf("a request failed: %w", err)
	}
	return nil
}
