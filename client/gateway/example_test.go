package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serverhttp "github.com/sansmcp/mcp/server/nethttp"
)

// web starts a server over HTTP whose tool returns the server's name.
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

// Two servers with the same tool behind one gateway; a client calls both tools.
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

// use calls each tool.
func use(ctx context.Context, url string) (err error) {
	t, err := remote.New(url, remote.Options{})
	if err != nil {
		return err
	}
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t, session.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tool.Name}, session.RequestOptions{})
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", tool.Name, protocol.TextOf(r.Content))
	}
	return nil
}

// Each client uses the servers of its own principal, with the filters and credentials of that
// principal, and cannot see those of others.
func ExampleOptions() {
	url, stop := web("notes")
	defer stop()
	tokens := map[string]string{"ann": "token of ann"}
	g, err := gateway.New(gateway.Options{
		Relay: relay.Config{Info: protocol.Implementation{Name: "gateway", Version: "1.0.0"}},
		ServersOf: func(who server.Peer) []relay.Server {
			token, known := tokens[who.Principal]
			if !known {
				return nil
			}
			return []relay.Server{{
				Name:    "notes",
				Filter:  catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ToolList, Name: "delete_*"}}},
				Options: manager.Options{Endpoint: dial.URL{URL: url, Header: http.Header{"Authorization": {"Bearer " + token}}}},
			}}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := g.Handler(serverhttp.Options{Authenticate: func(r *http.Request) (serverhttp.Principal, error) {
		return serverhttp.Principal{ID: r.Header.Get("X-User")}, nil // set by a proxy that has authenticated the user
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := httptest.NewServer(h)
	defer s.Close()
	defer g.Close(context.Background())
	for _, user := range []string{"ann", "eve"} {
		tr, err := remote.New(s.URL, remote.Options{Header: http.Header{"X-User": {user}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		c, err := session.Connect(context.Background(), client.Config{Info: protocol.Implementation{Name: user, Version: "1"}}, tr, session.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		list, err := session.Do[protocol.ListToolsResult](context.Background(), c, protocol.ListToolsParams{})
		fmt.Println(user, len(list.Tools), err)
		_ = c.Close(context.Background())
	}
	// Output:
	// ann 1 <nil>
	// eve 0 <nil>
}
