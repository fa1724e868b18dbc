package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
)

// sansmcpSSE makes each answer a stream, which a client can resume; the library's
// default is JSON for a single early answer.
var sansmcpSSE = library{name: "sansmcp-sse", http: func() (http.Handler, func(), error) {
	return sansHandler(nethttp.Options{StreamAfter: -1})
}}

func sansHandler(opt nethttp.Options) (http.Handler, func(), error) {
	cfg, h, err := sansConfig(serverSpec{})
	if err != nil {
		return nil, nil, err
	}
	handler, err := nethttp.NewHandler(cfg, h, opt)
	if err != nil {
		return nil, nil, err
	}
	return handler, handler.Close, nil
}

// sansHTTPClient is a client without the GET stream.
type sansHTTPClient struct {
	client *session.Client
	http   *http.Client
}

func newSansHTTPClient(url string) (client, error) {
	c := pooled()
	t, err := remote.New(url, remote.Options{Client: c, NoListen: true})
	if err != nil {
		return nil, err
	}
	cfg := sansClientConfig()
	cfg.Revisions = []protocol.Revision{protocol.Revision20250618}
	h, err := session.Connect(context.Background(), cfg, t, session.Options{})
	return &sansHTTPClient{h, c}, err
}

func (p *sansHTTPClient) Call(tool string, args map[string]any) (string, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	r, err := p.client.CallTool(context.Background(), protocol.CallToolParams{Name: tool, Arguments: jsonrpc.Raw(raw)}, session.RequestOptions{})
	switch {
	case err != nil:
		return "", err
	case len(r.Content) == 0 || r.Content[0].Type != protocol.ContentText:
		return "", errors.New("no text")
	}
	return r.Content[0].Text, nil
}

func (p *sansHTTPClient) Close() {
	_ = p.client.Close(context.Background())
	p.http.CloseIdleConnections()
}
