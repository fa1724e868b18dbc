package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// key names the question of a call without a session, of which each tool has one.
const key = "question"

// question is what the result of a call without a session asks.
type question struct{ *server.InputRequestBuilder }

func (*question) Error() string { return "the client is asked" }

// asked returns what the client answers: to a request, or without a session to the question that was
// the result of the same call before.
func asked[T any](ctx context.Context, request func() (*T, error), answer *T, open *server.InputRequestBuilder) (*T, error) {
	switch {
	case !server.IsModernRequest(ctx):
		return request()
	case answer == nil:
		return nil, &question{open}
	}
	return answer, nil
}

func (a *app) sampled(ctx context.Context, r mcp.CallToolRequest, p mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
	return asked(ctx, func() (*mcp.CreateMessageResult, error) {
		return a.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: p})
	}, server.SamplingResponse(r.Params.InputResponses, key), server.NewInputRequestBuilder("asked").Sample(key, p))
}

func (a *app) elicited(ctx context.Context, r mcp.CallToolRequest, p mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	return asked(ctx, func() (*mcp.ElicitationResult, error) {
		return a.RequestElicitation(ctx, mcp.ElicitationRequest{Params: p})
	}, server.ElicitationResponse(r.Params.InputResponses, key), server.NewInputRequestBuilder("asked").Elicit(key, p))
}

func (a *app) listed(ctx context.Context, r mcp.CallToolRequest) (*mcp.ListRootsResult, error) {
	return asked(ctx, func() (*mcp.ListRootsResult, error) { return a.RequestRoots(ctx, mcp.ListRootsRequest{}) },
		server.RootsResponse(r.Params.InputResponses, key), server.NewInputRequestBuilder("asked").Roots(key))
}
