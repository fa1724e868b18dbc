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
	res, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: in.Prompt}}},
		MaxTokens: 100,
	})
	if err != nil {
		return "", err
	}
	text, _ := res.Content.(*mcp.TextContent)
	return text.Text, nil
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
