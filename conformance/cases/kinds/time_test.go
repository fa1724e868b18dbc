package kinds_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// Each verb records the time: a later step at the zero time, or at an earlier one, counts
// from the latest time seen. A verb with the zero time acts as at the latest. Each is
// one step of a machine that counts them.
func TestTimeAsAnArgument(t *testing.T) {
	each(t, func(t *testing.T, m machine) {
		verbs := m.list()
		for name := range m.verbs {
			if !slices.Contains(verbs, name) {
				t.Errorf("%s is in the table, and not a verb that takes the time", name)
			}
		}
		later := m.now.Add(time.Hour)
		for _, verb := range verbs {
			with, ok := m.verbs[verb]
			if !ok {
				t.Errorf("%s takes the time, and is not in the table", verb)
				continue
			}
			if slices.Contains(m.origin, verb) {
				continue
			}
			of := m.begin(verb)
			// An hour later, and then at the zero time and at one long ago.
			first, _, err := call(of, verb, later, with)
			if err != nil {
				t.Errorf("%s: %v", verb, err)
				continue
			}
			steps := uint64(1)
			if slices.Contains(m.two, verb) {
				steps = 2
			}
			if s, ok := of[0].(counted); ok && first[0].(counted).Step() != s.Step()+steps {
				t.Errorf("%s leads from step %d to %d", verb, s.Step(), first[0].(counted).Step())
			}
			want := m.tick(first, later, later)
			for _, at := range m.times() {
				if slices.Contains(m.idle, verb) {
					break
				}
				got := m.tick(first, at, later)
				if !slices.Equal(dues(got), dues(want)) || !reflect.DeepEqual(got, want) {
					t.Errorf("%s does not take the time in: after it a tick at %v gives %v, want %v", verb, at, dues(got), dues(want))
				}
			}
			for _, o := range got(want[0]) {
				if o.Before(later) {
					t.Errorf("%s: the next deadline is %v, and it was %v", verb, o, later)
				}
			}
			if err := check(want); err != nil {
				t.Errorf("%s: %v", verb, err)
			}
			// After an idle hour the zero time is that hour.
			idle := m.tick(of, later, later)
			want, out, err := call(idle, verb, later, with)
			for _, at := range m.times() {
				got, said, failed := call(idle, verb, at, with)
				if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(said, out) || (failed == nil) != (err == nil) {
					t.Errorf("%s at %v: %v, %v, want %v, %v", verb, at, dues(got), failed, dues(want), err)
				}
			}
		}
	})
}

// counted is a machine that counts its transitions.
type counted interface{ Step() uint64 }

// times are those that count as the latest seen.
func (m *machine) times() []time.Time {
	if m.back {
		return []time.Time{{}}
	}
	return []time.Time{{}, m.now}
}

// got returns the deadline of a machine.
func got(o any) (list []time.Time) {
	if d, ok := o.(interface{ NextDeadline() (time.Time, bool) }); ok {
		if at, some := d.NextDeadline(); some {
			list = append(list, at)
		}
	}
	return list
}

// Every constructor refuses the zero time, from which no deadline counts. An Executor begins
// at its first time.
func TestZeroOrigin(t *testing.T) {
	s, c := serverRow(t).of[0].(server.State), clientRow(t).of[0].(client.State)
	for name, begin := range map[string]func(now time.Time) error{
		"server.New":        func(now time.Time) error { _, err := server.New(serverConfig(), now); return err },
		"server.NewSession": func(now time.Time) error { _, err := s.NewSession(now); return err },
		"client.New":        func(now time.Time) error { _, err := client.New(clientConfig(), now); return err },
		"client.NewSession": func(now time.Time) error { _, err := c.NewSession(now); return err },
		"manager.New":       func(now time.Time) error { _, err := manager.New(managerConfig(), now); return err },
		"catalog.New":       func(now time.Time) error { _, err := catalog.New(catalogConfig(), now); return err },
		"relay.New":         func(now time.Time) error { _, err := relay.New(relayConfig(), relayServers(), now); return err },
	} {
		if err := begin(verbs.Epoch); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := begin(time.Time{}); err == nil {
			t.Errorf("%s takes the zero time", name)
		}
	}
}

// Handlers.Receive records the time by a path of its own.
func TestTimeOfHandlers(t *testing.T) {
	later := serverRow(t).now.Add(time.Hour)
	var h server.Handlers
	s, _ := h.Receive(serverRow(t).of[0].(server.State), later, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"e","method":"ping"}`))
	want, _ := h.Handle(serverRow(t).of[0].(server.State).Receive(later, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"e","method":"ping"}`)))
	if got, want := string(s.Snapshot()), string(want.Snapshot()); got != want {
		t.Errorf("Handlers.Receive: %s, want %s", got, want)
	}
}
