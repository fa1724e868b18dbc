package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// list prints the tools of a server and calls one.
func list(ctx context.Context, url string) error {
	t, err := remote.New(url, remote.Options{})
	if err != nil {
		return err
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "lister", Version: "1.0.0"}}
	c, err := session.Connect(ctx, cfg, t, session.Options{})
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		fmt.Println(tool.Name)
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "greet", Arguments: `{"name":"you"}`}, session.RequestOptions{})
	fmt.Println(protocol.TextOf(r.Content))
	return err
}

func Example() {
	server := httptest.NewServer(http.HandlerFunc(greeter))
	defer server.Close()
	if err := list(context.Background(), server.URL); err != nil {
		fmt.Println(err)
	}
	// Output:
	// greet
	// hello you
}

// greeter is a server that answers four methods.
func greeter(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := jsonrpc.Decode(body)
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"greet","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"hello you"}]}`,
	}[m.Method]
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.Kind != jsonrpc.KindRequest:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
}
