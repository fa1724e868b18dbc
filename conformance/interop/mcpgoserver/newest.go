package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What came with 2025-11-25.

const order = `{"type":"object","required":["fruits"],"properties":{
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"m","title":"Medium"},{"const":"l","title":"Large"}],"default":"m"},
	"fruits":{"type":"array","items":{"type":"string","enum":["apple","cherry","plum"]},"minItems":1,"maxItems":2,"default":["apple"]},
	"extras":{"type":"array","items":{"anyOf":[{"const":"mint","title":"A leaf of mint"},{"const":"ice","title":"Much ice"}]},"default":[]},
	"glasses":{"type":"integer","minimum":1,"default":2},"name":{"type":"string","default":"Ada"}}}`

func answered(r *mcp.ElicitationResult) (string, error) {
	b, err := json.Marshal(r.ElicitationResponse)
	return string(b), err
}

func (a *app) choose(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
	r, err := a.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
		Message: "What may it be?", RequestedSchema: json.RawMessage(order),
	}})
	if err != nil {
		return "", err
	}
	return answered(r)
}

func page() mcp.ElicitationParams {
	id := rand.Text()
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: "Please have a look.", URL: "https://example.com/visit/" + id, ElicitationID: id}
}

// later tells the client after a moment that a page is done.
func (a *app) later(ctx context.Context, id string) {
	session := server.ClientSessionFromContext(ctx)
	time.AfterFunc(100*time.Millisecond, func() { _ = a.SendElicitationComplete(context.WithoutCancel(ctx), session, id) })
}

func (a *app) visit(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
	p := page()
	r, err := a.RequestURLElicitation(ctx, server.ClientSessionFromContext(ctx), p.ElicitationID, p.URL, p.Message)
	if err != nil {
		return "", err
	}
	if r.Action == mcp.ElicitationResponseActionAccept {
		a.later(ctx, p.ElicitationID)
	}
	return answered(r)
}

func (a *app) account(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
	if a.signedIn.Swap(true) {
		return "signed in", nil
	}
	p := page()
	a.later(ctx, p.ElicitationID)
	return "", mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{p}}
}

func (a *app) reason(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	p := mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.GetString("prompt", ""))}},
		Tools:     []mcp.Tool{mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()))},
		MaxTokens: 100,
	}
	for range 10 {
		res, err := a.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: p})
		if err != nil {
			return "", err
		}
		use, ok := res.Content.(mcp.ToolUseContent)
		if !ok {
			return mcp.GetTextFromContent(res.Content), nil
		}
		args, _ := use.Input.(map[string]any)
		x, _ := args["a"].(float64)
		y, _ := args["b"].(float64)
		result := mcp.NewToolResultContent(use.ID, []mcp.Content{mcp.NewTextContent(fmt.Sprint(x + y))}, false)
		p.Messages = append(p.Messages, res.SamplingMessage, mcp.SamplingMessage{Role: mcp.RoleUser, Content: result})
	}
	return "", errors.New("the model does not come to an end")
}

func (a *app) who(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
	s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return "", errors.New("the session does not know")
	}
	b, err := json.Marshal(s.GetClientInfo())
	return string(b), err
}
