package server_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What a gateway passes on as it came is filtered like what is typed: log messages by the level of
// the client, updates by its subscriptions (LOG-005, RES-022).
func TestPassedNotificationsAreFiltered(t *testing.T) {
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"resources/list", "resources/templates/list", "resources/read"},
		Subscribe: true, Logging: true, LogLevel: "error", Policy: lifecycle.Policy{PassThrough: true},
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
	} {
		s, _ = s.Receive(now, jsonrpc.DecodeString(line))
	}
	for _, tt := range []struct {
		method, params string
		sent           int
	}{
		{"notifications/message", `{"level":"info","data":1}`, 0},
		{"notifications/message", `{"level":"error","data":1}`, 1},
		{"notifications/message", `{"level":"loud","data":1}`, 1}, // for the client to judge
		{"notifications/resources/updated", `{"uri":"a:b"}`, 1},
		{"notifications/resources/updated", `{"uri":"a:c"}`, 0},
	} {
		_, out, err := s.Notify(now, protocol.RawRequest{Name: tt.method, Body: jsonrpc.Raw(tt.params)}, server.Call{})
		if err != nil || len(out.Send) != tt.sent {
			t.Errorf("%s: %d messages, %v", tt.params, len(out.Send), err)
		}
	}
}
