package server_test

import (
	"slices"
	"testing"
	"time"

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

// Only leaves out lists of other kinds, whole, and its catalog is taken by a session that declared
// what is left.
func TestOnly(t *testing.T) {
	object := protocol.Raw(`{"type":"object"}`)
	c, err := server.NewCatalog(server.Items{
		Tools: []protocol.Tool{{Name: "t", InputSchema: object}}, Prompts: []protocol.Prompt{{Name: "p"}},
		Resources: []protocol.Resource{{URI: "x:r", Name: "r"}}, ResourceTemplates: []protocol.ResourceTemplate{{URITemplate: "x:{v}", Name: "v"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []protocol.Capability{protocol.CapTools, protocol.CapPrompts, protocol.CapResources}
	for i, kind := range kinds {
		cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
		var items server.Items
		switch kind {
		case protocol.CapTools:
			items.Tools, cfg.Serve = []protocol.Tool{}, []string{"tools/call"}
		case protocol.CapPrompts:
			items.Prompts, cfg.Serve = []protocol.Prompt{}, []string{"prompts/get"}
		default:
			items.Resources, items.ResourceTemplates, cfg.Serve = []protocol.Resource{}, []protocol.ResourceTemplate{}, []string{"resources/read"}
		}
		if cfg.Catalog, err = server.NewCatalog(items); err != nil {
			t.Fatal(err)
		}
		s, err := server.New(cfg, time.Unix(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.SetCatalog(time.Unix(2, 0), c); err == nil {
			t.Error(kind, "takes all")
		}
		only := c.Only(s.Capabilities())
		if _, _, err := s.SetCatalog(time.Unix(2, 0), only); err != nil {
			t.Error(kind, err)
		}
		if got := only.Offers(); got != kind {
			t.Error(kind, "offers", got)
		}
		if only.Only(kinds[(i+1)%3]).Offers() != 0 || only.Only(kind) != only {
			t.Error(kind, "again")
		}
	}
	if !slices.Contains([]*server.Catalog{nil}, (*server.Catalog)(nil).Only(protocol.CapTools)) || c.Offers() != kinds[0]|kinds[1]|kinds[2] {
		t.Error("the catalog has changed")
	}
}
