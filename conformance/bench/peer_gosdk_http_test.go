package bench

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// gosdkJSON is go-sdk with JSON answers over HTTP; its default is SSE.
var gosdkJSON = library{name: "go-sdk-json", http: func() (http.Handler, func(), error) { return gosdkHandler(true) }}

// gosdkHandler makes a handler with sessions.
func gosdkHandler(json bool) (http.Handler, func(), error) {
	s := gosdkServer(serverSpec{}, nil)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{JSONResponse: json, Logger: quiet})
	return h, func() {
		for one := range s.Sessions() {
			_ = one.Close()
		}
	}, nil
}

// newGosdkHTTPClient is a client without the GET stream.
func newGosdkHTTPClient(url string) (client, error) {
	http := pooled()
	session, err := gosdkConnect(gosdkNewClient(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: http, DisableStandaloneSSE: true})
	return &gosdkClient{session: session, close: func() {
		_ = session.Close()
		http.CloseIdleConnections()
	}}, err
}
