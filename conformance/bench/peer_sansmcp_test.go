package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	sansclient "github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	sansserver "github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// sansmcp is this library, as a driver uses it: it decodes messages, reads the clock
// once for each, and writes from its own buffer.
var sansmcp = library{
	name:           "sansmcp",
	server:         func(s serverSpec) (server, error) { return newSansServer(s) },
	client:         func() (client, error) { return newSansClient() },
	holder:         func() (holder, error) { return newSansClient() },
	pair:           newSansPair,
	serverSessions: sansServerSessions,
	clientSessions: sansClientSessions,
	http:           func() (http.Handler, func(), error) { return sansHandler(nethttp.Options{}) },
	httpClient:     newSansHTTPClient,
	relay:          newSansRelay,
}

func sansConfig(spec serverSpec) (sansserver.Config, *sansserver.Handlers, error) {
	h := new(sansserver.Handlers)
	ok := protocol.TextResult("ok")
	sink := func(context.Context, sansserver.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return ok, nil
	}
	if spec.tools == 0 {
		h.Tool(protocol.Tool{Name: "echo", InputSchema: argsSchema}, sansEcho)
		h.Tool(protocol.Tool{Name: "sink", InputSchema: argsSchema}, sink)
	}
	for i := range spec.tools {
		h.Tool(protocol.Tool{Name: toolName(i), Description: toolDescription(i), InputSchema: toolSchema}, sink)
	}
	h.Resource(protocol.Resource{URI: docURI, Name: "doc", MIMEType: "text/plain"},
		func(_ context.Context, _ sansserver.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "text/plain", docText)}}, nil
		})
	items := h.Items()
	items.PageSize = max(spec.tools, 1) // one page, as with the others
	if !spec.checked {
		items.Schemas = schema.None{}
	}
	catalog, err := sansserver.NewCatalog(items)
	cfg := sansserver.Config{
		Info: protocol.Implementation{Name: "bench-server", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve(), Logging: true,
	}
	if spec.stateless {
		cfg.Revisions = protocol.AllRevisions()
	}
	return cfg, h, err
}

func sansEcho(_ context.Context, _ sansserver.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	raw, _ := rawjson.Get(string(p.Arguments), "text")
	text, ok := rawjson.Unquote(raw)
	if !ok {
		return nil, errors.New("no text")
	}
	return protocol.TextResult(text), nil
}

// sansOpened does the handshake of a client with a server.
func sansOpened(s sansserver.State) (sansserver.State, error) {
	for _, m := range []string{initialize, initialized} {
		s, _ = s.Receive(time.Now(), jsonrpc.Decode([]byte(m)))
	}
	if s.Phase() != lifecycle.Ready {
		return s, fmt.Errorf("phase %v", s.Phase())
	}
	return s, nil
}

type sansServer struct {
	s   sansserver.State
	h   *sansserver.Handlers
	buf []byte
}

func newSansServer(spec serverSpec) (*sansServer, error) {
	cfg, h, err := sansConfig(spec)
	if err != nil {
		return nil, err
	}
	s, err := sansserver.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	s, err = sansOpened(s)
	return &sansServer{s: s, h: h}, err
}

func (p *sansServer) Dispatch(msg []byte) ([]byte, error) {
	var out sansserver.Output
	p.s, out = p.h.Receive(p.s, time.Now(), jsonrpc.Decode(msg))
	if len(out.Send) != 1 {
		return nil, fmt.Errorf("%d messages and %d events", len(out.Send), len(out.Events))
	}
	p.buf = jsonrpc.Append(p.buf[:0], out.Send[0].Message)
	return p.buf, nil
}

func (p *sansServer) Notify(msg []byte) error {
	var out sansserver.Output
	p.s, out = p.h.Receive(p.s, time.Now(), jsonrpc.Decode(msg))
	if len(out.Events) != 1 || out.Events[0].Kind != lifecycle.NotificationReceived {
		return fmt.Errorf("%d events", len(out.Events))
	}
	return nil
}

func (p *sansServer) Close() {}

func sansClientConfig() sansclient.Config {
	return sansclient.Config{
		Info: protocol.Implementation{Name: "bench-client", Version: "1.0.0"}, Limits: lifecycle.Limits{Outbound: 1 << 20},
	}
}

// sansConnected does the handshake of a client.
func sansConnected(c sansclient.State) (sansclient.State, error) {
	c, out, err := c.Initialize(time.Now())
	if err != nil {
		return c, err
	}
	answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, out.Send[0].Message.ID.Append(nil), initializeResult)
	c, _ = c.Receive(time.Now(), jsonrpc.Decode(answer))
	if c.Phase() != lifecycle.Ready {
		return c, fmt.Errorf("phase %v", c.Phase())
	}
	return c, nil
}

type sansClient struct {
	c   sansclient.State
	buf []byte
}

func newSansClient() (*stepClient, error) {
	c, err := sansclient.New(sansClientConfig(), time.Now())
	if err != nil {
		return nil, err
	}
	c, err = sansConnected(c)
	return stepping(&sansClient{c: c}), err
}

// request returns a fresh line, as the link in memory keeps it.
func (p *sansClient) request(tool string, args map[string]any) ([]byte, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	var out sansclient.Output
	p.c, out, err = p.c.Request(time.Now(), protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(raw)}, sansclient.RequestOptions{})
	if err != nil {
		return nil, err
	}
	p.buf = jsonrpc.AppendLine(p.buf[:0], out.Send[0].Message)
	return append([]byte(nil), p.buf...), nil
}

func (p *sansClient) answer(msg []byte) (string, error) {
	var out sansclient.Output
	p.c, out = p.c.Receive(time.Now(), jsonrpc.Decode(msg))
	if len(out.Events) != 1 {
		return "", fmt.Errorf("%d events", len(out.Events))
	}
	ev := &out.Events[0]
	if err := ev.Failure(); err != nil {
		return "", err
	}
	var r protocol.CallToolResult
	if err := r.DecodeJSON(ev.Body, ev.Span); err != nil {
		return "", err
	}
	return r.Content[0].Text, nil
}

func newSansPair() (pair, error) {
	c, err := newSansClient()
	if err != nil {
		return nil, err
	}
	s, err := newSansServer(serverSpec{})
	return &stepPair{c.stepper, s, nil}, err
}

func sansServerSessions() (opener, error) {
	cfg, _, err := sansConfig(serverSpec{})
	if err != nil {
		return nil, err
	}
	first, err := sansserver.New(cfg, time.Now())
	return func() (any, func(), error) {
		s, err := first.NewSession(time.Now())
		if err == nil {
			s, err = sansOpened(s)
		}
		return &s, nil, err
	}, err
}

func sansClientSessions() (opener, error) {
	first, err := sansclient.New(sansClientConfig(), time.Now())
	return func() (any, func(), error) {
		c, err := first.NewSession(time.Now())
		if err == nil {
			c, err = sansConnected(c)
		}
		return &c, nil, err
	}, err
}
