package verbs

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Epoch is the start time of every Side.
var Epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Who is the info of the tested program.
var Who = protocol.Implementation{Name: "tested", Version: "1"}

// Side is one end of a session. Make one with NewServer or NewClient.
type Side struct {
	Machine
	T      testing.TB     // receives failures
	Role   protocol.Party // whose end it is
	Now    time.Time      // the time of the next step
	closed bool
}

// NewServer returns a new server. Config.Info may be absent. Without a Catalog
// it passes every name to the application.
func NewServer(t testing.TB, cfg server.Config) Side {
	t.Helper()
	cfg.Unlisted = cfg.Unlisted || cfg.Catalog == nil
	if cfg.Info.Name == "" {
		cfg.Info = Who
	}
	return fresh(t, Config{Party: lifecycle.Server, Server: cfg})
}

// NewClient returns a new client. Config.Info may be absent.
func NewClient(t testing.TB, cfg client.Config) Side {
	t.Helper()
	if cfg.Info.Name == "" {
		cfg.Info = Who
	}
	return fresh(t, Config{Party: lifecycle.Client, Client: cfg})
}

func fresh(t testing.TB, cfg Config) Side {
	t.Helper()
	m, err := cfg.New(Epoch)
	if err != nil {
		t.Fatal(err)
	}
	return Side{Machine: m, T: t, Role: cfg.Party, Now: Epoch}
}

// Server returns the server's State.
func (x Side) Server() server.State { return ServerState(x.Machine) }

// Client returns the client's State.
func (x Side) Client() client.State { return ClientState(x.Machine) }

// On returns x with its failures reported to t.
func (x Side) On(t testing.TB) Side {
	x.T = t
	return x
}

// After returns x at a later time.
func (x Side) After(d time.Duration) Side {
	x.Now = x.Now.Add(d)
	return x
}

// step checks a transition to next.
func (x Side) step(what string, next Machine, out lifecycle.Output) (Side, lifecycle.Output) {
	x.T.Helper()
	if err := next.Check(); err != nil {
		x.T.Errorf("%v, %s: %v", x.Role, what, err)
	}
	phase, changes := x.Phase(), 0
	for _, ev := range out.Events {
		if ev.Kind != lifecycle.PhaseChanged {
			continue
		}
		changes++
		if ev.From != phase || ev.To == phase {
			x.T.Errorf("%v, %s: phase changed from %v to %v in %v", x.Role, what, ev.From, ev.To, phase)
		}
		phase = ev.To
	}
	if phase != next.Phase() || next.Status().Phase != phase {
		x.T.Errorf("%v, %s: the phase is %v, but the events end in %v", x.Role, what, next.Phase(), phase)
	}
	if (!x.Phase().Live() || x.closed) && (len(out.Send) > 0 || out.Close != nil) {
		x.T.Errorf("%v, %s: sends %q, close %v in %v, closed %v", x.Role, what, Lines(out), out.Close, x.Phase(), x.closed)
	}
	x.Machine = next
	x.closed = x.closed || out.Close != nil
	if _, due := next.NextDeadline(); due && (x.closed || !phase.Live()) {
		x.T.Errorf("%v, %s: something is due in %v, closed %v", x.Role, what, phase, x.closed)
	}
	return x, out
}

// Do does a verb that may fail.
func (x Side) Do(v Verb) (Side, lifecycle.Output, error) {
	x.T.Helper()
	next, out, err := x.Machine.Do(x.Now, v)
	if err != nil && (!out.IsZero() || next != x.Machine) {
		x.T.Errorf("%v, %v: %v, but something has changed or goes out: %+v", x.Role, v.Op, err, out)
	}
	x, out = x.step(v.Op.String()+" "+strings.Join(v.Said, " "), next, out)
	return x, out, err
}

// sure does a verb that cannot fail.
func (x Side) sure(v Verb) (Side, lifecycle.Output) {
	x.T.Helper()
	x, out, _ := x.Do(v)
	return x, out
}

// Feed receives one message after the other and returns the Output of the last.
func (x Side) Feed(lines ...string) (Side, lifecycle.Output) {
	x.T.Helper()
	var out lifecycle.Output
	for _, l := range lines {
		x, out = x.Receive(l)
	}
	return x, out
}

// Lines returns the messages to send as they are on the wire.
func Lines(out lifecycle.Output) []string {
	list := []string{}
	for _, o := range out.Send {
		list = append(list, string(jsonrpc.Append(nil, o.Message)))
	}
	return list
}

// Events returns the events of one kind.
func Events(out lifecycle.Output, kind lifecycle.EventKind) (list []lifecycle.Event) {
	for _, ev := range out.Events {
		if ev.Kind == kind {
			list = append(list, ev)
		}
	}
	return list
}

// Kinds returns the kinds of the events, joined by commas.
func Kinds(out lifecycle.Output) string {
	s := ""
	for i, ev := range out.Events {
		if i > 0 {
			s += ", "
		}
		s += ev.Kind.String()
	}
	return s
}

// With returns x with a State that the caller got by a verb that Side lacks: a
// Machine, a server.State or a client.State.
func (x Side) With(s interface{ Check() error }) Side {
	x.T.Helper()
	if err := s.Check(); err != nil {
		x.T.Error(err)
	}
	switch s := s.(type) {
	case Machine:
		x.Machine = s
	default:
		x.Machine = Machine{s.(View)}
	}
	return x
}
