package server_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// manners returns Handlers whose tools answer in every manner there is.
func manners() *server.Handlers {
	h := new(server.Handlers)
	tool := func(name, output string, f func(c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error)) {
		h.Tool(protocol.Tool{Name: name, InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`, OutputSchema: jsonrpc.Raw(output)},
			func(_ context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return f(c, p)
			})
	}
	for name, r := range map[string]*protocol.CallToolResult{
		"text": protocol.TextResult("x"), "none": nil, "structured": {StructuredContent: `{"a":1}`}, "broken": {Content: []protocol.Content{{Type: "image"}}},
		"embedded": {Content: []protocol.Content{protocol.EmbeddedContent(protocol.TextResource("a:b", "", "x"))}},
	} {
		tool(name, "", func(server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) { return r, nil })
	}
	for name, err := range map[string]error{
		"fails": errors.New("no"), "refuses": &jsonrpc.Error{Code: -5, Message: "m"}, "code 0": &jsonrpc.Error{Message: "m"}, "value": protocol.InvalidParams("m"),
	} {
		tool(name, "", func(server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) { return nil, err })
	}
	tool("promises", `{"type":"object","required":["a"]}`, func(_ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: p.Arguments}, nil
	})
	tool("looks", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(fmt.Sprint(c.Call(), c.State().Status().Inbound)), nil
	})
	tool("reports", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		err := c.Progress(protocol.ProgressParams{Progress: 1, Message: "m"})
		return protocol.TextResult(fmt.Sprint(err, c.Progress(protocol.ProgressParams{Progress: 1}))), nil
	})
	tool("logs", "", func(c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(fmt.Sprint(c.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"}))), nil
	})
	h.Tool(protocol.Tool{Name: "left", InputSchema: `{"type":"object"}`}, nil)
	return h
}

// Receive of Handlers comes to what Handle makes of what State.Receive says, to the last
// field and in every State, and so does what follows.
func TestReceiveIsHandle(t *testing.T) {
	h := manners()
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	base := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: append(h.Serve(), "x/own"), Logging: true}
	with := func(change func(*server.Config)) server.Config {
		cfg := base
		change(&cfg)
		return cfg
	}
	var lines []string
	for _, name := range []string{
		"text", "none", "structured", "broken", "embedded", "fails", "refuses", "code 0", "value", "promises", "looks", "reports", "logs", "left", "hidden", "",
	} {
		for i, rest := range []string{``, `,"arguments":{"n":1,"a":"x"}`, `,"arguments":{"n":"x"}`, `,"arguments":null`, `,"arguments":[1]`, `,"_meta":{"progressToken":"p"}`} {
			id := []string{`7`, `"s"`, `1e1`}[i%3]
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q%s}}`, id, name, rest))
		}
	}
	lines = append(lines, `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"method":"x/own"}`,
		`{"jsonrpc":"2.0","method":"tools/call"}`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `{`, `[{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"text"}}]`)
	for name, cfg := range map[string]server.Config{
		"plain": base, "strict": with(func(c *server.Config) { c.Policy.StrictArguments = true }), "passing": with(func(c *server.Config) { c.Policy.PassThrough = true }),
		"open": with(func(c *server.Config) { c.Unlisted = true }), "listing itself": with(func(c *server.Config) { c.Serve = append(h.Serve(), "tools/list") }),
		"slow": with(func(c *server.Config) { c.Limits.Requests = lifecycle.Rate{PerSecond: 1} }), "full": with(func(c *server.Config) { c.Limits.Inbound = 1 }),
		"patient": with(func(c *server.Config) { c.Timeouts.Inbound = time.Minute }),
	} {
		for _, revision := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
			fresh, err := server.New(cfg, t0)
			if err != nil {
				t.Fatal(name, err)
			}
			greeted, _ := fresh.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
			ready, _ := greeted.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
			used, _ := ready.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"left"}}`))
			ending, _ := used.Shutdown(t0, time.Hour)
			gone, _ := ready.Disconnected(t0, nil)
			for _, s := range []server.State{{}, fresh, greeted, ready, used, ending, gone} {
				for _, line := range lines {
					m, now := jsonrpc.DecodeString(line), t0.Add(time.Second)
					want, wantOut := h.Handle(s.Receive(now, m))
					got, out := h.Receive(s, now, m)
					if !reflect.DeepEqual(out, wantOut) || string(got.Snapshot()) != string(want.Snapshot()) || got.Status() != want.Status() {
						t.Fatalf("%s, %s, %v: %s\n%+v\nwant %+v\n%s\n%s", name, revision, s.Phase(), line, out, wantOut, got.Snapshot(), want.Snapshot())
					}
				}
			}
		}
	}
}
