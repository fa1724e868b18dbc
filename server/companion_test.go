package server_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// counter is a machine that counts its steps, and wants one a second later.
type counter struct {
	steps int
	last  time.Time
	own   *server.Handlers
}

func (c counter) Step(s server.State, now time.Time, out server.Output) (counter, server.State, server.Output) {
	c.steps++
	c.last = now
	out.Events = append(out.Events, server.Event{Body: protocol.Raw("1")[:min(c.steps, 1)]})
	return c, s, out
}

func (c counter) NextDeadline() (time.Time, bool) { return c.last.Add(time.Second), c.steps < 3 }

func (c counter) Handlers() *server.Handlers { return c.own }

// What a Step comes to counts from Commit on: a turn that was not stored leaves no trace.
func TestKeep(t *testing.T) {
	own := new(server.Handlers)
	var s server.State
	c := server.Keep(counter{own: own})
	if c.Handlers() != own {
		t.Error("other handlers")
	}
	step := func(now time.Time) time.Time {
		_, out, wake := c.Step(s, now, server.Output{})
		if len(out.Events) != 1 {
			t.Errorf("%d events", len(out.Events))
		}
		return wake
	}
	t0 := time.Unix(1000, 0)
	for range 5 { // none of which is stored
		if wake := step(t0); !wake.Equal(t0.Add(time.Second)) {
			t.Error("wakes", wake)
		}
	}
	c.Commit()
	c.Commit() // changes nothing
	step(t0)
	c.Commit()
	if wake := step(t0); !wake.IsZero() {
		t.Error("the third step wants another one at", wake)
	}
	if plain := server.Keep(silent{}); plain.Handlers() != nil {
		t.Error("handlers of a machine without")
	}
}

type silent struct{}

func (silent) Step(s server.State, _ time.Time, out server.Output) (silent, server.State, server.Output) {
	return silent{}, s, out
}

// NextDeadline has none, whatever time it names.
func (silent) NextDeadline() (time.Time, bool) { return time.Unix(5, 0), false }

func TestKeepWithoutDeadline(t *testing.T) {
	if _, _, wake := server.Keep(silent{}).Step(server.State{}, time.Unix(1, 0), server.Output{}); !wake.IsZero() {
		t.Error("wakes", wake)
	}
}

// Offer leaves out the kinds of lists that the session has not declared, whole, and offers nothing
// of Handlers that are nil or have no catalog.
func TestOffer(t *testing.T) {
	object := protocol.Raw(`{"type":"object"}`)
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: object}, nil)
	h.Prompt(protocol.Prompt{Name: "p"}, nil)
	h.Resource(protocol.Resource{URI: "x:r", Name: "r"}, nil)
	h.Template(protocol.ResourceTemplate{URITemplate: "x:{v}", Name: "v"}, nil)
	broken := new(server.Handlers)
	broken.Tool(protocol.Tool{Name: "t", InputSchema: "{"}, nil)
	lists := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	for what, kind := range map[string]protocol.Capability{"tools": protocol.CapTools, "prompts": protocol.CapPrompts, "resources": protocol.CapResources} {
		own := new(server.Handlers)
		own.Offer(kind)
		catalog, err := own.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		serve := map[string]string{"tools": "tools/call", "prompts": "prompts/get", "resources": "resources/read"}[what]
		cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: []string{serve}}
		s := verbs.NewServer(t, cfg).Open(protocol.Revision20250618, "{}").Server()
		all, err := h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.SetCatalog(verbs.Epoch, all); !errors.Is(err, lifecycle.ErrCapability) {
			t.Error(what, "takes all:", err)
		}
		for name, from := range map[string]*server.Handlers{"some": h, "nil": nil, "broken": broken} {
			offered, _, err := s.Offer(verbs.Epoch, from)
			if err != nil {
				t.Fatal(what, name, err)
			}
			if again, _, err := offered.Offer(verbs.Epoch, from); err != nil || again.Check() != nil {
				t.Error(what, name, err, again.Check())
			}
			for _, list := range lists {
				_, out := offered.Receive(verbs.Epoch, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"`+list+`"}`))
				text := strings.Join(verbs.Lines(out), "")
				if is := strings.HasPrefix(list, what); is != strings.Contains(text, `"result"`) || (is && name == "some") != strings.Contains(text, `"name"`) {
					t.Errorf("%s, %s: %s is %s", what, name, list, text)
				}
			}
		}
	}
	if c, err := h.Catalog(); err != nil || c.Offers() != protocol.CapTools|protocol.CapPrompts|protocol.CapResources {
		t.Error("the catalog has changed")
	}
	if _, _, err := (server.State{}).Offer(verbs.Epoch, h); !errors.Is(err, lifecycle.ErrPhase) {
		t.Error(err)
	}
}
