package gating_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// facts decide the effects of a trigger, together with the phase.
type facts struct {
	phase  lifecycle.Phase
	in     int  // open requests of the peer
	out    int  // our open requests, including initialize
	hello  bool // initialize is one of them
	closed bool // the close action was returned
	cause  *lifecycle.Cause
}

func (f facts) dead() bool { return !f.phase.Live() }

// deaf: incoming messages are dropped.
func (f facts) deaf() bool { return f.dead() || f.closed }

func (f facts) pings() []string {
	return slices.Repeat([]string{"notifications/cancelled"}, f.out-f.one())
}

func (f facts) one() int {
	if f.hello {
		return 1
	}
	return 0
}

// effects are the effects of a trigger, stated from the papers: lifecycle page, design
// sections 6 and 8, rows LIFE-*.
type effects struct {
	sends  []string            // methods, result, or error and its code
	failed int                 // requests of ours that fail
	lost   int                 // requests of the peer that are lost
	closes lifecycle.CauseKind // the close action, CauseNone for none
	err    error               // of the verb
}

// form is a trigger in one of its forms.
type form struct {
	name    string
	trigger lifecycle.Trigger
	roles   protocol.Party
	do      func(verbs.Side) (verbs.Side, lifecycle.Output, error)
	want    func(facts) effects
}

// failure is a way in which the answer to initialize fails the handshake.
type failure struct {
	name  string
	line  func(verbs.Side) string
	cause lifecycle.CauseKind
}

// helloID is the id of initialize while it is open. In another phase it matches
// nothing.
func helloID(x verbs.Side) string {
	if x.Role == protocol.Client {
		for r := range x.Outbound() {
			if r.Method == "initialize" {
				return r.ID.String()
			}
		}
	}
	return "999"
}

func answer(format string) func(verbs.Side) string {
	return func(x verbs.Side) string { return fmt.Sprintf(format, helloID(x)) }
}

var handshakeFailures = []failure{
	{"an error", func(x verbs.Side) string {
		if x.Role == protocol.Server { // a client's mistake is refused and can be corrected
			return `{"jsonrpc":"2.0","id":"bad","method":"initialize","params":{"protocolVersion":1}}`
		}
		return answer(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`)(x)
	}, lifecycle.CauseRefused},
	{"an empty result", answer(`{"jsonrpc":"2.0","id":%s,"result":{}}`), lifecycle.CauseInvalidResponse},
	{"a result that is no object", answer(`{"jsonrpc":"2.0","id":%s,"result":5}`), lifecycle.CauseInvalidResponse},
	{"neither result nor error", answer(`{"jsonrpc":"2.0","id":%s}`), lifecycle.CauseInvalidResponse},
	{"both", answer(`{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"x"}}`), lifecycle.CauseInvalidResponse},
	{"no jsonrpc member", answer(`{"id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`), lifecycle.CauseInvalidResponse},
	{"bad capabilities", answer(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":1},"serverInfo":{"name":"s","version":"1"}}}`), lifecycle.CauseInvalidResponse},
	{"an unsupported version", answer(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`), lifecycle.CauseUnsupportedRevision},
	{"a capability missing", answer(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`), lifecycle.CauseMissingCapability},
}

func line(text func(verbs.Side) string) func(verbs.Side) (verbs.Side, lifecycle.Output, error) {
	return func(x verbs.Side) (verbs.Side, lifecycle.Output, error) {
		x, out := x.Receive(text(x))
		return x, out, nil
	}
}

func fixed(text string) func(verbs.Side) string { return func(verbs.Side) string { return text } }

func does(v verbs.Verb) func(verbs.Side) (verbs.Side, lifecycle.Output, error) {
	return func(x verbs.Side) (verbs.Side, lifecycle.Output, error) { return x.Do(v) }
}

func verbed(do func(verbs.Side) (verbs.Side, lifecycle.Output)) func(verbs.Side) (verbs.Side, lifecycle.Output, error) {
	return func(x verbs.Side) (verbs.Side, lifecycle.Output, error) {
		x, out := do(x)
		return x, out, nil
	}
}

// settles: the answer to initialize that arrives while shutting down ends that request,
// and the session if nothing else is open.
func settles(f facts, good bool) effects {
	if f.deaf() || !f.hello {
		return effects{}
	}
	var e effects
	if f.in == 0 && f.out == 1 {
		e.closes = f.cause.Kind
	}
	if !good {
		e.failed = 1
	}
	return e
}

func forms() []form {
	list := []form{
		{"Initialize", lifecycle.HandshakeBegun, protocol.Client, does(verbs.Verb{Op: verbs.OpInitialize}), func(f facts) effects {
			if f.phase == lifecycle.Uninitialized {
				return effects{sends: []string{"initialize"}}
			}
			return effects{err: lifecycle.ErrPhase}
		}},
		{"initialize comes in", lifecycle.HandshakeBegun, protocol.Server, line(fixed(verbs.InitializeLine("2025-06-18", "{}"))), func(f facts) effects {
			switch {
			case f.deaf():
				return effects{}
			case f.phase == lifecycle.Uninitialized:
				return effects{sends: []string{"result"}}
			}
			return effects{sends: []string{"error -32600"}}
		}},
		{"initialized comes in", lifecycle.HandshakeDone, protocol.Server, line(fixed(verbs.Initialized)), func(facts) effects { return effects{} }},
		{"the result comes in", lifecycle.HandshakeDone, protocol.Client, line(answer(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)), func(f facts) effects {
			if f.phase == lifecycle.Initializing {
				return effects{sends: []string{"notifications/initialized"}}
			}
			return settles(f, true)
		}},
		{"a bad initialize comes in", lifecycle.HandshakeFailed, protocol.Server, line(handshakeFailures[0].line), func(f facts) effects {
			switch {
			case f.deaf():
				return effects{}
			case f.phase == lifecycle.Uninitialized:
				return effects{sends: []string{"error -32602"}}
			}
			return effects{sends: []string{"error -32600"}}
		}},
		{"initialize was not sent", lifecycle.HandshakeFailed, protocol.Client, verbed(func(x verbs.Side) (verbs.Side, lifecycle.Output) {
			for r := range x.Outbound() {
				if r.Method == "initialize" {
					return x.SendFailed(r.Req, errGone)
				}
			}
			return x.SendFailed(lifecycle.Req{}, errGone)
		}), func(f facts) effects {
			if f.phase == lifecycle.Initializing {
				return effects{failed: f.out, closes: lifecycle.CauseNotSent}
			}
			return settles(f, false)
		}},
		{"initialize times out", lifecycle.HandshakeFailed, protocol.Client, verbed(func(x verbs.Side) (verbs.Side, lifecycle.Output) {
			for r := range x.Outbound() { // all others go first
				if r.Method != "initialize" {
					x, _, _ = x.Cancel(r.Req, "")
				}
			}
			if helloID(x) == "999" {
				return x.Tick(0)
			}
			return x.Tick(5 * time.Minute)
		}), func(f facts) effects {
			switch {
			case f.phase == lifecycle.Initializing:
				return effects{failed: 1, closes: lifecycle.CauseTimedOut}
			case f.hello && f.in == 0:
				return effects{failed: 1, closes: f.cause.Kind}
			}
			return effects{}
		}},
		{"a ping is not answered", lifecycle.PeerSilent, protocol.BothParties, func(x verbs.Side) (verbs.Side, lifecycle.Output, error) {
			x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: time.Second})
			if err != nil {
				return x, out, err
			}
			x, out = x.Tick(time.Second)
			return x, out, nil
		}, func(f facts) effects {
			switch {
			case f.deaf() || f.phase == lifecycle.Uninitialized,
				f.cause != nil && f.cause.Kind == lifecycle.CauseInputClosed: // it could not be answered
				return effects{err: lifecycle.ErrPhase}
			case f.phase == lifecycle.ShuttingDown:
				return effects{sends: []string{"notifications/cancelled"}, failed: 1}
			}
			return effects{
				sends: append(f.pings(), "notifications/cancelled"), failed: f.out + 1, lost: f.in, closes: lifecycle.CausePeerSilent,
			}
		}},
		{"InputClosed", lifecycle.InputClosed, protocol.BothParties, does(verbs.Verb{Op: verbs.OpInputClosed}), func(f facts) effects {
			e := effects{failed: f.out}
			if f.in == 0 && !f.deaf() {
				e.closes = lifecycle.CauseInputClosed
				if f.phase == lifecycle.ShuttingDown {
					e.closes = f.cause.Kind
				}
			}
			return e
		}},
		{"Shutdown at once", lifecycle.ShutdownRequested, protocol.BothParties, does(verbs.Verb{Op: verbs.OpShutdown}), func(f facts) effects {
			if f.deaf() {
				return effects{}
			}
			e := effects{sends: f.pings(), failed: f.out, lost: f.in, closes: lifecycle.CauseShutdown}
			if f.phase == lifecycle.ShuttingDown {
				e.closes = f.cause.Kind
			}
			return e
		}},
		{"Shutdown with grace", lifecycle.ShutdownRequested, protocol.BothParties, does(verbs.Verb{Op: verbs.OpShutdown, Grace: time.Minute}), func(f facts) effects {
			if f.deaf() || f.in+f.out > 0 {
				return effects{}
			}
			return effects{closes: lifecycle.CauseShutdown}
		}},
		{"Abort", lifecycle.Aborted, protocol.BothParties, does(verbs.Verb{Op: verbs.OpAbort, Cause: errGone}), func(f facts) effects {
			if f.deaf() {
				return effects{}
			}
			return effects{failed: f.out, lost: f.in, closes: lifecycle.CauseAborted}
		}},
		{"Disconnected", lifecycle.TransportClosed, protocol.BothParties, does(verbs.Verb{Op: verbs.OpDisconnected, Cause: errGone}), func(f facts) effects { return effects{failed: f.out, lost: f.in} }},
		{"Reset", lifecycle.ResetRequested, protocol.BothParties, func(x verbs.Side) (verbs.Side, lifecycle.Output, error) {
			x, err := x.Reset()
			return x, lifecycle.Output{}, err
		}, func(f facts) effects {
			if f.dead() {
				return effects{}
			}
			return effects{err: lifecycle.ErrPhase}
		}},
	}
	for _, h := range handshakeFailures {
		list = append(list, form{"answered with " + h.name, lifecycle.HandshakeFailed, protocol.Client, line(h.line), func(f facts) effects {
			if f.phase != lifecycle.Initializing {
				return settles(f, h.cause != lifecycle.CauseInvalidResponse)
			}
			e := effects{failed: f.out, closes: h.cause}
			if h.cause != lifecycle.CauseInvalidResponse { // a well-formed answer with invalid content
				e.failed--
			}
			return e
		}})
	}
	return list
}

// Every form of every trigger, in every phase however it was reached: the phase is that
// of the table, PhaseChanged occurs exactly when it changes, and what is sent, what ends
// and whether the close action is returned is as stated.
func TestEffects(t *testing.T) {
	for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
		reached, triggers := map[lifecycle.Phase]int{}, map[lifecycle.Trigger]bool{}
		for _, w := range slices.Concat(ways, roleWays[role]) {
			x := w.walk(newSide(t, role))
			if x.Phase() != w.phase {
				t.Fatalf("%v, %s: in %v, want %v", role, w.name, x.Phase(), w.phase)
			}
			reached[w.phase]++
			for _, f := range forms() {
				if f.roles.Has(role) {
					triggers[f.trigger] = true
					t.Run(strings.Join([]string{role.String(), w.phase.String(), w.name, f.name}, "/"), func(t *testing.T) {
						f.apply(t, x.On(t))
					})
				}
			}
		}
		if len(triggers) != lifecycle.TriggerCount {
			t.Errorf("%v: %d triggers have a form, of %d", role, len(triggers), lifecycle.TriggerCount)
		}
		for p := range protocol.PhaseCount {
			if n := reached[lifecycle.Phase(p)]; n < 3 {
				t.Errorf("%v: %d ways into %v", role, n, lifecycle.Phase(p))
			}
		}
	}
}

func (f form) apply(t *testing.T, x verbs.Side) {
	st := x.Status()
	had := facts{
		phase: st.Phase, in: st.Inbound, out: st.Outbound, hello: helloID(x) != "999", cause: st.Cause,
		closed: st.Phase == lifecycle.ShuttingDown && st.Inbound+st.Outbound == 0,
	}
	next, out, err := f.do(x)
	want, moves := lifecycle.Next(x.Role, had.phase, f.trigger)
	if next.Phase() != want {
		t.Errorf("now %v, want %v", next.Phase(), want)
	}
	changes := verbs.Events(out, lifecycle.PhaseChanged)
	if expect := moves && f.trigger != lifecycle.ResetRequested; expect != (len(changes) == 1) || len(changes) > 1 {
		t.Errorf("%d events of a phase change, but it moves: %v", len(changes), moves)
	}
	e := f.want(had)
	if !errors.Is(err, e.err) || e.err == nil && err != nil {
		t.Errorf("error %v, want %v", err, e.err)
	}
	got := effects{sends: sends(out), failed: len(verbs.Events(out, lifecycle.RequestFailed)), lost: len(verbs.Events(out, lifecycle.RequestLost)), err: e.err}
	if out.Close != nil {
		got.closes = out.Close.Kind
	}
	if diff := cmp.Diff(e, got, cmp.AllowUnexported(effects{}), cmpopts.EquateEmpty(), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("%+v\n(-want +got)\n%s", had, diff)
	}
	after := next.Status()
	if !after.Phase.Live() && after.Inbound+after.Outbound != 0 {
		t.Error("something is open in a phase without messages")
	}
	switch after.Phase {
	case lifecycle.ShuttingDown, lifecycle.Disconnected, lifecycle.Failed:
		if after.Cause == nil {
			t.Error("no cause is kept")
		}
	default:
		if after.Cause != nil {
			t.Errorf("cause %v in %v", after.Cause, after.Phase)
		}
	}
	if had.dead() && len(out.Events) != 0 {
		t.Errorf("events of a dead session: %s", verbs.Kinds(out))
	}
}

// sends returns the messages to send in short.
func sends(out lifecycle.Output) (list []string) {
	for _, o := range out.Send {
		switch m := o.Message; {
		case m.Err != nil:
			list = append(list, fmt.Sprint("error ", m.Err.Code))
		case m.Method != "":
			list = append(list, m.Method)
		default:
			list = append(list, "result")
		}
	}
	return list
}
