package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// notes are handlers with one resource and one template below note:///NAME/, whose subscriptions
// agree asks for; nil asks nobody.
func notes(name string, agree server.SubscribeFunc) *server.Handlers {
	h := new(server.Handlers)
	h.Resource(protocol.Resource{URI: "note:///" + name + "/1", Name: "n"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return nil, nil
	})
	h.Template(protocol.ResourceTemplate{URITemplate: "note:///" + name + "/t/{x}", Name: "t"}, func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return nil, nil
	})
	if agree != nil {
		h.Subscribe(agree)
	}
	return h
}

// A function of Subscribe decides, for its own Handlers alone, however they are put together; what
// it refuses is not subscribed to, and an error says no more than a jsonrpc.Error does.
func TestSubscribeFunc(t *testing.T) {
	asked := ""
	guard := func(_ context.Context, _ server.Caller, p protocol.SubscribeParams) error {
		asked += p.URI + " "
		switch {
		case strings.HasSuffix(p.URI, "/1"):
			return nil
		case strings.HasSuffix(p.URI, "/secret"):
			return protocol.ResourceNotFound(p.URI)
		}
		return errors.New("pq: password")
	}
	base := notes("a", guard)
	over, err := notes("b", nil).Over(notes("a", guard))
	if err != nil {
		t.Fatal(err)
	}
	under, err := notes("a", guard).Over(notes("b", nil))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := base.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*server.Handlers{
		"plain": base, "sealed": sealed, "merged": server.Merge(notes("b", nil), base), "merged twice": server.Merge(server.Merge(base), notes("b", nil)), "over": over, "under": under,
	} {
		for _, own := range []bool{false, true} { // whether the session was made with these handlers, or got their catalog
			catalog, err := h.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve()}
			if !own {
				plain := notes("c", nil)
				cfg.Catalog, _ = plain.Catalog()
				cfg.Serve, cfg.Subscribe = plain.Serve(), true
			}
			s := shaken(t, cfg)
			if s, _, err = s.SetCatalog(t0, catalog); err != nil {
				t.Fatal(err)
			}
			subscribe := func(uri, want, ask string) {
				t.Helper()
				asked = ""
				var out server.Output
				s, out = server.RejectUnhandled(h.Handle(s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"`+uri+`"}}`))))
				if got := string(jsonrpc.Append(nil, out.Send[0].Message)); !strings.Contains(got, want) || asked != ask {
					t.Errorf("%s, %v, %s: got %s, asked %q", name, own, uri, got, asked)
				}
				_, out, err := s.Notify(t0, protocol.ResourceUpdatedParams{URI: uri}, server.Call{})
				if err != nil || (len(out.Send) == 1) != (want == `"result":{}`) {
					t.Errorf("%s, %v, %s: %d updates, %v", name, own, uri, len(out.Send), err)
				}
			}
			subscribe("note:///a/1", `"result":{}`, "note:///a/1 ")
			subscribe("note:///a/t/secret", `"code":-32002`, "note:///a/t/secret ")
			subscribe("note:///a/t/x", `"code":-32603,"message":"internal error"`, "note:///a/t/x ")
			subscribe("note:///", `"code":-32603`, "note:/// ")
			subscribe("note:///z", `"code":-32002`, "")
			if strings.HasPrefix(name, "merged") || name == "over" || name == "under" {
				subscribe("note:///b/1", `"result":{}`, "")
				subscribe("note:///b/t/x", `"result":{}`, "")
			}
			if !s.Capabilities().Has(protocol.CapResourcesSubscribe) {
				t.Error(name, "does not declare subscriptions")
			}
		}
	}
}

// What resources begin with is guarded by whoever has a template alone, in each layer and group.
func TestSubscribeBelowTemplates(t *testing.T) {
	asked := 0
	h := new(server.Handlers)
	h.Template(protocol.ResourceTemplate{URITemplate: "note:///t/{x}", Name: "t"}, func(context.Context, server.Caller, protocol.ReadResourceParams, uritemplate.Values) (*protocol.ReadResourceResult, error) {
		return nil, nil
	})
	h.Subscribe(func(context.Context, server.Caller, protocol.SubscribeParams) error {
		asked++
		return errors.New("no")
	})
	over, err := notes("b", nil).Over(h)
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*server.Handlers{"under": over, "merged": server.Merge(notes("b", nil), h)} {
		catalog, err := h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		s := shaken(t, server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve()})
		asked = 0
		_, out := server.RejectUnhandled(h.Handle(s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"note:///"}}`))))
		if len(out.Send) != 1 || out.Send[0].Message.Err == nil || asked != 1 {
			t.Errorf("%s: %+v, asked %d times", name, out.Send, asked)
		}
	}
}

// shaken returns a session after its handshake.
func shaken(t *testing.T, cfg server.Config) server.State {
	t.Helper()
	s, err := server.New(cfg, t0)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return s
}
