package nethttp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// What is parked comes out as it went in, and shares nothing with it.
func TestParked(t *testing.T) {
	rpc := &jsonrpc.Error{Code: -32000, Message: "no", Data: `{"a":1}`}
	for name, ev := range map[string]server.Event{
		"a result":     {Kind: lifecycle.ResponseReceived, Method: "sampling/createMessage", Body: `{"role":"assistant"}`},
		"an error":     {Kind: lifecycle.ResponseReceived, Method: "roots/list", Err: rpc},
		"a failure":    {Kind: lifecycle.RequestFailed, Cause: &lifecycle.Cause{Kind: lifecycle.CauseTimedOut, Reason: "slow"}},
		"with the two": {Kind: lifecycle.RequestFailed, Cause: &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Reason: "bad", RPC: rpc}},
	} {
		var r Record
		in := ev
		if in.Kind == lifecycle.RequestFailed && in.Cause.RPC != nil {
			in.Err = rpc
		}
		r.park(in, 7)
		text, err := json.Marshal(r.inbox[0])
		if err != nil {
			t.Fatal(err)
		}
		var p parked
		if err := json.Unmarshal(text, &p); err != nil || !reflect.DeepEqual(p, r.inbox[0]) || p.Call != 7 {
			t.Errorf("%s: %s comes back as %+v, %v", name, text, p, err)
		}
		if got := p.event(server.State{}); !reflect.DeepEqual(got, ev) {
			t.Errorf("%s: %+v, want %+v", name, got, ev)
		}
	}
	// A failure without a reason has lost its request; one of a kind that is not known is one all the same.
	var r Record
	r.park(server.Event{Kind: lifecycle.RequestFailed}, 1)
	if got := lifecycle.CauseKind(r.inbox[0].Cause); got != lifecycle.CauseLost {
		t.Error(got)
	}
	var c cause
	if err := c.UnmarshalText([]byte("of tomorrow")); err != nil || c != cause(lifecycle.CauseCancelled) {
		t.Error(c, err)
	}
	if err := c.UnmarshalText([]byte(lifecycle.CauseTimedOut.String())); err != nil || c != cause(lifecycle.CauseTimedOut) {
		t.Error(c, err)
	}
	if _, err := json.Marshal(Record{}); !errors.Is(err, lifecycle.ErrMarshal) {
		t.Error(err)
	}
}

// An inbox has exactly the bytes and the answers that it may have; beyond are failures, and beyond those nothing.
func TestInboxLimits(t *testing.T) {
	result := func(size int) server.Event {
		return server.Event{Kind: lifecycle.ResponseReceived, Body: jsonrpc.Raw(strings.Repeat("x", size-128))}
	}
	lost := func(r *Record) bool {
		return r.inbox[len(r.inbox)-1].Cause == cause(lifecycle.CauseResponseLost)
	}
	for more := range 2 {
		var r Record
		r.park(result(1000), 1)
		r.park(result(maxParkedBytes-1000+more), 2)
		if lost(&r) != (more == 1) {
			t.Errorf("%d bytes more than may: lost %v", more, lost(&r))
		}
	}
	var r Record
	for n := range 2*maxParked + 1 {
		r.park(result(128), uint64(n))
		if lost(&r) != (n >= maxParked) || len(r.inbox) != min(n+1, 2*maxParked) {
			t.Fatalf("answer %d: lost %v, %d are kept", n, lost(&r), len(r.inbox))
		}
	}
	before := r.inbox
	small := Record{inbox: before[:1]}
	small.park(result(200), 9)
	if before[1].Call != 1 {
		t.Error("a record of before is changed")
	}
}
