package stdio_test

import (
	"context"
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
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return nil, nil
	})
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

// What has no function is not served, unless a Companion, or what Config.Serve says, may answer it.
func TestUnbound(t *testing.T) {
	for name, register := range map[string]func(h *server.Handlers){
		"t":     func(h *server.Handlers) { h.Tool(protocol.Tool{Name: "t"}, nil) },
		"p":     func(h *server.Handlers) { h.Prompt(protocol.Prompt{Name: "p"}, nil) },
		"a:b":   func(h *server.Handlers) { h.Resource(protocol.Resource{URI: "a:b", Name: "r"}, nil) },
		"a:{b}": func(h *server.Handlers) { h.Template(protocol.ResourceTemplate{URITemplate: "a:{b}", Name: "r"}, nil) },
	} {
		h := new(server.Handlers)
		register(h)
		cfg := server.Config{Info: who}
		_, err := stdio.New(cfg, h, strings.NewReader(""), io.Discard, stdio.Options{})
		if want := "stdio: Handlers is \"" + name + "\": it has no function, and no Companion answers it; give it one"; !errors.Is(err, lifecycle.ErrConfig) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := stdio.New(cfg, h, strings.NewReader(""), io.Discard, stdio.Options{Companion: func(server.Peer) server.Companion { return nil }}); err != nil {
			t.Error("with a Companion:", err)
		}
		if cfg.Serve = h.Serve(); len(cfg.Serve) != 1 {
			t.Error(cfg.Serve)
		}
		if _, err := stdio.New(cfg, h, strings.NewReader(""), io.Discard, stdio.Options{}); err != nil {
			t.Error("with Config.Serve:", err)
		}
		empty, err := stdio.New(server.Config{Info: who}, new(server.Handlers), strings.NewReader(""), io.Discard, stdio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = empty.Serve(t.Context()) }()
		if err := empty.Replace(h); !errors.Is(err, lifecycle.ErrConfig) {
			t.Error("Replace:", err)
		}
	}
}
