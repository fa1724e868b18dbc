package main

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

func echo(_ context.Context, r mcp.CallToolRequest) (string, error) {
	return r.GetString("text", ""), nil
}

// slow takes its time, and tells how far it is.
func (a *app) slow(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	ms, steps := r.GetInt("ms", 0), r.GetInt("steps", 1)
	for i := range steps {
		select {
		case <-time.After(time.Duration(ms/steps) * time.Millisecond):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
			continue
		}
		err := a.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": steps,
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d steps", steps), nil
}
