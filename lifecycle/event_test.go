package lifecycle_test

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var (
	rpc   = &jsonrpc.Error{Code: 7, Message: "of the peer"}
	cause = &lifecycle.Cause{Kind: lifecycle.CauseTimedOut, Reason: "slow", Err: io.EOF}
	call  = lifecycle.MakeCall(nil, 1, 2)
)

// Failure is why a request of ours did not succeed, and an untyped nil where it did or
// where the event is about something else.
func TestFailure(t *testing.T) {
	for _, tt := range []struct {
		ev   lifecycle.Event
		want error
	}{
		{lifecycle.Event{Kind: lifecycle.ResponseReceived, Body: "{}"}, nil},
		{lifecycle.Event{Kind: lifecycle.ResponseReceived, Err: rpc}, rpc},
		{lifecycle.Event{Kind: lifecycle.RequestFailed, Cause: cause}, cause},
		{lifecycle.Event{Kind: lifecycle.RequestFailed}, nil},
		{lifecycle.Event{Kind: lifecycle.Violation, Err: rpc}, nil},
		{lifecycle.Event{Kind: lifecycle.PhaseChanged, Cause: cause}, nil},
	} {
		if got := tt.ev.Failure(); got != tt.want { //nolint:errorlint // the very same
			t.Errorf("%v: %v, want %v", tt.ev, got, tt.want)
		}
	}
}

// What a relay answers: the result or the error of the other side as it is, and -32603
// where there was no answer.
func TestAnswer(t *testing.T) {
	for _, ev := range []lifecycle.Event{
		{Kind: lifecycle.ResponseReceived, Body: `{"a":1}`},
		{Kind: lifecycle.ResponseReceived, Err: rpc},
		{Kind: lifecycle.RequestFailed, Cause: cause},
		{Kind: lifecycle.RequestFailed, Cause: cause, Err: rpc},
	} {
		a := ev.Answer(call)
		if a.Call != call || (a.Result == nil) == (a.Err == nil) {
			t.Fatalf("%+v gives %+v", ev, a)
		}
		switch {
		case ev.Err != nil:
			if a.Err != ev.Err {
				t.Errorf("%+v gives %v", ev, a.Err)
			}
		case ev.Kind == lifecycle.RequestFailed:
			if a.Err == nil || a.Err.Code != jsonrpc.CodeInternalError || strings.Contains(a.Err.Message, cause.Reason) {
				t.Errorf("%+v gives %v", ev, a.Err)
			}
		case a.Result != protocol.Result(ev.Body):
			t.Errorf("%+v gives %v", ev, a.Result)
		}
	}
}

// Where there is nothing to pass on, the answer has a name, and it is that of a request that
// failed without one.
func TestNoAnswer(t *testing.T) {
	a := lifecycle.NoAnswer(call)
	if a.Call != call || a.Result != nil || a.Err == nil || a.Err.Code != jsonrpc.CodeInternalError || len(a.Err.Data) != 0 {
		t.Fatalf("%+v", a)
	}
	for _, ev := range []lifecycle.Event{{}, {Kind: lifecycle.RequestFailed}, {Kind: lifecycle.RequestFailed, Cause: cause}} {
		if got := ev.Answer(call); got.Call != a.Call || got.Result != nil || got.Err == nil || *got.Err != *a.Err {
			t.Errorf("%+v gives %+v", ev, got)
		}
	}
	if a.Err == lifecycle.NoAnswer(call).Err {
		t.Error("two answers share an error that the caller may change")
	}
}

// A Cause is an error with all that is behind it.
func TestCause(t *testing.T) {
	full := &lifecycle.Cause{Kind: lifecycle.CauseRefused, Reason: "why", RPC: rpc, Err: io.EOF}
	for _, part := range []string{"initialize refused", "why", rpc.Error(), io.EOF.Error()} {
		if !strings.Contains(full.Error(), part) {
			t.Errorf("%q lacks %q", full, part)
		}
	}
	if bare := (&lifecycle.Cause{Kind: lifecycle.CauseLost}).Error(); bare != "transport lost" {
		t.Errorf("a bare cause says %q", bare)
	}
	var e *jsonrpc.Error
	if !errors.Is(full, io.EOF) || !errors.As(full, &e) || e != rpc {
		t.Error("a cause does not wrap what is behind it")
	}
	if errors.Is(&lifecycle.Cause{Kind: lifecycle.CauseLost, RPC: rpc}, io.EOF) || errors.As(error(&lifecycle.Cause{Err: io.EOF}), &e) {
		t.Error("a cause wraps what is not behind it")
	}
	if !errors.Is(full, &lifecycle.Cause{Kind: lifecycle.CauseRefused}) || errors.Is(full, &lifecycle.Cause{Kind: lifecycle.CauseLost}) {
		t.Error("causes are not told apart by their kind")
	}
	for k := lifecycle.CauseNone; k <= lifecycle.CauseUnanswered; k++ {
		if got := lifecycle.ParseCause(k.String()); got != k {
			t.Errorf("%q is %v", k, got)
		}
	}
	if lifecycle.ParseCause("x") != lifecycle.CauseNone || (lifecycle.CauseUnanswered+1).String() != "cause(?)" {
		t.Error("there are more causes than there are")
	}
}

// An OpError says what was wrong and wraps it.
func TestMisuse(t *testing.T) {
	m := &lifecycle.OpError{Op: "notify", Err: lifecycle.ErrParams, Method: "x/y", Phase: lifecycle.Ready, Detail: io.EOF}
	for _, part := range []string{lifecycle.ErrParams.Error(), "notify", "x/y", "ready", io.EOF.Error()} {
		if !strings.Contains(m.Error(), part) {
			t.Errorf("%q lacks %q", m, part)
		}
	}
	if !errors.Is(m, lifecycle.ErrParams) || !errors.Is(m, io.EOF) || errors.Is(m, lifecycle.ErrPhase) {
		t.Error("an OpError does not wrap what it should")
	}
	bare := &lifecycle.OpError{Err: lifecycle.ErrPhase, Phase: lifecycle.Ready}
	if bare.Error() != "lifecycle: not possible in this phase (in ready)" || !errors.Is(bare, lifecycle.ErrPhase) || errors.Is(bare, nil) {
		t.Errorf("%q", bare)
	}
}

// An Output asks for nothing only if nothing at all is in it, and Merge loses nothing.
func TestOutput(t *testing.T) {
	one := func(n int64) lifecycle.Output {
		return lifecycle.Output{
			Send:   []lifecycle.Outgoing{{Message: jsonrpc.Message{ID: jsonrpc.Int(n)}}},
			Events: []lifecycle.Event{{ID: jsonrpc.Int(n)}},
			Opened: lifecycle.MakeCall(nil, uint64(n), 1), Req: lifecycle.MakeReq(nil, uint64(n)), Close: &lifecycle.Cause{Reason: "x"},
		}
	}
	a, b := one(1), one(2)
	if !(lifecycle.Output{}).IsZero() {
		t.Error("nothing is something")
	}
	for _, o := range []lifecycle.Output{{Send: a.Send}, {Events: a.Events}, {Opened: a.Opened}, {Req: a.Req}, {Close: a.Close}} {
		if o.IsZero() {
			t.Errorf("%+v is nothing", o)
		}
		var into lifecycle.Output
		if into.Merge(o); into.IsZero() {
			t.Errorf("%+v is lost", o)
		}
		into.Merge(lifecycle.Output{})
		if into.IsZero() {
			t.Errorf("%+v is lost to nothing", o)
		}
	}
	o := a
	o.Merge(b)
	if len(o.Send) != 2 || o.Send[0].Message.ID != jsonrpc.Int(1) || o.Send[1].Message.ID != jsonrpc.Int(2) ||
		len(o.Events) != 2 || o.Events[0].ID != jsonrpc.Int(1) || o.Events[1].ID != jsonrpc.Int(2) ||
		o.Opened != b.Opened || o.Req != b.Req || o.Close != b.Close {
		t.Errorf("merged to %+v", o)
	}
}

// Handles compare by all of what they are.
func TestHandles(t *testing.T) {
	if c := lifecycle.MakeCall(nil, 3, 4); c.Seq() != 3 || c.Key() != 4 || c.IsZero() || c.String() != "call 3" || c == lifecycle.MakeCall(nil, 3, 5) {
		t.Error(c)
	}
	if r := lifecycle.MakeReq(nil, 3); r.Seq() != 3 || r.IsZero() || r.String() != "req 3" || r == lifecycle.MakeReq(nil, 4) {
		t.Error(r)
	}
	one, two := new(lifecycle.Owner), new(lifecycle.Owner)
	if lifecycle.MakeCall(one, 3, 4) == lifecycle.MakeCall(two, 3, 4) || lifecycle.MakeReq(one, 3) == lifecycle.MakeReq(two, 3) {
		t.Error("handles of two States are equal")
	}
	if c := lifecycle.MakeCall(one, 3, 4); !c.OwnedBy(one) || c.OwnedBy(two) || c.OwnedBy(nil) {
		t.Error("a call has the wrong owner")
	}
	if r := lifecycle.MakeReq(one, 3); !r.OwnedBy(one) || r.OwnedBy(two) || r.OwnedBy(nil) {
		t.Error("a request has the wrong owner")
	}
	if !(lifecycle.Call{}).IsZero() || !(lifecycle.Req{}).IsZero() {
		t.Error("the zero handles are some")
	}
	seen := map[string]bool{}
	for k := range lifecycle.KindClient {
		s, known := k.String(), k >= lifecycle.RequestReceived && k <= lifecycle.LocalViolation
		if s == "" || known && s == "event(?)" || s != "event(?)" && seen[s] {
			t.Errorf("event %d is %q", k, s)
		}
		seen[s] = true
	}
	for k, want := range map[lifecycle.EventKind]string{lifecycle.KindClient: "event(?)", lifecycle.KindServer: "roots read", lifecycle.KindClient + 1: "event(?)", lifecycle.KindUser: "event(?)"} {
		if k.String() != want {
			t.Errorf("event %d is %q, want %q", k, k, want)
		}
	}
}

// Every value has a name of its own, and what is no value has one that tells so.
func TestNamesOfValues(t *testing.T) {
	var names []string
	for f := lifecycle.FateNone; f <= lifecycle.FateRefused+1; f++ {
		names = append(names, f.String())
	}
	for p := lifecycle.Uninitialized; p <= lifecycle.Failed+1; p++ {
		names = append(names, p.String())
	}
	want := "none accepted answered refused fate(?) uninitialized initializing ready shutting_down disconnected error phase(?)"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	triggers := map[string]bool{}
	for _, row := range lifecycle.Transitions() {
		triggers[row.On.String()] = true
	}
	if len(triggers) < 5 || triggers[""] || triggers[lifecycle.Trigger(255).String()] || lifecycle.Trigger(255).String() != "trigger(?)" {
		t.Error(triggers)
	}
}

// Who walks over the calls of an Output may stop after any of them.
func TestWalksStop(t *testing.T) {
	call := func(n uint64) lifecycle.Call { return lifecycle.MakeCall(nil, n, 1) }
	o := lifecycle.Output{
		Send: []lifecycle.Outgoing{
			{Direct: true, Final: true, Call: call(1)}, {}, {Direct: true}, {Direct: true, Final: true, Call: call(2)}, {Final: true, Call: call(3)},
			{Call: call(9), Message: jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: protocol.MethodAcknowledged}},
		},
		Events: []lifecycle.Event{
			{Kind: lifecycle.RequestReceived, Call: call(4)}, {Kind: lifecycle.RequestCancelled, Call: call(5)}, {Kind: lifecycle.ProgressReceived, Call: call(6)},
			{Kind: lifecycle.RequestLost, Call: call(7)}, {Kind: lifecycle.RequestReceived, Call: call(8)},
		},
	}
	for name, c := range map[string]struct {
		walk iter.Seq[lifecycle.Call]
		want []uint64
	}{"opened": {o.OpenedCalls(), []uint64{1, 2, 9, 4, 8}}, "ended": {o.EndedCalls(), []uint64{1, 2, 3, 5, 7}}} {
		for most := 1; most <= len(c.want)+1; most++ {
			var got []uint64
			for one := range c.walk {
				if got = append(got, one.Seq()); len(got) == most {
					break
				}
			}
			if want := c.want[:min(most, len(c.want))]; !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}
