// The gosdkserver command is a server made with the Go SDK. It has what the published
// examples of the SDK do not have, or not in one server. It speaks stdio, or with -http
// Streamable HTTP with resumption at /mcp, and HTTP+SSE of 2024-11-05 at /sse.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const order = `{"type":"object","required":["fruits"],"properties":{
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"m","title":"Medium"},{"const":"l","title":"Large"}],"default":"m"},
	"fruits":{"type":"array","items":{"type":"string","enum":["apple","cherry","plum"]},"minItems":1,"maxItems":2,"default":["apple"]},
	"extras":{"type":"array","items":{"anyOf":[{"const":"mint","title":"A leaf of mint"},{"const":"ice","title":"Much ice"}]},"default":[]},
	"glasses":{"type":"integer","minimum":1,"default":2},"name":{"type":"string","default":"Ada"}}}`

var signedIn atomic.Bool

func main() {
	addr := flag.String("http", "", "the `address` to serve HTTP at")
	bare := flag.Bool("bare", false, "over HTTP, without sessions and with answers in JSON")
	stateless := flag.Bool("stateless", false, "over HTTP, without sessions: only so it speaks 2026-07-28")
	flag.Parse()
	s := mcp.NewServer(&mcp.Implementation{
		Name: "interop-gosdk", Version: "1", Title: "A server", Description: "Shows what came with 2025-11-25.", WebsiteURL: "https://example.com/interop",
		Icons: []mcp.Icon{{Source: "https://example.com/interop.png"}, {Source: "file:///etc/passwd"}},
	}, nil)
	for name, f := range map[string]func(context.Context, *mcp.CallToolRequest) (string, error){
		"confirm": confirm, "choose": choose, "visit": visit, "account": account, "reason": reason, "who": who,
		"echo": echo, "slow": slow, "ask": ask, "roots": roots, "toggle": func(context.Context, *mcp.CallToolRequest) (string, error) { return toggle(s) },
	} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, handler(f))
	}
	if *addr != "" {
		same := func(*http.Request) *mcp.Server { return s }
		opt := &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}
		switch {
		case *stateless:
			opt = &mcp.StreamableHTTPOptions{Stateless: true}
		case *bare:
			opt = &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}
		}
		http.Handle("/mcp", mcp.NewStreamableHTTPHandler(same, opt))
		http.Handle("/sse", mcp.NewSSEHandler(same, nil))
		fmt.Fprintln(os.Stderr, http.ListenAndServe(*addr, nil))
		os.Exit(1)
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func handler(f func(context.Context, *mcp.CallToolRequest) (string, error)) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := f(ctx, r)
		var open *question
		if errors.As(err, &open) {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"question": open.InputRequest}, RequestState: "asked"}, nil
		}
		var need *needed
		if errors.As(err, &need) {
			return nil, need.error
		}
		res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
		if err != nil {
			res.SetError(err)
		}
		return res, nil
	}
}

// needed is an error that answers the call, and is not the result of the tool.
type needed struct{ error }

func elicit(ctx context.Context, r *mcp.CallToolRequest, p *mcp.ElicitParams) (*mcp.ElicitResult, string, error) {
	res, err := asked(r, p, func() (*mcp.ElicitResult, error) { return r.Session.Elicit(ctx, p) })
	if err != nil {
		return nil, "", err
	}
	answer := map[string]any{"action": res.Action}
	if res.Content != nil {
		answer["content"] = res.Content
	}
	b, err := json.Marshal(answer)
	return res, string(b), err
}

func confirm(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	_, text, err := elicit(ctx, r, &mcp.ElicitParams{Message: "really?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}}}`)})
	return text, err
}

func choose(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	_, text, err := elicit(ctx, r, &mcp.ElicitParams{Message: "What may it be?", RequestedSchema: json.RawMessage(order)})
	return text, err
}

func page() *mcp.ElicitParams {
	id := rand.Text()
	return &mcp.ElicitParams{Mode: "url", Message: "Please have a look.", URL: "https://example.com/visit/" + id, ElicitationID: id}
}

// later tells the client after a moment that a page is done: with a context of its own, for
// over HTTP that of the call would take it to the stream of the call, which has ended.
func later(s *mcp.ServerSession, id string) {
	time.AfterFunc(100*time.Millisecond, func() {
		_ = s.NotifyElicitationComplete(context.Background(), &mcp.ElicitationCompleteParams{ElicitationID: id})
	})
}

func visit(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	p := page()
	res, text, err := elicit(ctx, r, p)
	if err == nil && res.Action == "accept" {
		later(r.Session, p.ElicitationID)
	}
	return text, err
}

func account(_ context.Context, r *mcp.CallToolRequest) (string, error) {
	if signedIn.Swap(true) {
		return "signed in", nil
	}
	p := page()
	later(r.Session, p.ElicitationID)
	return "", &needed{mcp.URLElicitationRequiredError([]*mcp.ElicitParams{p})}
}

func reason(ctx context.Context, r *mcp.CallToolRequest) (string, error) {
	if c := r.Session.InitializeParams().Capabilities.Sampling; c == nil || c.Tools == nil {
		return "", errors.New("the client has no tools for its model")
	}
	p := &mcp.CreateMessageWithToolsParams{
		Messages:  []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "the sum"}}}},
		Tools:     []*mcp.Tool{{Name: "add", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)}},
		MaxTokens: 100,
	}
	for range 10 {
		res, err := r.Session.CreateMessageWithTools(ctx, p)
		if err != nil {
			return "", err
		}
		var results []mcp.Content
		var text string
		for _, c := range res.Content {
			switch c := c.(type) {
			case *mcp.TextContent:
				text += c.Text
			case *mcp.ToolUseContent:
				x, _ := c.Input["a"].(float64)
				y, _ := c.Input["b"].(float64)
				results = append(results, &mcp.ToolResultContent{ToolUseID: c.ID, Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(x + y)}}})
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		p.Messages = append(p.Messages, &mcp.SamplingMessageV2{Role: res.Role, Content: res.Content}, &mcp.SamplingMessageV2{Role: "user", Content: results})
	}
	return "", errors.New("the model does not come to an end")
}

func who(_ context.Context, r *mcp.CallToolRequest) (string, error) {
	b, err := json.Marshal(r.Session.InitializeParams().ClientInfo)
	return string(b), err
}
