package main

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// own are the tools of the program itself, which are called by name like those of servers.
type own struct {
	tools  []protocol.Tool
	run    func(ctx context.Context, f *fleet.Fleet, i calls.LocalStart) attempt.Outcome
	policy map[string]*attempt.Policy // with the time of each
}

// ownTools returns the tools of the program: a group, as a server would offer it.
func ownTools(base attempt.Policy) (own, error) {
	g, err := registry.NewGroup(registry.Definition{Name: "own", Timeout: time.Second, Tools: []registry.Tool{{
		Tool: protocol.Tool{Name: "now", Description: "The time of day."},
		Func: func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(time.Now().Format(time.TimeOnly)), nil
		},
	}}})
	if err != nil {
		return own{}, err
	}
	return locals(g.View(), base), nil
}

// locals returns what a view offers, for a fleet.Fleet: functions run as they do in a session, but
// without a client.
func locals(v *registry.View, base attempt.Policy) own {
	o := own{policy: map[string]*attempt.Policy{}}
	o.run = func(ctx context.Context, _ *fleet.Fleet, i calls.LocalStart) attempt.Outcome {
		return answer(ctx, v.Handlers(), i)
	}
	for _, t := range v.Tools() {
		if t.ShadowedBy != "" {
			continue
		}
		p := base
		p.Attempt = t.Timeout
		o.tools, o.policy[t.Tool.Name] = append(o.tools, t.Tool), &p
	}
	return o
}

// answer runs the function of a tool as in a session.
func answer(ctx context.Context, h *server.Handlers, i calls.LocalStart) attempt.Outcome {
	body, err := protocol.EncodeParams(protocol.CallToolParams{Name: i.Tool, Arguments: i.Arguments})
	if err != nil {
		return attempt.FromError(i.Tool, err)
	}
	job, ok := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: protocol.MethodToolsCall, Body: body})
	if !ok {
		return attempt.Outcome{Err: toolerror.Unknown(i.Tool, nil)}
	}
	a := job.Run(ctx, nil)
	if a.Err != nil {
		return attempt.FromError(i.Tool, a.Err)
	}
	r, _ := a.Result.(*protocol.CallToolResult)
	return attempt.Outcome{Result: r} // Finish checks it
}
