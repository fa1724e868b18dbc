package rows_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const (
	allModes   = `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}`
	flagsOfAll = protocol.CapSamplingTools | protocol.CapSamplingContext | protocol.CapElicitationForm | protocol.CapElicitationURL
)

// modal is a client that supports everything that 2025-11-25 lets a server ask for, in a session of
// the revision.
func modal(t testing.TB, r protocol.Revision) verbs.Side {
	return verbs.NewClient(t, client.Config{Serve: []string{"sampling/createMessage", "elicitation/create"}, Declare: flagsOfAll}).Open(r, "{}")
}

// elicited feeds x a form and returns the call.
func elicited(x verbs.Side, form string) (verbs.Side, lifecycle.Call) {
	x.T.Helper()
	x, out := x.Receive(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":` + form + `}}`)
	return x, out.Opened
}

// Go types from a client's or a server's application are checked against the revision like raw JSON.
func TestElicitationTypes(t *testing.T) {
	old, recent := protocol.Revision20250618, protocol.Revision20251125
	page := protocol.ElicitParams{Mode: protocol.ElicitURL, Message: "m", URL: "https://a.example/", ElicitationID: "e"}
	form := func(f protocol.PrimitiveSchema) protocol.ElicitParams {
		return protocol.ElicitParams{Message: "m", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "a", Schema: f}}}}
	}
	asks := func(t *testing.T, r protocol.Revision, p protocol.Params, want error) string {
		t.Helper()
		x := verbs.NewServer(t, server.Config{}).Open(r, allModes)
		_, out, err := x.Request(p, lifecycle.RequestOptions{})
		if !errors.Is(err, want) {
			t.Fatalf("at %v: %v, want %v", r, err, want)
		}
		if err != nil {
			return ""
		}
		return line(t, out)
	}
	// revisions: 2025-06-18..
	t.Run("ELIC-108", func(t *testing.T) {
		asks(t, old, page, lifecycle.ErrRevision)
		asks(t, recent, page, nil)
	})
	// revisions: 2025-06-18..
	t.Run("ELIC-126", func(t *testing.T) {
		choices := []protocol.Choice{{Value: "x", Title: "X"}, {Value: "y", Title: "Y"}}
		asks(t, old, form(protocol.PrimitiveSchema{Type: protocol.TypeArray, Choices: choices}), lifecycle.ErrRevision)
		asks(t, old, form(protocol.PrimitiveSchema{Type: protocol.TypeArray, Enum: []string{"x"}}), lifecycle.ErrRevision)
		const want = `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object",` +
			`"properties":{"a":{"type":"string","enum":["x","y"],"enumNames":["X","Y"]}}}}}`
		if got := asks(t, old, form(protocol.PrimitiveSchema{Type: protocol.TypeString, Choices: choices, Default: `"y"`}), nil); got != want {
			t.Error(got)
		}
	})
	// revisions: 2025-06-18..
	t.Run("ELIC-128", func(t *testing.T) {
		for r, want := range map[protocol.Revision]error{old: lifecycle.ErrRevision, recent: nil} {
			x, call := elicited(modal(t, r), `{"type":"object","properties":{}}`)
			for _, result := range []protocol.Result{
				protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]protocol.Raw{"a": `["x"]`}},
				protocol.Raw(`{"action":"accept","content":{"a": ["x"]}}`),
			} {
				if _, _, err := x.Respond(call, result); !errors.Is(err, want) {
					t.Errorf("at %v: %v, want %v", r, err, want)
				}
			}
			// dropped content needs no form
			if _, _, err := x.Respond(call, protocol.Raw(`{"action":"decline","content":{"a":["x"]}}`)); err != nil {
				t.Errorf("at %v: %v", r, err)
			}
		}
	})
	// revisions: 2025-11-25..
	t.Run("ELIC-129", func(t *testing.T) {
		const fields = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},` +
			`"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive"],"default":"active"},` +
			`"verified":{"type":"boolean","default":true},"note":{"type":"string"}},"required":["name","age","score","status","verified"]}`
		x, call := elicited(modal(t, recent), fields)
		if _, _, err := x.Respond(call, protocol.ElicitResult{Action: protocol.ActionAccept}); !errors.Is(err, lifecycle.ErrParams) {
			t.Fatalf("an empty form: %v", err)
		}
		asked, err := protocol.Decode[protocol.ElicitSchema](fields)
		if err != nil {
			t.Fatal(err)
		}
		_, out, err := x.Respond(call, protocol.ElicitResult{Action: protocol.ActionAccept, Content: asked.Fill(map[string]protocol.Raw{"age": "31"})})
		if err != nil {
			t.Fatal(err)
		}
		sent(t, out, `{"id":"q","result":{"action":"accept","content":{"age":31,"name":"John Doe","score":95.5,"status":"active","verified":true}}}`)
	})
	t.Run("SAMP-107", func(t *testing.T) {
		text := protocol.TextContent("t")
		for _, r := range protocol.Revisions() {
			want := lifecycle.ErrRevision
			if r == recent {
				want = nil
			}
			say := func(blocks ...protocol.Content) protocol.CreateMessageParams {
				return protocol.CreateMessageParams{MaxTokens: 1, Messages: []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: blocks}}}
			}
			asks(t, r, say(text, text), want)
			asks(t, r, say(), want)
			const one = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1}}`
			if got := asks(t, r, say(text), nil); got != one {
				t.Errorf("at %v: %s", r, got)
			}
			x, out := modal(t, r).Receive(one)
			for n, want := range []error{want, nil, want} {
				blocks := []protocol.Content{text, text}[:n]
				_, _, err := x.Respond(out.Opened, protocol.CreateMessageResult{Role: protocol.RoleAssistant, Model: "m", Content: blocks})
				if !errors.Is(err, want) {
					t.Errorf("at %v, %d blocks: %v, want %v", r, n, err, want)
				}
			}
		}
	})
}

// TestModesDeclared tries every declaration of elicitation and sampling in a client's Config:
// the server reads the same from the message, without what the revision lacks, and
// every client that elicits has a mode.
//
// rows: CAP-101 CAP-102 CAP-103 CAP-104 CAP-110
func TestModesDeclared(t *testing.T) { everywhere(t, modesDeclared) }

func modesDeclared(t *testing.T) {
	flags := []protocol.Capability{protocol.CapSamplingTools, protocol.CapSamplingContext, protocol.CapElicitationForm, protocol.CapElicitationURL}
	for i := range 1 << (len(flags) + 2) {
		cfg := client.Config{Info: verbs.Who}
		var want protocol.Capability
		for j, flag := range flags {
			if i>>j&1 != 0 {
				cfg.Declare |= flag
			}
		}
		want = cfg.Declare
		if i>>len(flags)&1 != 0 {
			cfg.Serve, want = append(cfg.Serve, "sampling/createMessage"), want|protocol.CapSampling
		}
		if i>>len(flags)&2 != 0 {
			cfg.Serve, want = append(cfg.Serve, "elicitation/create"), want|protocol.CapElicitation
		}
		if _, err := client.New(cfg, verbs.Epoch); (err != nil) != (want.Wholes()&^want != 0) {
			t.Errorf("%v: %v", cfg.Declare, err)
		} else if err != nil {
			continue
		}
		t.Run(want.String(), func(t *testing.T) {
			c, out := verbs.NewClient(t, cfg).Begin(spoken, "")
			s, _ := verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{spoken}}).Receive(verbs.Lines(out)[0])
			same(t, "the client says", c.Capabilities(), want)
			want &= spoken.Capabilities() // CAP-110
			same(t, "the server reads", s.PeerCapabilities(), want)
			if got := s.PeerCapabilities(); got.Has(protocol.CapElicitation) && !got.Has(protocol.CapElicitationForm) && !got.Has(protocol.CapElicitationURL) {
				t.Error("it elicits in no way") // CAP-104
			}
		})
	}
}

// same expects two sets to have the same capabilities of a client: one that elicits without
// another mode uses forms, declared or not.
func same(t *testing.T, what string, got, want protocol.Capability) {
	t.Helper()
	for c := protocol.Capability(1); c != 0; c <<= 1 {
		has := want&c != 0
		if c == protocol.CapElicitationForm && want&(protocol.CapElicitation|protocol.CapElicitationURL) == protocol.CapElicitation {
			has = true
		}
		if got.Has(c) != has {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
}
