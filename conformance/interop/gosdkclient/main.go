// The gosdkclient command checks a server with the client of the Go SDK.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sansmcp/mcp/conformance/interop/drive"
)

const unknownMethod = "no/such"

type session struct {
	*mcp.ClientSession
	client   *mcp.Client
	mu       sync.Mutex
	progress map[string]func(float64)
	tokens   int
}

func main() {
	drive.Main(func(ctx context.Context, srv *drive.Server, h *drive.Hooks) (drive.Session, error) {
		s := &session{progress: map[string]func(float64){}}
		me := &mcp.Implementation{
			Name: "interop-gosdk", Version: "1", Title: drive.Me.Title, Description: drive.Me.Description, WebsiteURL: drive.Me.Website,
			Icons: []mcp.Icon{{Source: drive.Me.Icon}},
		}
		c := mcp.NewClient(me, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{
				RootsV2:     &mcp.RootCapabilities{ListChanged: true},
				Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
			},
			CreateMessageWithToolsHandler: func(_ context.Context, r *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				return sample(h, r.Params), nil
			},
			ElicitationCompleteHandler: func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) {
				h.Noted("notifications/elicitation/complete", r.Params.ElicitationID)
			},
			ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if r.Params.Mode == "url" {
					return &mcp.ElicitResult{Action: h.Visit(r.Params.URL, r.Params.ElicitationID)}, nil
				}
				action, content := h.Elicit(r.Params.RequestedSchema)
				return &mcp.ElicitResult{Action: action, Content: content}, nil
			},
			ProgressNotificationHandler: s.onProgress,
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
				h.Noted("notifications/tools/list_changed", "")
			},
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
				h.Noted("notifications/resources/updated", r.Params.URI)
			},
			LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
				h.Noted("notifications/message", fmt.Sprint(r.Params.Data))
			},
		})
		s.client = c
		c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
				if method == "roots/list" {
					h.RootsAsked()
				}
				return next(ctx, method, r)
			}
		})
		c.AddRoots(&mcp.Root{URI: drive.RootURI, Name: "root"})
		if err := mcp.AddSendingCustomMethod[*noParams, *noResult](c, unknownMethod); err != nil {
			return nil, err
		}
		if srv.SSE {
			ctx = context.WithoutCancel(ctx) // the stream lives as long as it
		}
		cs, err := c.Connect(ctx, transport(srv), &mcp.ClientSessionOptions{ProtocolVersion: h.Revision})
		s.ClientSession = cs
		return s, err
	})
}

func transport(srv *drive.Server) mcp.Transport {
	switch {
	case srv.SSE:
		return &mcp.SSEClientTransport{Endpoint: srv.URL}
	case srv.URL != "":
		return &mcp.StreamableClientTransport{Endpoint: srv.URL}
	}
	return &mcp.IOTransport{Reader: srv.Out, Writer: srv.In}
}

// sample answers for a model, with its first tool.
func sample(h *drive.Hooks, p *mcp.CreateMessageWithToolsParams) *mcp.CreateMessageWithToolsResult {
	var prompt, tool, result string
	for _, m := range p.Messages {
		for _, c := range m.Content {
			switch c := c.(type) {
			case *mcp.TextContent:
				prompt += c.Text
			case *mcp.ToolResultContent:
				for _, block := range c.Content {
					if t, ok := block.(*mcp.TextContent); ok {
						result += t.Text
					}
				}
			}
		}
	}
	if len(p.Tools) > 0 {
		tool = p.Tools[0].Name
	}
	text, use := h.Reason(prompt, tool, result)
	r := &mcp.CreateMessageWithToolsResult{Model: "none", Role: "assistant", Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if use {
		r.StopReason = "toolUse"
		r.Content = []mcp.Content{&mcp.ToolUseContent{ID: "use-1", Name: tool, Input: map[string]any{"a": 1, "b": 2}}}
	}
	return r
}

type noParams struct{ mcp.ParamsBase }

type noResult struct{ mcp.ResultBase }

func (s *session) onProgress(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	s.mu.Lock()
	f := s.progress[token]
	s.mu.Unlock()
	if f != nil {
		f(r.Params.Progress)
	}
}

func (s *session) Version() string { return s.InitializeResult().ProtocolVersion }

func (s *session) Server() drive.Info {
	i := s.InitializeResult().ServerInfo
	return drive.Info{Title: i.Title, Description: i.Description, Website: i.WebsiteURL, Icon: source(i.Icons)}
}

func source(icons []mcp.Icon) string {
	if len(icons) == 0 {
		return ""
	}
	return icons[0].Source
}

func (s *session) Pages(err error) (ids []string) {
	var e *jsonrpc.Error
	var data struct{ Elicitations []mcp.ElicitParams }
	if errors.As(err, &e) && json.Unmarshal(e.Data, &data) == nil {
		for _, p := range data.Elicitations {
			ids = append(ids, p.ElicitationID)
		}
	}
	return ids
}

func (s *session) FillsDefaults() bool { return true }

func (s *session) Ping(ctx context.Context) error { return s.ClientSession.Ping(ctx, nil) }

func (s *session) Request(ctx context.Context, method string) error {
	if method != unknownMethod {
		return fmt.Errorf("%s is not registered", method)
	}
	_, err := mcp.CallCustomMethod[*noParams, *noResult](ctx, s.ClientSession, method, &noParams{})
	return err
}

func (s *session) Code(err error) int {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return int(e.Code)
	}
	return 0
}

func (s *session) List(ctx context.Context, kind string) ([]drive.Item, error) {
	switch kind {
	case "tools":
		return collect(s.Tools(ctx, nil), func(t *mcp.Tool) drive.Item { return drive.Item{Name: t.Name, Icon: source(t.Icons)} })
	case "resources":
		return collect(s.Resources(ctx, nil), func(r *mcp.Resource) drive.Item { return drive.Item{Name: r.Name, URI: r.URI} })
	case "templates":
		return collect(s.ResourceTemplates(ctx, nil), func(t *mcp.ResourceTemplate) drive.Item {
			return drive.Item{Name: t.Name, URI: t.URITemplate}
		})
	}
	return collect(s.Prompts(ctx, nil), func(p *mcp.Prompt) drive.Item {
		i := drive.Item{Name: p.Name}
		for _, a := range p.Arguments {
			if a.Required {
				i.Required = append(i.Required, a.Name)
			}
		}
		return i
	})
}

func collect[T any](seq iter.Seq2[T, error], item func(T) drive.Item) ([]drive.Item, error) {
	var out []drive.Item
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		out = append(out, item(v))
	}
	return out, nil
}

func (s *session) Call(ctx context.Context, tool string, args map[string]any, progress func(float64)) (drive.Result, error) {
	p := &mcp.CallToolParams{Name: tool}
	if args != nil {
		p.Arguments = args
	}
	if progress != nil {
		s.mu.Lock()
		s.tokens++
		token := fmt.Sprint("token-", s.tokens)
		s.progress[token] = progress
		s.mu.Unlock()
		p.SetProgressToken(token)
	}
	res, err := s.CallTool(ctx, p)
	if err != nil {
		return drive.Result{}, err
	}
	out := drive.Result{IsError: res.IsError}
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			out.Kinds = append(out.Kinds, "text")
			out.Text += c.Text
		case *mcp.ImageContent:
			out.Kinds = append(out.Kinds, "image")
		case *mcp.AudioContent:
			out.Kinds = append(out.Kinds, "audio")
		case *mcp.ResourceLink:
			out.Kinds = append(out.Kinds, "resource_link")
		case *mcp.EmbeddedResource:
			out.Kinds = append(out.Kinds, "resource")
		}
	}
	return out, nil
}

func (s *session) Read(ctx context.Context, uri string) ([]string, error) {
	res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range res.Contents {
		out = append(out, c.Text)
	}
	return out, nil
}

func (s *session) Subscribe(ctx context.Context, uri string) error {
	return s.ClientSession.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
}

func (s *session) Unsubscribe(ctx context.Context, uri string) error {
	err := s.ClientSession.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
	time.Sleep(100 * time.Millisecond) // without a session it does not wait until the word is out
	return err
}

func (s *session) SetLevel(ctx context.Context, level string) error {
	return s.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
}

func (s *session) Complete(ctx context.Context, ref, argument, value string, known map[string]string) (drive.Completion, error) {
	p := &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: ref},
		Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	}
	if strings.Contains(ref, "://") {
		p.Ref = &mcp.CompleteReference{Type: "ref/resource", URI: ref}
	}
	if known != nil {
		p.Context = &mcp.CompleteContext{Arguments: known}
	}
	res, err := s.ClientSession.Complete(ctx, p)
	if err != nil {
		return drive.Completion{}, err
	}
	return drive.Completion{Values: res.Completion.Values, Total: res.Completion.Total, HasMore: res.Completion.HasMore}, nil
}

func (s *session) AddRoot(_ context.Context, uri string) error {
	s.client.AddRoots(&mcp.Root{URI: uri, Name: "added"})
	return nil
}

func (s *session) Prompt(ctx context.Context, name string, args map[string]string) (int, error) {
	res, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return 0, err
	}
	return len(res.Messages), nil
}
