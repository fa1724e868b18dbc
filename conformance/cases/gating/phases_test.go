package gating_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	t0      = time.Unix(1000, 0)
	who     = protocol.Implementation{Name: "x", Version: "1"}
	errGone = errors.New("gone")
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	accepted    = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
	refused     = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`
)

func msg(s string) jsonrpc.Message { return jsonrpc.DecodeString(s) }

// step is a transition of a State of either role.
type step[S any] func(S) (S, lifecycle.Output)

// role knows how to bring a State of one role into each phase and how each trigger
// looks in reality.
type role[S any] struct {
	party lifecycle.Party
	fresh func(t *testing.T) S
	phase func(S) lifecycle.Phase
	check func(S) error
	into  map[lifecycle.Phase][]step[S]
	// triggers has the forms of each; a form that the role refuses returns the State as
	// it is and a zero Output.
	triggers map[lifecycle.Trigger][]step[S]
}

func verb[S any](s S, out lifecycle.Output, _ error) (S, lifecycle.Output) { return s, out }

var servers = role[server.State]{
	party: lifecycle.Server,
	fresh: func(t *testing.T) server.State {
		s, err := server.New(server.Config{
			Info: who, Serve: []string{"tools/call"}, Unlisted: true,
			Keepalive: lifecycle.Keepalive{Interval: time.Minute, Misses: 1},
		}, t0)
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
	phase: server.State.Phase,
	check: server.State.Check,
	into: map[lifecycle.Phase][]step[server.State]{
		lifecycle.Initializing: {func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(initialize)) }},
		lifecycle.Ready: {
			func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(initialize)) },
			func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(initialized)) },
		},
		lifecycle.ShuttingDown: {func(s server.State) (server.State, lifecycle.Output) { return s.Shutdown(t0, time.Hour) }},
		lifecycle.Disconnected: {func(s server.State) (server.State, lifecycle.Output) { return s.Disconnected(t0, errGone) }},
		lifecycle.Failed:       {func(s server.State) (server.State, lifecycle.Output) { return s.Abort(t0, errGone) }},
	},
	triggers: map[lifecycle.Trigger][]step[server.State]{
		lifecycle.HandshakeBegun: {func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(initialize)) }},
		lifecycle.HandshakeDone:  {func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(initialized)) }},
		// Nothing a client sends makes the handshake fail for the server.
		lifecycle.HandshakeFailed: {
			func(s server.State) (server.State, lifecycle.Output) {
				return s.Receive(t0, msg(`{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}}`))
			},
			func(s server.State) (server.State, lifecycle.Output) { return s.Receive(t0, msg(refused)) },
		},
		lifecycle.PeerSilent: {func(s server.State) (server.State, lifecycle.Output) {
			s, _, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{Timeout: time.Second})
			if err != nil {
				return s, lifecycle.Output{}
			}
			return s.Tick(t0.Add(time.Second))
		}},
		lifecycle.InputClosed: {func(s server.State) (server.State, lifecycle.Output) { return s.InputClosed(t0) }},
		lifecycle.ShutdownRequested: {
			func(s server.State) (server.State, lifecycle.Output) { return s.Shutdown(t0, 0) },
			func(s server.State) (server.State, lifecycle.Output) { return s.Shutdown(t0, time.Hour) },
		},
		lifecycle.Aborted:         {func(s server.State) (server.State, lifecycle.Output) { return s.Abort(t0, errGone) }},
		lifecycle.TransportClosed: {func(s server.State) (server.State, lifecycle.Output) { return s.Disconnected(t0, nil) }},
		lifecycle.ResetRequested: {func(s server.State) (server.State, lifecycle.Output) {
			s, _ = s.Reset(t0)
			return s, lifecycle.Output{}
		}},
	},
}

var clients = role[client.State]{
	party: lifecycle.Client,
	fresh: func(t *testing.T) client.State {
		s, err := client.New(client.Config{
			Info: who, Require: protocol.CapTools,
			Keepalive: lifecycle.Keepalive{Interval: time.Minute, Misses: 1},
		}, t0)
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
	phase: client.State.Phase,
	check: client.State.Check,
	into: map[lifecycle.Phase][]step[client.State]{
		lifecycle.Initializing: {func(s client.State) (client.State, lifecycle.Output) { return verb(s.Initialize(t0)) }},
		lifecycle.Ready: {
			func(s client.State) (client.State, lifecycle.Output) { return verb(s.Initialize(t0)) },
			func(s client.State) (client.State, lifecycle.Output) { return s.Receive(t0, msg(accepted)) },
		},
		lifecycle.ShuttingDown: {func(s client.State) (client.State, lifecycle.Output) { return s.Shutdown(t0, time.Hour) }},
		lifecycle.Disconnected: {func(s client.State) (client.State, lifecycle.Output) { return s.Disconnected(t0, errGone) }},
		lifecycle.Failed: {
			func(s client.State) (client.State, lifecycle.Output) { return verb(s.Initialize(t0)) },
			func(s client.State) (client.State, lifecycle.Output) { return s.Receive(t0, msg(refused)) },
		},
	},
	triggers: map[lifecycle.Trigger][]step[client.State]{
		lifecycle.HandshakeBegun: {func(s client.State) (client.State, lifecycle.Output) { return verb(s.Initialize(t0)) }},
		lifecycle.HandshakeDone:  {func(s client.State) (client.State, lifecycle.Output) { return s.Receive(t0, msg(accepted)) }},
		lifecycle.HandshakeFailed: {
			func(s client.State) (client.State, lifecycle.Output) { return s.Receive(t0, msg(refused)) },
			func(s client.State) (client.State, lifecycle.Output) {
				return s.Receive(t0, msg(`{"jsonrpc":"2.0","id":1,"result":{}}`))
			},
			func(s client.State) (client.State, lifecycle.Output) {
				return s.Receive(t0, msg(`{"jsonrpc":"2.0","id":1,"result":5}`))
			},
			func(s client.State) (client.State, lifecycle.Output) {
				return s.Receive(t0, msg(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`))
			},
			func(s client.State) (client.State, lifecycle.Output) {
				return s.Receive(t0, msg(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`))
			},
			func(s client.State) (client.State, lifecycle.Output) {
				for r := range s.Outbound() {
					return s.SendFailed(t0, r.Req, errGone)
				}
				return s, lifecycle.Output{}
			},
			func(s client.State) (client.State, lifecycle.Output) {
				if s.Phase() != lifecycle.Initializing {
					return s, lifecycle.Output{}
				}
				return s.Tick(t0.Add(lifecycle.DefaultInitializeTimeout))
			},
		},
		lifecycle.PeerSilent: {func(s client.State) (client.State, lifecycle.Output) {
			s, _, err := s.Request(t0, protocol.PingParams{}, client.RequestOptions{Timeout: time.Second})
			if err != nil {
				return s, lifecycle.Output{}
			}
			return s.Tick(t0.Add(time.Second))
		}},
		lifecycle.InputClosed: {func(s client.State) (client.State, lifecycle.Output) { return s.InputClosed(t0) }},
		lifecycle.ShutdownRequested: {
			func(s client.State) (client.State, lifecycle.Output) { return s.Shutdown(t0, 0) },
			func(s client.State) (client.State, lifecycle.Output) { return s.Shutdown(t0, time.Hour) },
		},
		lifecycle.Aborted:         {func(s client.State) (client.State, lifecycle.Output) { return s.Abort(t0, errGone) }},
		lifecycle.TransportClosed: {func(s client.State) (client.State, lifecycle.Output) { return s.Disconnected(t0, nil) }},
		lifecycle.ResetRequested: {func(s client.State) (client.State, lifecycle.Output) {
			s, _ = s.Reset(t0)
			return s, lifecycle.Output{}
		}},
	},
}

func TestServerTriples(t *testing.T) { servers.walk(t) }

func TestClientTriples(t *testing.T) { clients.walk(t) }

// walk applies every form of every trigger in every phase and compares with the table,
// which the lifecycle package holds against a matrix of its own.
func (r role[S]) walk(t *testing.T) {
	for p := range protocol.PhaseCount {
		from := lifecycle.Phase(p)
		for trigger, forms := range r.triggers {
			for i, form := range forms {
				t.Run(fmt.Sprintf("%v/%v/%d", from, trigger, i), func(t *testing.T) { r.triple(t, from, trigger, form) })
			}
		}
	}
	if len(r.triggers) != lifecycle.TriggerCount {
		t.Errorf("%d triggers have a form, of %d", len(r.triggers), lifecycle.TriggerCount)
	}
}

func (r role[S]) triple(t *testing.T, from lifecycle.Phase, trigger lifecycle.Trigger, form step[S]) {
	s := r.fresh(t)
	for _, f := range r.into[from] {
		s, _ = f(s)
	}
	if r.phase(s) != from {
		t.Fatalf("brought into %v instead", r.phase(s))
	}
	next, out := form(s)
	want, moves := lifecycle.Next(r.party, from, trigger)
	if r.phase(next) != want {
		t.Errorf("now %v, want %v", r.phase(next), want)
	}
	if r.phase(s) != from {
		t.Error("the old State changed")
	}
	if err := r.check(next); err != nil {
		t.Error(err)
	}
	var changes []lifecycle.Event
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.PhaseChanged {
			changes = append(changes, ev)
		}
	}
	// Reset reports by its return alone.
	if moves && trigger != lifecycle.ResetRequested {
		if len(changes) != 1 || changes[0].From != from || changes[0].To != want {
			t.Errorf("phase events %v", changes)
		}
	} else if len(changes) != 0 {
		t.Errorf("phase events %v", changes)
	}
	if !from.Live() && (len(out.Send) != 0 || len(out.Events) != 0 || out.Close != nil) {
		t.Errorf("something came out of %v: %+v", from, out)
	}
	switch want {
	case lifecycle.Failed:
		if moves && out.Close == nil {
			t.Error("no close action")
		}
	case lifecycle.Ready, lifecycle.Initializing:
		if out.Close != nil {
			t.Error("a close action")
		}
	}
}
