package rows_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// The handshake, in each revision.
func TestLifecycleOpening(t *testing.T) { everywhere(t, lifecycleOpening) }

func lifecycleOpening(t *testing.T) {
	t.Run("LIFE-001", func(t *testing.T) {
		_, out, err := full(t, protocol.Client).Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
		fails(t, err, lifecycle.ErrPhase)
		quiet(t, out)
		s, out := full(t, protocol.Server).Receive(ask("a", protocol.RawRequest{Name: "tools/list"}))
		refused(t, out, -32600)
		in(t, s, lifecycle.Uninitialized)
	})
	t.Run("LIFE-002", func(t *testing.T) {
		c, out, err := full(t, protocol.Client).Initialize()
		if err != nil || len(out.Send) != 1 || out.Send[0].Message.Method != "initialize" {
			t.Errorf("%v, sent %q", err, verbs.Lines(out))
		}
		in(t, c, lifecycle.Initializing)
	})
	t.Run("LIFE-003", func(t *testing.T) {
		_, out, _ := full(t, protocol.Client).Initialize()
		sent(t, out, `{"id":1,"method":"initialize","params":{"protocolVersion":"`+protocol.Revisions()[0].String()+`",`+
			`"capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"tested","version":"1"}}}`)
	})
	t.Run("LIFE-004", func(t *testing.T) {
		for _, params := range []string{
			`,"params":{"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`,
			`,"params":{"protocolVersion":"` + spoken.String() + `","clientInfo":{"name":"c","version":"1"}}`,
			`,"params":{"protocolVersion":"` + spoken.String() + `","capabilities":{}}`,
			`,"params":{"protocolVersion":"` + spoken.String() + `","capabilities":{},"clientInfo":{"name":"c"}}`,
			`,"params":{}`, `,"params":[]`, `,"params":null`, ``,
		} {
			s, out := full(t, protocol.Server).Receive(`{"jsonrpc":"2.0","id":1,"method":"initialize"` + params + `}`)
			refused(t, out, -32602)
			in(t, s, lifecycle.Uninitialized)
			s, _ = s.Begin(spoken, "{}")
			in(t, s, lifecycle.Initializing)
		}
	})
	t.Run("LIFE-005", func(t *testing.T) {
		s, out := full(t, protocol.Server).Begin(spoken, "{}")
		completions := ""
		if completes() {
			completions = `"completions":{},`
		}
		sent(t, out, `{"id":"init","result":{"protocolVersion":"`+spoken.String()+`","capabilities":{"logging":{},`+completions+`"prompts":{"listChanged":true},`+
			`"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"tested","version":"1"}}}`)
		in(t, s, lifecycle.Initializing)
	})
	t.Run("LIFE-006", func(t *testing.T) {
		c, out := at(full(t, protocol.Client), lifecycle.Initializing).Finish(spoken, "{}")
		sent(t, out, `{"method":"notifications/initialized"}`)
		in(t, c, lifecycle.Ready)
	})
	t.Run("LIFE-007", func(t *testing.T) {
		c := at(full(t, protocol.Client), lifecycle.Initializing)
		_, out, err := c.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
		fails(t, err, lifecycle.ErrPhase)
		quiet(t, out)
		c, first := c.Finish(spoken, allOfServer)
		sent(t, first, `{"method":"notifications/initialized"}`)
		_, out, _ = c.Request(protocol.ListToolsParams{}, lifecycle.RequestOptions{})
		sent(t, out, `{"id":2,"method":"tools/list"}`)
	})
	t.Run("LIFE-008", func(t *testing.T) {
		c, out := at(full(t, protocol.Client), lifecycle.Initializing).
			Receive(`{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"no","data":{"why":[1]}}}`)
		sent(t, out)
		closes(t, out, lifecycle.CauseRefused)
		in(t, c, lifecycle.Failed)
		if rpc := c.Status().Cause.RPC; rpc == nil || rpc.Code != -32050 || rpc.Data != `{"why":[1]}` {
			t.Errorf("the cause has %+v", rpc)
		}
	})
	t.Run("LIFE-009", func(t *testing.T) { onlyPing(t, protocol.Client) })
	t.Run("LIFE-010", func(t *testing.T) { onlyPing(t, protocol.Server) })
	t.Run("LIFE-011", func(t *testing.T) {
		_, out, err := at(full(t, protocol.Server), lifecycle.Initializing).Notify(protocol.LoggingMessageParams{Level: "info", Data: `"x"`})
		if err != nil {
			t.Fatal(err)
		}
		sent(t, out, `{"method":"notifications/message","params":{"level":"info","data":"x"}}`)
		_, out = at(full(t, protocol.Client), lifecycle.Initializing).Receive(verbs.Lines(out)[0])
		events(t, out, "notification received")
	})
	t.Run("LIFE-012", func(t *testing.T) {
		s := at(full(t, protocol.Server), lifecycle.Initializing)
		s, out := s.Receive(ask("a", protocol.RawRequest{Name: "ping"}))
		events(t, out)
		s, out = s.Receive(verbs.Initialized)
		events(t, out, "phase changed")
		quiet(t, out)
		in(t, s, lifecycle.Ready)
	})
	t.Run("LIFE-013", func(t *testing.T) {
		s, out := full(t, protocol.Server).Receive(verbs.Initialized)
		quiet(t, out)
		events(t, out, "violation LIFE-013")
		in(t, s, lifecycle.Uninitialized)
		s, _ = s.Begin(spoken, "{}")
		in(t, s, lifecycle.Initializing)
	})
	t.Run("LIFE-014", func(t *testing.T) {
		s, out := at(full(t, protocol.Server), lifecycle.Ready).Receive(verbs.Initialized)
		quiet(t, out)
		events(t, out, "violation LIFE-014")
		in(t, s, lifecycle.Ready)
	})
	t.Run("LIFE-015", func(t *testing.T) {
		for _, phase := range []lifecycle.Phase{lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown} {
			s := at(full(t, protocol.Server), phase)
			next, out := s.Receive(verbs.InitializeLine(another().String(), "{}"))
			refused(t, out, -32600)
			if next.Phase() != phase || next.Revision() != spoken || next.PeerCapabilities() != s.PeerCapabilities() || next.PeerCapabilities() == 0 {
				t.Errorf("now %+v with %v", next.Status(), next.PeerCapabilities())
			}
		}
	})
	t.Run("LIFE-016", func(t *testing.T) {
		for _, phase := range []lifecycle.Phase{lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown} {
			_, out, err := at(full(t, protocol.Client), phase).Initialize()
			fails(t, err, lifecycle.ErrPhase)
			quiet(t, out)
		}
		c, _ := at(full(t, protocol.Client), lifecycle.Ready).Disconnected(nil)
		c, err := c.Reset()
		if err != nil {
			t.Fatal(err)
		}
		at(c, lifecycle.Ready)
	})
	t.Run("LIFE-017", func(t *testing.T) {
		for _, result := range []string{
			`{"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`,
			`{"protocolVersion":"` + spoken.String() + `","serverInfo":{"name":"s","version":"1"}}`,
			`{"protocolVersion":"` + spoken.String() + `","capabilities":{}}`,
		} {
			c := at(full(t, protocol.Client), lifecycle.Initializing)
			c, out := c.Receive(c.Result(result))
			sent(t, out)
			closes(t, out, lifecycle.CauseInvalidResponse)
			in(t, c, lifecycle.Failed)
		}
	})
	t.Run("LIFE-018", func(t *testing.T) {
		each(t, func(t *testing.T, x verbs.Side) {
			ping := ask("p", protocol.RawRequest{Name: "ping"})
			for _, phase := range []lifecycle.Phase{lifecycle.Uninitialized, lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown} {
				_, out := at(x, phase).Receive(ping)
				sent(t, out, `{"id":"p","result":{}}`)
			}
			lost, _ := at(x, lifecycle.Ready).Disconnected(nil)
			failed, _ := at(x, lifecycle.Ready).Abort(nil)
			for _, dead := range []verbs.Side{lost, failed} {
				if _, out := dead.Receive(ping); !out.IsZero() {
					t.Errorf("%v: %+v", dead.Phase(), out)
				}
			}
		})
	})
	t.Run("LIFE-019", func(t *testing.T) {
		// TestDegraded tests omissions on the wire.
		s := full(t, protocol.Server).Open(spoken, allOfClient)
		_, _, err := s.Request(elicitation, lifecycle.RequestOptions{})
		if elicits() && err != nil {
			t.Error(err)
		} else if !elicits() {
			fails(t, err, lifecycle.ErrRevision)
		}
		c := at(full(t, protocol.Client), lifecycle.Ready)
		c, call := hold(c)
		_, _, err = c.Respond(call, jsonrpc.Raw(`{"role":"assistant","model":"m","content":{"type":"tool_use","id":"1","name":"t","input":{}}}`))
		if spoken.Capabilities().Has(protocol.CapSamplingTools) {
			fails(t, err, lifecycle.ErrParams) // no tool was offered to the model
		} else {
			fails(t, err, lifecycle.ErrRevision)
		}
	})
	t.Run("LIFE-020", func(t *testing.T) {
		for _, role := range roles {
			for _, r := range gated(role) {
				_, out := bare(t, role).Open(spoken, "{}").Receive(ask("a", r))
				if e := refused(t, out, -32601); e.Data != `{"reason":"capability not declared"}` {
					t.Errorf("%s: data %s", r.Name, e.Data)
				}
				_, out, err := full(t, role.Peer()).Open(spoken, "{}").Request(r, lifecycle.RequestOptions{})
				fails(t, err, lifecycle.ErrCapability)
				quiet(t, out)
			}
		}
		for _, n := range []protocol.Params{
			protocol.ToolListChangedParams{}, protocol.PromptListChangedParams{}, protocol.ResourceListChangedParams{},
			protocol.ResourceUpdatedParams{URI: "a:b"}, protocol.LoggingMessageParams{Level: "info", Data: "1"},
		} {
			_, out, err := bare(t, protocol.Server).Open(spoken, "{}").Notify(n)
			fails(t, err, lifecycle.ErrCapability)
			quiet(t, out)
		}
		_, _, err := bare(t, protocol.Client).Open(spoken, "{}").Notify(protocol.RootsListChangedParams{})
		fails(t, err, lifecycle.ErrCapability)
	})
	t.Run("LIFE-027", func(t *testing.T) {
		for _, text := range []string{"", "use it"} {
			s := verbs.NewServer(t, server.Config{Instructions: text})
			_, out := s.Begin(spoken, "{}")
			want := `{"id":"init","result":{"protocolVersion":"` + spoken.String() + `","capabilities":{},"serverInfo":{"name":"tested","version":"1"}`
			if text != "" {
				want += fmt.Sprintf(`,"instructions":%q`, text)
			}
			sent(t, out, want+"}}")
		}
		c := at(full(t, protocol.Client), lifecycle.Initializing)
		c, out := c.Receive(c.Result(`{"protocolVersion":"` + spoken.String() + `","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":5}`))
		if bad := verbs.Events(out, lifecycle.Violation); len(bad) != 1 || bad[0].Rule != "LIFE-017" {
			t.Errorf("violations: %v", bad)
		}
		in(t, c, lifecycle.Ready) // an odd optional member affects only itself
	})
	t.Run("LIFE-028", func(t *testing.T) {
		c := at(full(t, protocol.Client), lifecycle.Initializing)
		_, out := c.Receive(c.Result(`{"protocolVersion":"` + spoken.String() + `","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":"say \"x\""}`))
		list := verbs.Events(out, lifecycle.PhaseChanged)
		r, err := protocol.Decode[protocol.InitializeResult](list[0].Body)
		if err != nil || r.Instructions != `say "x"` || list[0].Revision != spoken {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("LIFE-038", func(t *testing.T) {
		c := at(full(t, protocol.Client), lifecycle.Initializing)
		for line, rule := range map[string]string{
			`{"jsonrpc":"2.0","id":999,"result":{}}`:                           "JRPC-031",
			`{"jsonrpc":"2.0","id":999,"error":{"code":1,"message":"x"}}`:      "JRPC-031",
			`{"jsonrpc":"2.0","id":"1","result":{}}`:                           "JRPC-031",
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`: "JRPC-032",
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":""}}`:           "JRPC-032",
		} {
			var out lifecycle.Output
			c, out = c.Receive(line)
			quiet(t, out)
			events(t, out, "violation "+rule)
			in(t, c, lifecycle.Initializing)
		}
		c, _ = c.Finish(spoken, "{}")
		in(t, c, lifecycle.Ready)
	})
	t.Run("LIFE-039", func(t *testing.T) {
		c := at(full(t, protocol.Client), lifecycle.Initializing)
		for _, r := range append(allFeatures(protocol.Client), protocol.RawRequest{Name: "foo/bar"}) {
			var out lifecycle.Output
			code := int64(-32600)
			if r.Name == "foo/bar" {
				code = -32601
			}
			c, out = c.Receive(ask("a", r))
			refused(t, out, code)
		}
		c, _ = c.Finish(spoken, "{}")
		in(t, c, lifecycle.Ready)
	})
	t.Run("LIFE-040", func(t *testing.T) {
		s, out := at(full(t, protocol.Server), lifecycle.Initializing).Receive(ask("a", protocol.RawRequest{Name: "tools/list"}))
		events(t, out, "request received")
		in(t, s, lifecycle.Initializing)
		s, out = at(fullServer(t, lifecycle.Policy{StrictInitialized: true}), lifecycle.Initializing).Receive(ask("a", protocol.RawRequest{Name: "tools/list"}))
		refused(t, out, -32600)
		events(t, out, "violation LIFE-040")
		in(t, s, lifecycle.Initializing)
	})
}

// bare is a side that offers nothing.
func bare(t testing.TB, role protocol.Party) verbs.Side {
	if role == protocol.Server {
		return verbs.NewServer(t, server.Config{})
	}
	return verbs.NewClient(t, client.Config{})
}

// onlyPing: while initializing a side sends no request but ping.
func onlyPing(t *testing.T, role protocol.Party) {
	x := at(full(t, role), lifecycle.Initializing)
	for _, r := range featuresOf(role.Peer()) {
		next, out, err := x.Request(r, lifecycle.RequestOptions{})
		fails(t, err, lifecycle.ErrPhase)
		quiet(t, out)
		in(t, next, lifecycle.Initializing)
	}
	_, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
	if err != nil || len(out.Send) != 1 || out.Send[0].Message.Method != "ping" {
		t.Errorf("ping: %v, sent %q", err, verbs.Lines(out))
	}
}
