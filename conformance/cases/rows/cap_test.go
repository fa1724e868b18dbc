package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func catalog(t testing.TB, items server.Items) *server.Catalog {
	t.Helper()
	c, err := server.NewCatalog(items)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gated returns the features of a party that need a capability in the spoken revision.
func gated(party protocol.Party) []protocol.RawRequest {
	return slices.DeleteFunc(featuresOf(party), func(r protocol.RawRequest) bool { return r.Name == "completion/complete" && !completes() })
}

// undeclared feeds requests of undeclared features.
func undeclared(t *testing.T, x verbs.Side, methods ...string) {
	t.Helper()
	for _, r := range gated(x.Role) {
		for _, m := range methods {
			if strings.HasPrefix(r.Name, m) {
				_, out := x.Receive(ask("a", r))
				if e := refused(t, out, -32601); e.Data != `{"reason":"capability not declared"}` {
					t.Errorf("%s: data %s", r.Name, e.Data)
				}
			}
		}
	}
}

// unsent sends requests whose feature the peer did not declare.
func unsent(t *testing.T, x verbs.Side, want error, methods ...string) {
	t.Helper()
	for _, r := range gated(x.Role.Peer()) {
		for _, m := range methods {
			if strings.HasPrefix(r.Name, m) {
				_, out, err := x.Request(r, lifecycle.RequestOptions{})
				if want == nil && (err != nil || len(out.Send) != 1) {
					t.Errorf("%s: %v", r.Name, err)
				} else if want != nil {
					fails(t, err, want)
					quiet(t, out)
				}
			}
		}
	}
}

// emits expects n to be sent once, or to be refused.
func emits(t *testing.T, x verbs.Side, n protocol.Params, want error) {
	t.Helper()
	_, out, err := x.Notify(n)
	if want != nil {
		fails(t, err, want)
		quiet(t, out)
	} else if err != nil || len(out.Send) != 1 {
		t.Errorf("%s: %v, sent %q", n.Method(), err, verbs.Lines(out))
	}
}

var serverFeatures = []string{"tools/", "resources/", "prompts/", "completion/", "logging/"}

func TestCapabilities(t *testing.T) { everywhere(t, capabilities) }

func capabilities(t *testing.T) {
	t.Run("CAP-001", func(t *testing.T) {
		s := verbs.NewServer(t, server.Config{Catalog: catalog(t, server.Items{Tools: []protocol.Tool{}}), Serve: []string{"tools/call"}}).Open(spoken, "{}")
		_, _, err := s.Offer(catalog(t, server.Items{Prompts: []protocol.Prompt{{Name: "p"}}}))
		fails(t, err, lifecycle.ErrCapability)
		next, _, err := s.Offer(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, out := next.Receive(ask("a", protocol.RawRequest{Name: "tools/list"}))
		sent(t, out, `{"id":"a","result":{"tools":[]}}`)
		undeclared(t, next, "prompts/")
		c := bare(t, protocol.Client).Open(spoken, "{}")
		_, _, err = c.Client().SetRoots(c.Now, []protocol.Root{})
		fails(t, err, lifecycle.ErrCapability)
		undeclared(t, c, "roots/")
	})
	t.Run("CAP-002", func(t *testing.T) {
		unsent(t, full(t, protocol.Server).Open(spoken, `{"sampling":{}}`), nil, "sampling/")
		unsent(t, full(t, protocol.Server).Open(spoken, `{}`), lifecycle.ErrCapability, "sampling/")
		unsent(t, full(t, protocol.Client).Open(spoken, `{"prompts":{}}`), nil, "prompts/")
		unsent(t, full(t, protocol.Client).Open(spoken, `{}`), lifecycle.ErrCapability, "prompts/")
	})
	t.Run("CAP-003", func(t *testing.T) {
		for name, cfg := range map[string]server.Config{
			`"tools":{}`:                         {Serve: []string{"tools/call"}},
			`"resources":{}`:                     {Serve: []string{"resources/read"}},
			`"resources":{"subscribe":true}`:     {Serve: []string{"resources/read"}, Subscribe: true},
			`"prompts":{}`:                       {Serve: []string{"prompts/list", "prompts/get"}},
			`"completions":{}`:                   {Serve: []string{"completion/complete"}},
			`"logging":{}`:                       {Logging: true},
			`"tools":{"listChanged":true}`:       {Catalog: catalog(t, server.Items{Tools: []protocol.Tool{}}), Serve: []string{"tools/call"}, ListChanged: protocol.CapToolsListChanged},
			`"experimental":{"com.x/y":{"z":1}}`: {Experimental: map[string]jsonrpc.Raw{"com.x/y": `{"z":1}`}},
		} {
			if name == `"completions":{}` && !completes() {
				name = ""
			}
			_, out := verbs.NewServer(t, cfg).Begin(spoken, "{}")
			sent(t, out, `{"id":"init","result":{"protocolVersion":"`+spoken.String()+`","capabilities":{`+name+`},"serverInfo":{"name":"tested","version":"1"}}}`)
		}
	})
	t.Run("CAP-004", func(t *testing.T) {
		s := full(t, protocol.Server).Open(spoken, `{"foo":{},"roots":{"bar":1},"sampling":null}`)
		unsent(t, s, nil, "roots/")
		unsent(t, s, lifecycle.ErrCapability, "sampling/", "elicitation/")
		c := full(t, protocol.Client).Open(spoken, `{"foo":1,"tools":{"bar":[]},"tasks":{}}`)
		unsent(t, c, nil, "tools/")
		unsent(t, c, lifecycle.ErrCapability, "prompts/")
	})
	t.Run("CAP-005", func(t *testing.T) {
		full(t, protocol.Server).Open(spoken, `{"experimental":{"x":{}}}`)
		full(t, protocol.Client).Open(spoken, `{"experimental":{"x":{}}}`)
		badCapabilities(t, `{"experimental":{"x":1}}`, `{"experimental":[]}`)
	})
	t.Run("CAP-006", func(t *testing.T) {
		s := verbs.NewServer(t, server.Config{Serve: []string{"tools/call", "resources/read"}}).Open(spoken, "{}")
		emits(t, s, protocol.ToolListChangedParams{}, lifecycle.ErrCapability)
		emits(t, s, protocol.ResourceListChangedParams{}, lifecycle.ErrCapability)
		emits(t, s, protocol.ResourceUpdatedParams{URI: "a:b"}, lifecycle.ErrCapability)
		undeclared(t, s, "resources/subscribe", "resources/unsubscribe")
		unsent(t, full(t, protocol.Client).Open(spoken, `{"resources":{"listChanged":true}}`), lifecycle.ErrCapability, "resources/subscribe", "resources/unsubscribe")
	})
	t.Run("CAP-007", func(t *testing.T) {
		for i := range 16 {
			cfg := client.Config{Experimental: map[string]jsonrpc.Raw{"x": `{}`}}
			var want protocol.Capability
			if i&1 == 0 {
				cfg.Experimental = nil
			}
			if i&2 != 0 {
				cfg.Serve, want = append(cfg.Serve, "sampling/createMessage"), want|protocol.CapSampling
			}
			if i&4 != 0 {
				cfg.Serve, want = append(cfg.Serve, "elicitation/create"), want|protocol.CapElicitation
			}
			if i&8 != 0 {
				cfg.Roots, cfg.RootsListChanged, want = []protocol.Root{}, i&1 != 0, want|protocol.CapRoots
				if i&1 != 0 {
					want |= protocol.CapRootsListChanged
				}
			}
			c, out := verbs.NewClient(t, cfg).Begin(spoken, "")
			s, _ := verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{spoken}}).Receive(verbs.Lines(out)[0])
			if c.Capabilities() != want {
				t.Errorf("%d: %v, want %v", i, c.Capabilities(), want)
			}
			if !elicits() { // a capability that the revision lacks has no effect in it (CAP-110)
				want &^= protocol.CapElicitation
			}
			if s.PeerCapabilities() != want {
				t.Errorf("%d: of the client %v, want %v", i, s.PeerCapabilities(), want)
			}
		}
		for _, caps := range []string{`{"roots":{"listChanged":"yes"}}`, `{"sampling":true}`, `{"elicitation":[]}`, `[]`, `null`} {
			s, out := full(t, protocol.Server).Receive(verbs.InitializeLine(spoken.String(), caps))
			refused(t, out, -32602)
			in(t, s, lifecycle.Uninitialized)
		}
	})
	t.Run("CAP-008", func(t *testing.T) {
		const bits = protocol.CapLogging<<1 - 1 // those of servers come first
		for want := range bits + 1 {
			if d := protocol.DeclareServer(want); d.Set() == want {
				for _, extra := range []string{"", `,"experimental":{"x":{}}`} {
					text := string(d.AppendJSON(nil))
					text = strings.Replace(strings.TrimSuffix(text, "}")+extra+"}", "{,", "{", 1)
					if c := full(t, protocol.Client).Open(spoken, text); c.PeerCapabilities() != want {
						t.Errorf("%s: %v, want %v", text, c.PeerCapabilities(), want)
					}
				}
			}
		}
		c := full(t, protocol.Client).Open(spoken, `{"tools":null,"logging":{}}`)
		if c.PeerCapabilities() != protocol.CapLogging {
			t.Errorf("%v", c.PeerCapabilities())
		}
		badCapabilities(t, `{"tools":{"listChanged":1}}`, `{"logging":true}`, `{"resources":{"subscribe":"x"}}`, `{"prompts":[]}`)
	})
	t.Run("CAP-009", func(t *testing.T) {
		unsent(t, full(t, protocol.Client).Open(spoken, "{}"), lifecycle.ErrCapability, serverFeatures...)
		unsent(t, full(t, protocol.Client).Open(spoken, allOfServer), nil, serverFeatures...)
	})
	t.Run("CAP-010", func(t *testing.T) {
		for _, caps := range []string{`{"resources":{}}`, `{"resources":{"subscribe":false}}`} {
			unsent(t, full(t, protocol.Client).Open(spoken, caps), lifecycle.ErrCapability, "resources/subscribe", "resources/unsubscribe")
		}
	})
	t.Run("CAP-011", func(t *testing.T) {
		s := full(t, protocol.Server).Open(spoken, "{}")
		unsent(t, s, lifecycle.ErrCapability, "roots/", "sampling/", "elicitation/")
		unsent(t, full(t, protocol.Server).Open(spoken, allOfClient), nil, "roots/", "sampling/", "elicitation/")
	})
	t.Run("CAP-012", func(t *testing.T) {
		undeclared(t, bare(t, protocol.Server).Open(spoken, "{}"), serverFeatures...)
		cfg := server.Config{
			Serve: names(featuresOf(protocol.Server)), Logging: true, Disable: 1<<32 - 1,
			Catalog: catalog(t, server.Items{Tools: []protocol.Tool{{Name: "t"}}, Resources: []protocol.Resource{{URI: "a:b", Name: "n"}}, Prompts: []protocol.Prompt{{Name: "p"}}}),
		}
		undeclared(t, verbs.NewServer(t, cfg).Open(spoken, "{}"), serverFeatures...)
	})
	t.Run("CAP-013", func(t *testing.T) {
		undeclared(t, bare(t, protocol.Client).Open(spoken, "{}"), "roots/", "sampling/", "elicitation/")
	})
	t.Run("CAP-014", func(t *testing.T) {
		for n, capability := range map[protocol.Params]protocol.Capability{
			protocol.ToolListChangedParams{}: protocol.CapToolsListChanged, protocol.PromptListChangedParams{}: protocol.CapPromptsListChanged,
			protocol.ResourceListChangedParams{}: protocol.CapResourcesListChanged,
		} {
			cfg := server.Config{Serve: names(featuresOf(protocol.Server)), ListChanged: listChanges &^ capability}
			emits(t, verbs.NewServer(t, cfg).Open(spoken, "{}"), n, lifecycle.ErrCapability)
			cfg.ListChanged = capability
			s := verbs.NewServer(t, cfg).Open(spoken, "{}")
			emits(t, s, n, nil)
			_, out, _ := s.Notify(n)
			sent(t, out, fmt.Sprintf(`{"method":%q}`, n.Method()))
		}
	})
	t.Run("CAP-015", func(t *testing.T) {
		n := protocol.RootsListChangedParams{}
		emits(t, verbs.NewClient(t, client.Config{Serve: []string{"roots/list"}}).Open(spoken, "{}"), n, lifecycle.ErrCapability)
		emits(t, verbs.NewClient(t, client.Config{Serve: []string{"roots/list"}, RootsListChanged: true}).Open(spoken, "{}"), n, nil)
	})
	t.Run("CAP-016", func(t *testing.T) {
		n := protocol.LoggingMessageParams{Level: "emergency", Data: "1"}
		emits(t, bare(t, protocol.Server).Open(spoken, "{}"), n, lifecycle.ErrCapability)
		emits(t, full(t, protocol.Server).Open(spoken, "{}"), n, nil)
	})
	t.Run("CAP-017", func(t *testing.T) {
		cfg := server.Config{Serve: []string{"resources/read"}, ListChanged: protocol.CapResourcesListChanged}
		emits(t, verbs.NewServer(t, cfg).Open(spoken, "{}"), protocol.ResourceUpdatedParams{URI: "a:b"}, lifecycle.ErrCapability)
	})
	t.Run("CAP-018", func(t *testing.T) { noneNeeded(t) })
	t.Run("CAP-019", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.Ready)
			wrong := featuresOf(x.Role.Peer())
			if x.Role == protocol.Client {
				wrong = append(wrong, protocol.RawRequest{Name: "initialize"})
			}
			for _, r := range wrong {
				_, out := x.Receive(ask("a", r))
				if e := refused(t, out, -32601); e.Data != "" {
					t.Errorf("%s: data %s", r.Name, e.Data)
				}
			}
		})
	})
	t.Run("CAP-020", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			x = at(x, lifecycle.Ready)
			lines := map[protocol.Party][]string{
				protocol.Server: {"notifications/tools/list_changed", "notifications/message", "notifications/resources/updated"},
				protocol.Client: {"notifications/initialized", "notifications/roots/list_changed"},
			}[x.Role]
			for _, l := range lines {
				next, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, l))
				quiet(t, out)
				events(t, out, "violation CAP-020")
				in(t, next, lifecycle.Ready)
			}
		})
	})
	t.Run("CAP-021", func(t *testing.T) {
		_, out := full(t, protocol.Client).Open(spoken, `{"tools":{}}`).Receive(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		events(t, out, "violation CAP-021", "notification received")
		quiet(t, out)
		_, out = full(t, protocol.Server).Open(spoken, `{"roots":{}}`).Receive(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		events(t, out, "violation CAP-021", "notification received")
		quiet(t, out)
	})
}

// badCapabilities fails the handshake of a client with each of these answers.
func badCapabilities(t *testing.T, list ...string) {
	t.Helper()
	for _, caps := range list {
		c, _ := full(t, protocol.Client).Begin(spoken, "")
		c, out := c.Receive(c.InitializeResult(spoken.String(), caps))
		sent(t, out)
		closes(t, out, lifecycle.CauseInvalidResponse)
		in(t, c, lifecycle.Failed)
	}
}

// noneNeeded: ping, cancelled and progress work both ways between sides that declare
// nothing. The cancelled request with progress is a custom one.
func noneNeeded(t *testing.T) {
	c, s := joined(t)
	if c.PeerCapabilities() != 0 || s.PeerCapabilities() != 0 {
		t.Fatal("something is declared")
	}
	for _, pair := range [][2]verbs.Side{{c, s}, {s, c}} {
		from, to := pair[0], pair[1]
		_, out, err := from.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, pong := to.Receive(line(t, out))
		sent(t, pong, fmt.Sprintf(`{"id":%s,"result":{}}`, idOf(out.Req)))

		from, out, err = from.Request(protocol.RawRequest{Name: "x/y"}, lifecycle.RequestOptions{Progress: true})
		if err != nil {
			t.Fatal(err)
		}
		to, opened := to.Receive(line(t, out))
		to, progress, err := to.Progress(opened.Opened, protocol.ProgressParams{Progress: 1})
		if err != nil {
			t.Fatal(err)
		}
		from, got := from.Receive(line(t, progress))
		events(t, got, "progress received")
		_, cancel, err := from.Cancel(out.Req, "")
		if err != nil {
			t.Fatal(err)
		}
		_, got = to.Receive(line(t, cancel))
		events(t, got, "request cancelled")
	}
}
