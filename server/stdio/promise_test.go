package stdio_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// What nobody would answer is not promised. A Companion may answer it, and a method of one's own may
// be a notification.
func TestServeNobody(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	serve := func(opt stdio.Options, names ...string) error {
		_, err := stdio.New(server.Config{Info: who, Serve: names}, h, strings.NewReader(""), io.Discard, opt)
		return err
	}
	err := serve(stdio.Options{}, "x/y", "tools/call", "completion/complete")
	if !errors.Is(err, lifecycle.ErrConfig) || err.Error() != `stdio: Config.Serve[2] is "completion/complete": want a method that the Handlers answer` {
		t.Error(err)
	}
	if err := serve(stdio.Options{}, "x/y", "tools/call"); err != nil {
		t.Error(err)
	}
	if err := serve(stdio.Options{Companion: func(server.Peer) server.Companion { return nil }}, "tools/call", "completion/complete"); err != nil {
		t.Error(err)
	}
}
