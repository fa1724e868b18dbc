package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/conformance/interop/drive"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// driven is a session.Client as drive.Session.
type driven struct {
	*session.Client
	hooks *drive.Hooks
	id    func() string
	taken chan struct{} // a subscription is acknowledged
	stop  func()        // ends the one to a resource

	mu    sync.Mutex
	roots []protocol.Root
}

func (s *driven) ID() string { return s.id() }

func (s *driven) Version() string { return s.State().Revision().String() }

func (s *driven) Server() drive.Info {
	p := s.State().Peer()
	return drive.Info{Title: p.Title, Description: p.Description, Website: p.WebsiteURL, Icon: source(p.Icons)}
}

func source(icons []protocol.Icon) string {
	if len(icons) == 0 {
		return ""
	}
	return icons[0].Src
}

func (s *driven) FillsDefaults() bool { return true }

// Reopens says that the client opens another session by itself when one has ended.
func (s *driven) Reopens() {}

func (s *driven) Close() error { return s.Client.Close(context.Background()) }

func (s *driven) do(ctx context.Context, p protocol.Params) error {
	_, err := s.Client.Request(ctx, p, session.RequestOptions{})
	return err
}

func (s *driven) Ping(ctx context.Context) error { return s.do(ctx, protocol.PingParams{}) }

func (s *driven) Request(ctx context.Context, method string) error {
	return s.do(ctx, protocol.RawRequest{Name: method})
}

// members are those that are looked at of what is in a list.
type members struct {
	Name, URI, URITemplate string
	Icons                  []protocol.Icon
	Arguments              []protocol.PromptArgument
}

func (s *driven) List(ctx context.Context, kind string) ([]drive.Item, error) {
	method := map[string]string{
		"tools": protocol.MethodToolsList, "resources": protocol.MethodResourcesList,
		"templates": protocol.MethodResourceTemplatesList, "prompts": protocol.MethodPromptsList,
	}[kind]
	raws, err := s.Client.List(ctx, method)
	if err != nil {
		return nil, err
	}
	var out []drive.Item
	for _, raw := range raws {
		var m members
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			return nil, err
		}
		i := drive.Item{Name: m.Name, URI: m.URI + m.URITemplate, Icon: source(m.Icons)}
		for _, a := range m.Arguments {
			if a.Required {
				i.Required = append(i.Required, a.Name)
			}
		}
		out = append(out, i)
	}
	return out, nil
}

func (s *driven) Call(ctx context.Context, tool string, args map[string]any, progress func(float64)) (drive.Result, error) {
	p := protocol.CallToolParams{Name: tool}
	if args != nil {
		b, err := json.Marshal(args)
		if err != nil {
			return drive.Result{}, err
		}
		p.Arguments = jsonrpc.Raw(b)
	}
	var opt session.RequestOptions
	if progress != nil {
		opt.OnProgress = func(p protocol.ProgressParams) { progress(p.Progress) }
	}
	res, err := s.CallTool(ctx, p, opt)
	if err != nil {
		return drive.Result{}, err
	}
	out := drive.Result{IsError: res.IsError, Text: protocol.TextOf(res.Content)}
	for _, c := range res.Content {
		out.Kinds = append(out.Kinds, c.Type)
	}
	return out, nil
}

// result makes a request and reads its result.
func result[T any, P interface {
	*T
	DecodeJSON(jsonrpc.Raw, jsonrpc.Span) error
}](ctx context.Context, s *driven, p protocol.Params) (T, error) {
	raw, err := s.Client.Request(ctx, p, session.RequestOptions{})
	if err != nil {
		return *new(T), err
	}
	return protocol.Decode[T, P](raw)
}

func (s *driven) Read(ctx context.Context, uri string) (texts []string, err error) {
	res, err := result[protocol.ReadResourceResult](ctx, s, protocol.ReadResourceParams{URI: uri})
	for _, c := range res.Contents {
		texts = append(texts, c.Text)
	}
	return texts, err
}

func (s *driven) Subscribe(ctx context.Context, uri string) error {
	if s.listens() {
		return s.listenTo(uri)
	}
	return s.do(ctx, protocol.SubscribeParams{URI: uri})
}

func (s *driven) Unsubscribe(ctx context.Context, uri string) error {
	if s.listens() {
		return s.listenTo("")
	}
	return s.do(ctx, protocol.UnsubscribeParams{URI: uri})
}

func (s *driven) SetLevel(ctx context.Context, level string) error {
	return s.do(ctx, protocol.SetLevelParams{Level: protocol.LoggingLevel(level)})
}

func (s *driven) Complete(ctx context.Context, ref, argument, value string, known map[string]string) (drive.Completion, error) {
	p := protocol.CompleteParams{Ref: protocol.PromptReference(ref), Argument: protocol.CompleteArgument{Name: argument, Value: value}}
	if strings.Contains(ref, "://") {
		p.Ref = protocol.ResourceReference(ref)
	}
	if known != nil {
		p.Context = &protocol.CompleteContext{Arguments: known}
	}
	res, err := result[protocol.CompleteResult](ctx, s, p)
	c := drive.Completion{Values: res.Completion.Values, HasMore: res.Completion.HasMore}
	if res.Completion.Total != nil {
		c.Total = int(*res.Completion.Total)
	}
	return c, err
}

func (s *driven) AddRoot(ctx context.Context, uri string) error {
	s.mu.Lock()
	s.roots = append(slices.Clone(s.roots), protocol.Root{URI: uri, Name: "added"})
	s.mu.Unlock()
	return s.Notify(ctx, protocol.RootsListChangedParams{}, noCall)
}

func (s *driven) Prompt(ctx context.Context, name string, args map[string]string) (int, error) {
	res, err := result[protocol.GetPromptResult](ctx, s, protocol.GetPromptParams{Name: name, Arguments: args})
	return len(res.Messages), err
}
