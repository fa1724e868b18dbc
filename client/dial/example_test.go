package dial_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	servernethttp "github.com/sansmcp/mcp/server/nethttp"
)

func Example() {
	h, err := servernethttp.NewHandler(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, new(server.Handlers), servernethttp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := httptest.NewServer(h)
	defer s.Close()

	ctx := context.Background()
	f, err := fleet.New(calls.Config{Manager: manager.Config{Client: config}}, fleet.Options{Dial: dial.Dialer{}.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close(ctx)
	fmt.Println(f.Set(ctx, []fleet.Definition{
		{Name: "near", Options: manager.Options{Endpoint: dial.URL{URL: s.URL}}},
		{Name: "none", Options: manager.Options{Endpoint: dial.Command{}}},
	}))
	// Output:
	// manager: transport: server "none": open: dial: Command.Args is []: want a program to start
}
