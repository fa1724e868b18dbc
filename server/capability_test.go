package server_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What is refused for a capability says which side lacks which, and what of its Config declares it.
func TestLackingCapabilitySaysWhose(t *testing.T) {
	s, _ := open(t, server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}})
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	tools, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	notify := func(p protocol.Params) error { _, _, err := s.Notify(t0, p, server.Call{}); return err }
	request := func(p protocol.Params) error {
		_, _, err := s.Request(t0, p, server.RequestOptions{})
		return err
	}
	set := func() error { _, _, err := s.SetCatalog(t0, tools); return err }
	some, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		some, _ = some.Receive(t0, jsonrpc.DecodeString(line))
	}
	_, _, partly := some.Request(t0, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1, Tools: []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}}}, server.RequestOptions{})
	for want, err := range map[string]error{
		"the client does not declare sampling.tools":                                           partly,
		"this server does not declare logging (server.Config.Logging)":                         notify(protocol.LoggingMessageParams{Level: "info", Data: `1`}),
		"this server does not declare resources,resources.subscribe (server.Config.Subscribe)": notify(protocol.ResourceUpdatedParams{URI: "test://a"}),
		"this server does not declare tools (server.Config.Serve)":                             set(),
		"the client does not declare sampling":                                                 request(protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}),
		"the client does not declare roots":                                                    request(protocol.ListRootsParams{}),
	} {
		if !errors.Is(err, lifecycle.ErrCapability) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("it says %v, want %s", err, want)
		}
	}
}
