package client_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var oldForm = regexp.MustCompile(`"key":"[^"]*","declared":"[^"]*",`)

// A session is not restored under another HashKey, nor under a Config that promises less than what
// was negotiated, from its first message on. A snapshot that does not say what it needs is restored
// as ever.
func TestRestoreHoldsToPromises(t *testing.T) {
	full := client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, HashKey: [16]byte{1}, Roots: []protocol.Root{}, RootsListChanged: true,
		Serve: []string{protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate},
	}
	fresh, err := client.New(full, t0)
	if err != nil {
		t.Fatal(err)
	}
	opening, _, err := fresh.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	over, _ := opening.Disconnected(t0, nil)
	for name, tt := range map[string]struct {
		edit  func(*client.Config)
		lacks string
	}{
		"the same":     {func(*client.Config) {}, ""},
		"more":         {func(c *client.Config) { c.Declare = protocol.CapElicitationURL }, ""},
		"another key":  {func(c *client.Config) { c.HashKey = [16]byte{2} }, "the Config has another HashKey"},
		"no key":       {func(c *client.Config) { c.HashKey = [16]byte{} }, "the Config has another HashKey"},
		"no roots":     {func(c *client.Config) { c.Roots, c.RootsListChanged = nil, false }, "was negotiated: roots,roots.listChanged"},
		"fixed roots":  {func(c *client.Config) { c.RootsListChanged = false }, "was negotiated: roots.listChanged"},
		"no sampling":  {func(c *client.Config) { c.Serve = c.Serve[1:] }, "was negotiated: sampling"},
		"no questions": {func(c *client.Config) { c.Serve = c.Serve[:1] }, "was negotiated: elicitation"},
	} {
		cfg := full
		tt.edit(&cfg)
		for state, s := range map[string]client.State{"fresh": fresh, "opening": opening, "over": over} {
			_, err := client.Restore(cfg, s.Snapshot(), t0)
			if lacks := tt.lacks; lacks == "" || state == "over" {
				if err != nil {
					t.Errorf("%s, %s: %v", name, state, err)
				}
			} else if !errors.Is(err, lifecycle.ErrSnapshot) || !strings.Contains(err.Error(), lacks) {
				t.Errorf("%s, %s: %v, want %s", name, state, err, lacks)
			}
			if _, err := client.Restore(cfg, oldForm.ReplaceAll(s.Snapshot(), nil), t0); err != nil {
				t.Errorf("%s, %s, the old form: %v", name, state, err)
			}
		}
	}
}
