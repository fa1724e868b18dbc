package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A server with one tool, and what a client sends to it and gets.
func Example() {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	handler, err := nethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "example", Version: "1"}}, h, nethttp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer handler.Close()
	s := httptest.NewServer(handler)
	defer s.Close()

	post := func(session, body string) string {
		r, _ := http.NewRequest(http.MethodPost, s.URL, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			log.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		fmt.Println(strings.TrimSpace(fmt.Sprint(resp.StatusCode, " ", string(text))))
		return resp.Header.Get("Mcp-Session-Id")
	}
	id := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	post(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	post(id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}`)
	// Output:
	// 200 {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"example","version":"1"}}}
	// 202
	// 200 {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello!"}]}}
}

// A tool that takes long closes the connection, so that the wait costs none; the client comes back
// for the answer. An older client waits.
func ExampleHangUp() {
	report := func(ctx context.Context, _ server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if err := nethttp.HangUp(ctx, 0); err != nil && !errors.Is(err, lifecycle.ErrRevision) {
			return nil, err
		}
		return protocol.TextResult("a long report"), nil
	}
	_, err := report(context.Background(), nil, protocol.CallToolParams{}) // outside of a call
	fmt.Println(errors.Is(err, nethttp.ErrContext))
	// Output: true
}
