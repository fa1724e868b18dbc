package registry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/registry"
)

// Each setting has a default for zero, lifecycle.NoTimeout where it is a time, and one error for a
// wrong value, which names the field, the value and the range.
func TestSettings(t *testing.T) {
	const never, brief = lifecycle.NoTimeout, 3 * time.Second
	for _, c := range []struct {
		name             string
		group, own, user time.Duration // Definition.Timeout, Tool.Timeout, Timeouts["t"]
		enabled          registry.Switch
		want             time.Duration
		text             string
	}{
		{name: "default", want: 30 * time.Second},
		{name: "of the group", group: brief, want: brief},
		{name: "of the tool", group: time.Hour, own: brief, want: brief},
		{name: "by name", group: time.Hour, own: time.Minute, user: brief, want: brief},
		{name: "none of the group", group: never, want: never},
		{name: "none of the tool", group: brief, own: never, want: never},
		{name: "none by name", group: brief, own: brief, user: never, want: never},
		{name: "some in a group with none", group: never, own: brief, want: brief},
		{name: "group", group: -7 * time.Second, text: `registry: invalid definition: group "g": Timeout is -7s: want positive, 0 for 30s, or NoTimeout`},
		{name: "tool", group: brief, own: -2, text: `registry: invalid definition: group "g": Tools[0].Timeout is -2ns: want positive, 0 for 3s, or NoTimeout`},
		{name: "name", user: -2, text: `registry: invalid definition: group "g": Timeouts["t"] is -2ns: want positive, 0 for 30s, or NoTimeout`},
		{name: "switch", enabled: 3, text: `registry: invalid definition: group "g": Enabled is 3: want 0 to 2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := registry.Definition{Name: "g", Timeout: c.group, Enabled: c.enabled, Tools: []registry.Tool{{Tool: protocol.Tool{Name: "t"}, Func: says("x"), Timeout: c.own}}}
			if c.user != 0 {
				d.Timeouts = map[string]time.Duration{"t": c.user}
			}
			s, err := registry.NewGroup(d)
			var config *lifecycle.ConfigError
			switch {
			case c.text != "":
				if err == nil || err.Error() != c.text || !errors.As(err, &config) || config.Package != "registry" || !errors.Is(err, registry.ErrInvalid) || !errors.Is(err, lifecycle.ErrConfig) {
					t.Errorf("got %v, want %s", err, c.text)
				}
			case err != nil:
				t.Error(err)
			default:
				if ref, _ := s.View().Lookup("t"); ref.Timeout != c.want {
					t.Error(ref.Timeout)
				}
			}
		})
	}
}
