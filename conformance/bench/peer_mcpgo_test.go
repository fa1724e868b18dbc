package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mcp-go in its cheapest form, and in others where it is less clear
// which one that is. Its pair without a transport correlates nothing.
var (
	mcpgo = library{
		name:           "mcp-go",
		server:         func(s serverSpec) (server, error) { return newMcpgoServer(s) },
		client:         func() (client, error) { return newMcpgoIOClient() },
		holder:         func() (holder, error) { return newMcpgoIOClient() },
		pair:           func() (pair, error) { return newMcpgoInProcess() },
		serverSessions: mcpgoServerSessions(func(id string) mcpserver.ClientSession { return mcpserver.NewInProcessSession(id, nil) }),
		clientSessions: func() (opener, error) { return mcpgoClientSession, nil },
		http:           mcpgoHandler,
		httpClient:     newMcpgoHTTPClient,
	}
	// mcpgoStdio uses its stdio client and server.
	mcpgoStdio = library{name: "mcp-go-stdio", pair: func() (pair, error) { return newMcpgoStdio() }}
	// mcpgoMinimal has a session of ours, which keeps nothing.
	mcpgoMinimal = library{name: "mcp-go-minimal", serverSessions: mcpgoServerSessions(func(id string) mcpserver.ClientSession { return &mcpgoSession{id: id} })}
	// mcpgoDirectly has a transport of ours, which keeps nothing and correlates nothing.
	mcpgoDirectly = library{name: "mcp-go-direct", clientSessions: func() (opener, error) { return mcpgoDirectSession, nil }}
)

// mcpgoServer makes a server. Checked tools have their arguments
// validated against the schema.
func mcpgoServer(spec serverSpec, onChange func()) *mcpserver.MCPServer {
	var opts []mcpserver.ServerOption
	if spec.checked {
		opts = append(opts, mcpserver.WithInputSchemaValidation())
	}
	s := mcpserver.NewMCPServer("bench-server", "1.0.0", opts...)
	ok := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("ok"), nil
	}
	if spec.tools > 0 {
		tools := make([]mcpserver.ServerTool, spec.tools)
		for i := range tools {
			tools[i] = mcpserver.ServerTool{Tool: mcp.NewToolWithRawSchema(toolName(i), toolDescription(i), json.RawMessage(toolSchema)), Handler: ok}
		}
		s.AddTools(tools...)
	} else {
		s.AddTool(mcp.NewToolWithRawSchema("echo", "", json.RawMessage(argsSchema)),
			func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				t, err := r.RequireString("text")
				if err != nil {
					return nil, err
				}
				return mcp.NewToolResultText(t), nil
			})
		s.AddTool(mcp.NewToolWithRawSchema("sink", "", json.RawMessage(argsSchema)), ok)
	}
	s.AddResource(mcp.Resource{URI: docURI, Name: "doc", MIMEType: "text/plain"},
		func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: docURI, MIMEType: "text/plain", Text: docText}}, nil
		})
	if onChange != nil {
		s.AddNotificationHandler("notifications/roots/list_changed", func(context.Context, mcp.JSONRPCNotification) { onChange() })
	}
	return s
}

type mcpgoServerPeer struct {
	ctx     context.Context
	server  *mcpserver.MCPServer
	changed int
}

func newMcpgoServer(spec serverSpec) (*mcpgoServerPeer, error) {
	p := &mcpgoServerPeer{}
	p.server = mcpgoServer(spec, func() { p.changed++ })
	var err error
	p.ctx, err = mcpgoOpen(p.server, mcpserver.NewInProcessSession("s1", nil))
	return p, err
}

// mcpgoOpen registers and initializes a session and returns its context.
func mcpgoOpen(s *mcpserver.MCPServer, session mcpserver.ClientSession) (context.Context, error) {
	ctx := context.Background()
	if err := s.RegisterSession(ctx, session); err != nil {
		return nil, err
	}
	ctx = s.WithContext(ctx, session)
	resp, err := json.Marshal(s.HandleMessage(ctx, []byte(initialize)))
	if err != nil {
		return nil, err
	}
	if _, err := resultOf(resp, `"init"`); err != nil {
		return nil, err
	}
	s.HandleMessage(ctx, []byte(initialized))
	if !session.Initialized() {
		return nil, errors.New("not initialized")
	}
	return ctx, nil
}

func (p *mcpgoServerPeer) Dispatch(msg []byte) ([]byte, error) {
	return json.Marshal(p.server.HandleMessage(p.ctx, msg))
}

func (p *mcpgoServerPeer) Notify(msg []byte) error {
	was := p.changed
	p.server.HandleMessage(p.ctx, msg)
	if p.changed != was+1 {
		return errors.New("notification not handled")
	}
	return nil
}

func (p *mcpgoServerPeer) Close() {}

// mcpgoSession is the smallest mcpserver.ClientSession: no notification channel.
type mcpgoSession struct {
	id    string
	ready atomic.Bool
}

func (s *mcpgoSession) Initialize()                                         { s.ready.Store(true) }
func (s *mcpgoSession) Initialized() bool                                   { return s.ready.Load() }
func (s *mcpgoSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (s *mcpgoSession) SessionID() string                                   { return s.id }

func mcpgoServerSessions(session func(id string) mcpserver.ClientSession) func() (opener, error) {
	return func() (opener, error) {
		server, n := mcpgoServer(serverSpec{}, nil), 0
		return func() (any, func(), error) {
			n++
			ctx, err := mcpgoOpen(server, session(fmt.Sprint("s", n)))
			return ctx, nil, err
		}, nil
	}
}
