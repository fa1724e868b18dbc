package bench

import (
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// mcpgoHandler makes a handler with sessions, which is not its default.
func mcpgoHandler() (http.Handler, func(), error) {
	return mcpserver.NewStreamableHTTPServer(mcpgoServer(serverSpec{}, nil), mcpserver.WithStateful(true)), func() {}, nil
}

// newMcpgoHTTPClient is a client without the GET stream.
func newMcpgoHTTPClient(url string) (client, error) {
	http := pooled()
	t, err := transport.NewStreamableHTTP(url, transport.WithHTTPBasicClient(http))
	if err != nil {
		return nil, err
	}
	p, err := newMcpgoClient(t)
	if err != nil {
		return nil, err
	}
	p.close = func() {
		p.client.Close()
		http.CloseIdleConnections()
	}
	return p, nil
}
