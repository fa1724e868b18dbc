// The mcpgoclient command checks a stdio server with the client of mcp-go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sansmcp/mcp/conformance/interop/drive"
)

type session struct {
	*client.Client
	version  string
	mu       sync.Mutex
	progress map[string]func(float64)
	tokens   int
}

func main() {
	drive.Main(func(ctx context.Context, srv *drive.Server, h *drive.Hooks) (drive.Session, error) {
		s := &session{progress: map[string]func(float64){}}
		s.Client = client.NewClient(transport.NewIO(srv.Out, srv.In, nil),
			client.WithSamplingHandler(hooks{h}), client.WithElicitationHandler(hooks{h}), client.WithRootsHandler(hooks{h}))
		// The context of Start lives as long as the session: the one given is for connecting.
		if err := s.Start(context.Background()); err != nil {
			return nil, err
		}
		s.OnNotification(s.notified)
		init := mcp.InitializeRequest{}
		init.Params.ClientInfo = mcp.Implementation{Name: "interop-mcpgo", Version: "1"}
		res, err := s.Initialize(ctx, init)
		if err != nil {
			return nil, err
		}
		s.version = res.ProtocolVersion
		return s, nil
	})
}

type hooks struct{ *drive.Hooks }

func (h hooks) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var prompt string
	for _, m := range r.Messages {
		var block struct{ Text string }
		if b, err := json.Marshal(m.Content); err == nil && json.Unmarshal(b, &block) == nil {
			prompt += block.Text
		}
	}
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(h.Sample(prompt))},
		Model:           "none",
	}, nil
}

func (h hooks) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	action, content := h.Hooks.Elicit(r.Params.RequestedSchema)
	res := mcp.ElicitationResponse{Action: mcp.ElicitationResponseAction(action)}
	if content != nil {
		res.Content = content
	}
	return &mcp.ElicitationResult{ElicitationResponse: res}, nil
}

func (h hooks) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: drive.RootURI, Name: "root"}}}, nil
}

func (s *session) notified(n mcp.JSONRPCNotification) {
	if n.Method != "notifications/progress" {
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

func (s *session) Request(ctx context.Context, method string) error {
	res, err := s.GetTransport().SendRequest(ctx, transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId("own-1"), Method: method})
	if err == nil && res.Error != nil {
		err = res.Error.AsError()
	}
	return err
}

func (s *session) Code(err error) int {
	switch {
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
		return collect(s.IterTools(ctx, mcp.ListToolsRequest{}), func(t mcp.Tool) drive.Item { return drive.Item{Name: t.Name} })
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

func (s *session) Read(ctx context.Context, uri string) (int, error) {
	r := mcp.ReadResourceRequest{}
	r.Params.URI = uri
	res, err := s.ReadResource(ctx, r)
	if err != nil {
		return 0, err
	}
	return len(res.Contents), nil
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
