package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/nethttp"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/relay/gateway"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// web starts a server over HTTP whose tool says who it is.
func web(name string) (url string, stop func()) {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "who", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("I am " + name), nil
		})
	d, err := serverhttp.NewHandler(server.Config{Info: protocol.Implementation{Name: name, Version: "1"}}, &h, serverhttp.Options{})
	if err != nil {
		panic(err)
	}
	s := httptest.NewServer(d)
	return s.URL, func() { d.Close(); s.Close() }
}

// Two servers with the same tool stand behind one, and a client calls both.
func Example() {
	var servers []relay.Server
	for _, name := range []string{"left", "right"} {
		url, stop := web(name)
		defer stop()
		servers = append(servers, relay.Server{Name: name, Definition: url, Options: manager.Options{Endpoint: dial.URL{URL: url}}})
	}
	info := protocol.Implementation{Name: "gateway", Version: "1.0.0"}
	g, err := gateway.New(gateway.Options{Relay: relay.Config{Info: info, Lists: relay.Lists{Hold: time.Minute}}, Servers: servers})
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := g.Handler(serverhttp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/status", g.StatusHandler(serverhttp.Options{}))
	s := httptest.NewServer(mux)
	defer s.Close()

	if err := use(context.Background(), s.URL+"/mcp"); err != nil {
		fmt.Println(err)
	}
	fmt.Println("closed:", g.Close(context.Background()))
	// Output:
	// mcp.left.who: I am left
	// mcp.right.who: I am right
	// closed: <nil>
}

// use calls the tools there are.
func use(ctx context.Context, url string) (err error) {
	t, err := nethttp.New(url, nethttp.Options{})
	if err != nil {
		return err
	}
	c, err := host.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t, host.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tool.Name}, host.RequestOptions{})
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", tool.Name, protocol.TextOf(r.Content))
	}
	return nil
}
