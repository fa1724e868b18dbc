// The mcpgoclient command checks a server with the client of mcp-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sansmcp/mcp/conformance/interop/drive"
)

type session struct {
	*client.Client
	hooks    *hooks
	version  string
	server   mcp.Implementation
	mu       sync.Mutex
	progress map[string]func(float64)
	tokens   int
	taken    chan struct{} // a subscription is acknowledged
	stop     func()        // ends it
}

func main() {
	drive.Main(func(ctx context.Context, srv *drive.Server, h *drive.Hooks) (drive.Session, error) {
		s := &session{
			progress: map[string]func(float64){}, taken: make(chan struct{}, 1), stop: func() {},
			hooks: &hooks{Hooks: h, roots: []mcp.Root{{URI: drive.RootURI, Name: "root"}}},
		}
		over, err := transportTo(srv, h.Revision)
		if err != nil {
			return nil, err
		}
		s.Client = client.NewClient(over,
			client.WithSamplingHandler(s.hooks), client.WithElicitationHandler(s.hooks), client.WithRootsHandler(s.hooks),
			client.WithClientCapabilities(mcp.ClientCapabilities{
				Sampling:    &mcp.SamplingCapability{Tools: &struct{}{}},
				Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
			}))
		// The context of Start lives as long as the session: the one given is for connecting.
		if err := s.Start(context.Background()); err != nil {
			return nil, err
		}
		s.OnNotification(s.notified)
		init := mcp.InitializeRequest{}
		init.Params.ProtocolVersion = h.Revision
		init.Params.ClientInfo = mcp.Implementation{
			Name: "interop-mcpgo", Version: "1", Title: drive.Me.Title, Description: drive.Me.Description, WebsiteURL: drive.Me.Website,
			Icons: []mcp.Icon{{Src: drive.Me.Icon}},
		}
		res, err := s.Initialize(ctx, init)
		if err != nil {
			return nil, err
		}
		s.version, s.server = res.ProtocolVersion, res.ServerInfo
		if mcp.IsModernProtocol(s.version) {
			err = s.listen()
		}
		return s, err
	})
}

// transportTo returns the transport to a server. With a GET stream the client has sessions alone.
func transportTo(srv *drive.Server, revision string) (transport.Interface, error) {
	switch {
	case srv.SSE:
		return transport.NewSSE(srv.URL)
	case srv.URL != "" && mcp.IsModernProtocol(revision):
		return transport.NewStreamableHTTP(srv.URL)
	case srv.URL != "":
		return transport.NewStreamableHTTP(srv.URL, transport.WithContinuousListening())
	}
	return transport.NewIO(srv.Out, srv.In, nil), nil
}

// ID is that of the session over HTTP.
func (s *session) ID() string { return s.GetSessionId() }

type hooks struct {
	*drive.Hooks
	mu    sync.Mutex
	roots []mcp.Root
}

func (h *hooks) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	type block struct {
		Type, Text string
		Content    []struct{ Text string }
	}
	var prompt, tool, result string
	for _, m := range r.Messages {
		var blocks []block
		b, err := json.Marshal(m.Content)
		if err == nil && json.Unmarshal(b, &blocks) != nil {
			blocks = make([]block, 1)
			err = json.Unmarshal(b, &blocks[0])
		}
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			prompt += b.Text
			for _, inner := range b.Content {
				result += inner.Text
			}
		}
	}
	if len(r.Tools) > 0 {
		tool = r.Tools[0].Name
	}
	text, use := h.Reason(prompt, tool, result)
	res := &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(text)}, Model: "none"}
	if use {
		res.StopReason = "toolUse"
		res.Content = mcp.NewToolUseContent("use-1", tool, map[string]any{"a": 1, "b": 2})
	}
	return res, nil
}

func (h *hooks) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var action string
	var content map[string]any
	if r.Params.Mode == mcp.ElicitationModeURL {
		action = h.Visit(r.Params.URL, r.Params.ElicitationID)
	} else {
		action, content = h.Hooks.Elicit(r.Params.RequestedSchema)
	}
	res := mcp.ElicitationResponse{Action: mcp.ElicitationResponseAction(action)}
	if content != nil {
		res.Content = content
	}
	return &mcp.ElicitationResult{ElicitationResponse: res}, nil
}

func (h *hooks) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	h.RootsAsked()
	h.mu.Lock()
	defer h.mu.Unlock()
	return &mcp.ListRootsResult{Roots: slices.Clone(h.roots)}, nil
}

func (s *session) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case "notifications/subscriptions/acknowledged":
		s.taken <- struct{}{}
		return
	case "notifications/progress":
	default:
		detail := ""
		for _, member := range []string{"uri", "data", "elicitationId"} {
			if text, ok := n.Params.AdditionalFields[member].(string); ok {
				detail = text
			}
		}
		s.hooks.Noted(n.Method, detail)
		return
	}
	token, _ := n.Params.AdditionalFields["progressToken"].(string)
	value, _ := n.Params.AdditionalFields["progress"].(float64)
	s.mu.Lock()
	f := s.progress[token]
	s.mu.Unlock()
	if f != nil {
		f(value)
	}
}

func (s *session) Version() string { return s.version }

func (s *session) Server() drive.Info {
	return drive.Info{Title: s.server.Title, Description: s.server.Description, Website: s.server.WebsiteURL, Icon: source(s.server.Icons)}
}

func source(icons []mcp.Icon) string {
	if len(icons) == 0 {
		return ""
	}
	return icons[0].Src
}

func (s *session) Pages(err error) (ids []string) {
	var e mcp.URLElicitationRequiredError
	if errors.As(err, &e) {
		for _, p := range e.Elicitations {
			ids = append(ids, p.ElicitationID)
		}
	}
	return ids
}

// FillsDefaults reports false: mcp-go hands the form over and the answer back.
func (s *session) FillsDefaults() bool { return false }

func (s *session) Request(ctx context.Context, method string) error {
	r := transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId("own-1"), Method: method}
	if mcp.IsModernProtocol(s.version) { // the transport adds nothing
		r.Header = http.Header{"Mcp-Method": {method}}
		r.Params = map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": s.version, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}
	}
	res, err := s.GetTransport().SendRequest(ctx, r)
	if errors.Is(err, transport.ErrSessionTerminated) && r.Header != nil { // so it reads the status of an unknown method
		return mcp.ErrMethodNotFound
	}
	if err == nil && res.Error != nil {
		err = res.Error.AsError()
	}
	return err
}

func (s *session) Code(err error) int {
	switch {
	case errors.As(err, new(mcp.URLElicitationRequiredError)):
		return mcp.URL_ELICITATION_REQUIRED
	case errors.Is(err, mcp.ErrMethodNotFound):
		return mcp.METHOD_NOT_FOUND
	case errors.Is(err, mcp.ErrInvalidParams):
		return mcp.INVALID_PARAMS
	case errors.Is(err, mcp.ErrResourceNotFound):
		return mcp.RESOURCE_NOT_FOUND
	}
	return 0
}

func (s *session) List(ctx context.Context, kind string) ([]drive.Item, error) {
	switch kind {
	case "tools":
		return collect(s.IterTools(ctx, mcp.ListToolsRequest{}), func(t mcp.Tool) drive.Item {
			return drive.Item{Name: t.Name, Icon: source(t.Icons)}
		})
	case "resources":
		return collect(s.IterResources(ctx, mcp.ListResourcesRequest{}), func(r mcp.Resource) drive.Item {
			return drive.Item{Name: r.Name, URI: r.URI}
		})
	case "templates":
		return collect(s.IterResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{}), func(t mcp.ResourceTemplate) drive.Item {
			return drive.Item{Name: t.Name}
		})
	}
	return collect(s.IterPrompts(ctx, mcp.ListPromptsRequest{}), func(p mcp.Prompt) drive.Item {
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
	r := mcp.CallToolRequest{}
	r.Params.Name = tool
	if args != nil {
		r.Params.Arguments = args
	}
	if progress != nil {
		s.mu.Lock()
		s.tokens++
		token := fmt.Sprint("token-", s.tokens)
		s.progress[token] = progress
		s.mu.Unlock()
		r.Params.Meta = &mcp.Meta{ProgressToken: token}
	}
	res, err := s.CallTool(ctx, r)
	if err != nil {
		return drive.Result{}, err
	}
	out := drive.Result{IsError: res.IsError}
	for _, c := range res.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			out.Kinds = append(out.Kinds, c.Type)
			out.Text += c.Text
		case mcp.ImageContent:
			out.Kinds = append(out.Kinds, c.Type)
		case mcp.AudioContent:
			out.Kinds = append(out.Kinds, c.Type)
		case mcp.ResourceLink:
			out.Kinds = append(out.Kinds, c.Type)
		case mcp.EmbeddedResource:
			out.Kinds = append(out.Kinds, c.Type)
		}
	}
	return out, nil
}

func (s *session) Read(ctx context.Context, uri string) ([]string, error) {
	r := mcp.ReadResourceRequest{}
	r.Params.URI = uri
	res, err := s.ReadResource(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range res.Contents {
		text, _ := c.(mcp.TextResourceContents)
		out = append(out, text.Text)
	}
	return out, nil
}

// listen asks for changes of the tools and of resources, in the place of what it asked for before.
func (s *session) listen(uris ...string) error {
	s.stop()
	failed := make(chan error, 1)
	stop, err := s.ListenAsync(context.Background(), mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: uris},
		func(err error) { failed <- err })
	if err != nil {
		return err
	}
	s.stop = stop
	select {
	case <-s.taken:
		return nil
	case err := <-failed:
		return err
	case <-time.After(10 * time.Second):
		return errors.New("a subscription is not acknowledged")
	}
}

func (s *session) Subscribe(ctx context.Context, uri string) error {
	if mcp.IsModernProtocol(s.version) {
		return s.listen(uri)
	}
	r := mcp.SubscribeRequest{}
	r.Params.URI = uri
	return s.Client.Subscribe(ctx, r)
}

func (s *session) Unsubscribe(ctx context.Context, uri string) error {
	if mcp.IsModernProtocol(s.version) {
		return s.listen()
	}
	r := mcp.UnsubscribeRequest{}
	r.Params.URI = uri
	return s.Client.Unsubscribe(ctx, r)
}

func (s *session) SetLevel(ctx context.Context, level string) error {
	r := mcp.SetLevelRequest{}
	r.Params.Level = mcp.LoggingLevel(level)
	return s.Client.SetLevel(ctx, r)
}

func (s *session) Complete(ctx context.Context, ref, argument, value string, known map[string]string) (drive.Completion, error) {
	r := mcp.CompleteRequest{}
	r.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: ref}
	if strings.Contains(ref, "://") {
		r.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: ref}
	}
	r.Params.Argument = mcp.CompleteArgument{Name: argument, Value: value}
	r.Params.Context = mcp.CompleteContext{Arguments: known}
	res, err := s.Client.Complete(ctx, r)
	if err != nil {
		return drive.Completion{}, err
	}
	return drive.Completion{Values: res.Completion.Values, Total: res.Completion.Total, HasMore: res.Completion.HasMore}, nil
}

func (s *session) AddRoot(ctx context.Context, uri string) error {
	s.hooks.mu.Lock()
	s.hooks.roots = append(s.hooks.roots, mcp.Root{URI: uri, Name: "added"})
	s.hooks.mu.Unlock()
	return s.RootListChanges(ctx)
}

func (s *session) Prompt(ctx context.Context, name string, args map[string]string) (int, error) {
	r := mcp.GetPromptRequest{}
	r.Params.Name, r.Params.Arguments = name, args
	res, err := s.GetPrompt(ctx, r)
	if err != nil {
		return 0, err
	}
	return len(res.Messages), nil
}
