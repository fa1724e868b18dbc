package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func echo(_ context.Context, r *mcp.CallToolRequest) (string, error) {
	var in struct{ Text string }
	err := json.Unmarshal(r.Params.Arguments, &in)
	return in.Text, err
}

// slow takes its time, and tells how far it is.
func slow(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	var in struct{ MS, Steps int }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return "", err
	}
	for i := range in.Steps {
		select {
		case <-time.After(time.Duration(in.MS/in.Steps) * time.Millisecond):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if token := r.Params.GetProgressToken(); token != nil {
			p := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: float64(in.Steps)}
			if err := r.Session.NotifyProgress(ctx, p); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("%d steps", in.Steps), nil
}

func ask(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
		return "", err
	}
	p := &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Prompt}}},
		MaxTokens: 100,
	}
	if !session(r) { // the answer is of a type of its own there
		res, err := asked[*mcp.CreateMessageWithToolsResult](r, p, nil)
		if err != nil {
			return "", err
		}
		text, _ := res.Content[0].(*mcp.TextContent)
		return text.Text, nil
	}
	res, err := r.Session.CreateMessage(ctx, p)
	if err != nil {
		return "", err
	}
	text, _ := res.Content.(*mcp.TextContent)
	return text.Text, nil
}

func roots(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	p := &mcp.ListRootsParams{}
	res, err := asked(r, p, func() (*mcp.ListRootsResult, error) { return r.Session.ListRoots(ctx, p) })
	if err != nil {
		return "", err
	}
	var text string
	for _, root := range res.Roots {
		text += root.URI + " "
	}
	return text, nil
}

// session reports whether a call belongs to one.
func session(r *mcp.CallToolRequest) bool {
	p := r.Session.InitializeParams()
	return p != nil && p.ProtocolVersion < "2026-07-28"
}

// question is what the result of a call without a session asks.
type question struct{ mcp.InputRequest }

func (*question) Error() string { return "the client is asked" }

// asked returns what the client answers: to a request, or without a session to the question that was
// the result of the same call before.
func asked[T any](r *mcp.CallToolRequest, p mcp.InputRequest, request func() (T, error)) (T, error) {
	if session(r) {
		return request()
	}
	if res, ok := r.Params.InputResponses["question"].(T); ok && r.Params.RequestState == "asked" {
		return res, nil
	}
	var none T
	return none, &question{p}
}

var extra atomic.Bool

// toggle has a tool come or go.
func toggle(s *mcp.Server) (string, error) {
	if extra.Swap(!extra.Load()) {
		s.RemoveTools("extra")
	} else {
		s.AddTool(&mcp.Tool{Name: "extra", InputSchema: json.RawMessage(`{"type":"object"}`)},
			handler(func(context.Context, *mcp.CallToolRequest) (string, error) { return "here", nil }))
	}
	return "done", nil
}
