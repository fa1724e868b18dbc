package bench

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gosdk is the official SDK in its cheapest form: a server and a held client
// over a Connection of channels, clients and pairs over bytes. Checked tools are its
// generic ones.
var gosdk = library{
	name:           "go-sdk",
	server:         func(s serverSpec) (server, error) { return newGosdkServer(s) },
	client:         func() (client, error) { return newGosdkClient() },
	holder:         func() (holder, error) { return newGosdkHolder() },
	pair:           func() (pair, error) { return newGosdkPair() },
	serverSessions: gosdkServerSessions,
	clientSessions: gosdkClientSessions,
	http:           func() (http.Handler, func(), error) { return gosdkHandler(false) },
	httpClient:     newGosdkHTTPClient,
}

var quiet = slog.New(slog.DiscardHandler)

type gosdkArgs struct {
	Text string `json:"text"`
	Rows []any  `json:"rows,omitempty"`
}

func gosdkText(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// gosdkServer makes a server. Checked tools go through the SDK's generic
// AddTool, which validates against the schema and decodes the arguments; the others
// use its lowest handler.
func gosdkServer(spec serverSpec, onChange func()) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench-server", Version: "1.0.0"}, &mcp.ServerOptions{
		Logger:   quiet,
		PageSize: 1 << 20, // all tools in one page
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) {
			if onChange != nil {
				onChange()
			}
		},
	})
	echo := &mcp.Tool{Name: "echo", InputSchema: json.RawMessage(argsSchema)}
	sink := &mcp.Tool{Name: "sink", InputSchema: json.RawMessage(argsSchema)}
	if spec.tools > 0 { // the same tools for every peer
		h := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return gosdkText("ok"), nil }
		for i := range spec.tools {
			s.AddTool(&mcp.Tool{Name: toolName(i), Description: toolDescription(i), InputSchema: json.RawMessage(toolSchema)}, h)
		}
	} else if spec.checked {
		mcp.AddTool(s, echo, func(_ context.Context, _ *mcp.CallToolRequest, in gosdkArgs) (*mcp.CallToolResult, any, error) {
			return gosdkText(in.Text), nil, nil
		})
		mcp.AddTool(s, sink, func(context.Context, *mcp.CallToolRequest, gosdkArgs) (*mcp.CallToolResult, any, error) {
			return gosdkText("ok"), nil, nil
		})
	} else {
		s.AddTool(echo, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in gosdkArgs
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return gosdkText(in.Text), nil
		})
		s.AddTool(sink, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return gosdkText("ok"), nil
		})
	}
	s.AddResource(&mcp.Resource{URI: docURI, Name: "doc", MIMEType: "text/plain"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: docURI, MIMEType: "text/plain", Text: docText}}}, nil
		})
	return s
}

type gosdkServerPeer struct {
	conn    *gosdkConn
	changed chan struct{}
}

func newGosdkServer(spec serverSpec) (*gosdkServerPeer, error) {
	changed := make(chan struct{}, 64)
	conn, err := gosdkOpened(gosdkServer(spec, func() { changed <- struct{}{} }), 64)
	return &gosdkServerPeer{conn, changed}, err
}

// gosdkOpened returns a connection to the server, with an initialized session.
func gosdkOpened(s *mcp.Server, buffer int) (*gosdkConn, error) {
	c := newGosdkConn(buffer)
	if _, err := s.Connect(context.Background(), c, nil); err != nil {
		return c, err
	}
	if err := c.send([]byte(initialize)); err != nil {
		return c, err
	}
	resp, err := c.recv()
	if err != nil {
		return c, err
	}
	if _, err := resultOf(resp, `"init"`); err != nil {
		return c, err
	}
	return c, c.send([]byte(initialized))
}

func (p *gosdkServerPeer) Dispatch(msg []byte) ([]byte, error) {
	if err := p.conn.send(msg); err != nil {
		return nil, err
	}
	return p.conn.recv()
}

func (p *gosdkServerPeer) Notify(msg []byte) error {
	err := p.conn.send(msg)
	<-p.changed
	return err
}

func (p *gosdkServerPeer) Close() { p.conn.Close() }
