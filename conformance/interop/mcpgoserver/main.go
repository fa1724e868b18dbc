// The mcpgoserver command is a server made with mcp-go. It has what the published examples
// of mcp-go do not have, or not in one server. It speaks stdio, or with -http Streamable
// HTTP with resumption at /mcp, and HTTP+SSE of 2024-11-05 at /sse.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const noteURI = "test://note"

type app struct {
	*server.MCPServer
	subscribed sync.Map // mcp-go accepts subscriptions and leaves it to the application to keep them
	extra      atomic.Bool
	signedIn   atomic.Bool
	announced  atomic.Int32
}

func main() {
	addr := flag.String("http", "", "the `address` to serve HTTP at")
	bare := flag.Bool("bare", false, "over HTTP, without sessions and streams")
	flag.Parse()
	a, hooks := new(app), new(server.Hooks)
	hooks.AddAfterSubscribe(func(_ context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		a.subscribed.Store(m.Params.URI, true)
	})
	hooks.AddAfterUnsubscribe(func(_ context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		a.subscribed.Delete(m.Params.URI)
	})
	a.MCPServer = server.NewMCPServer("interop-mcpgo", "1",
		server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithLogging(), server.WithElicitation(), server.WithRoots(), server.WithCompletions(),
		server.WithPromptCompletionProvider(a), server.WithHooks(hooks),
		server.WithTitle("A server"), server.WithDescription("Shows what came with 2025-11-25."), server.WithWebsiteURL("https://example.com/interop"),
		server.WithIcons(mcp.Icon{Src: "https://example.com/interop.png"}, mcp.Icon{Src: "file:///etc/passwd"}))
	a.EnableSampling()
	a.AddNotificationHandler(mcp.MethodNotificationRootsListChanged, func(context.Context, mcp.JSONRPCNotification) { a.announced.Add(1) })
	for name, f := range map[string]func(context.Context, mcp.CallToolRequest) (string, error){
		"toggle": a.toggle, "write": a.write, "log": a.log, "ask": a.ask, "confirm": a.confirm, "roots": a.roots,
		"choose": a.choose, "visit": a.visit, "account": a.account, "reason": a.reason, "who": a.who,
		"echo": echo, "slow": a.slow,
	} {
		a.AddTool(mcp.NewTool(name), handler(f))
	}
	a.AddResource(mcp.NewResource(noteURI, "note"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: noteURI, Text: "note"}}, nil
	})
	a.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("name")), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	if *addr != "" {
		opts := []server.StreamableHTTPOption{server.WithStateful(true), server.WithEventStore(server.NewInMemoryEventStore())}
		if *bare {
			opts = []server.StreamableHTTPOption{server.WithStateLess(true), server.WithDisableStreaming(true)}
		}
		http.Handle("/mcp", server.NewStreamableHTTPServer(a.MCPServer, opts...))
		sse := server.NewSSEServer(a.MCPServer, server.WithUseFullURLForMessageEndpoint(false))
		http.Handle("/sse", sse.SSEHandler())
		http.Handle("/message", sse.MessageHandler())
		fmt.Fprintln(os.Stderr, http.ListenAndServe(*addr, nil))
		os.Exit(1)
	}
	if err := server.ServeStdio(a.MCPServer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func handler(f func(context.Context, mcp.CallToolRequest) (string, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// mcp-go cancels a call when the connection is lost, after which it could go on on another.
		text, err := f(context.WithoutCancel(ctx), r)
		var open *question
		if errors.As(err, &open) {
			return open.ToolResult(), nil
		}
		if errors.As(err, new(mcp.URLElicitationRequiredError)) {
			return nil, err
		}
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(text), nil
	}
}

func (a *app) toggle(context.Context, mcp.CallToolRequest) (string, error) {
	if a.extra.Swap(!a.extra.Load()) {
		a.DeleteTools("extra")
	} else {
		a.AddTool(mcp.NewTool("extra"), handler(func(context.Context, mcp.CallToolRequest) (string, error) { return "here", nil }))
	}
	return "done", nil
}

func (a *app) write(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
	if _, ok := a.subscribed.Load(noteURI); !ok {
		return "written", nil
	}
	return "written", a.SendNotificationToClient(ctx, mcp.MethodNotificationResourceUpdated, map[string]any{"uri": noteURI})
}

func (a *app) log(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	level := mcp.LoggingLevel(r.GetString("level", ""))
	return "logged", a.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "interop", "text"))
}

func (a *app) ask(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	res, err := a.sampled(ctx, r, mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.GetString("prompt", ""))}},
		MaxTokens: 100,
	})
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content), nil
}

func (a *app) confirm(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	res, err := a.elicited(ctx, r, mcp.ElicitationParams{
		Message: "really?",
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{
			"answer": map[string]any{"type": "string"}, "times": map[string]any{"type": "integer", "maximum": 10},
		}},
	})
	if err != nil {
		return "", err
	}
	if res.Action != mcp.ElicitationResponseActionAccept {
		return string(res.Action), nil
	}
	return fmt.Sprint(res.Action, " ", res.Content), nil
}

func (a *app) roots(ctx context.Context, call mcp.CallToolRequest) (string, error) {
	res, err := a.listed(ctx, call)
	if err != nil {
		return "", err
	}
	var text string
	for _, r := range res.Roots {
		text += r.URI + " "
	}
	return fmt.Sprint(text, "changes announced: ", a.announced.Load()), nil
}

// CompletePromptArgument proposes one name, which has the language of the context in it.
func (*app) CompletePromptArgument(_ context.Context, _ string, arg mcp.CompleteArgument, c mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{arg.Value + " in " + c.Arguments["language"]}, Total: 1}, nil
}
