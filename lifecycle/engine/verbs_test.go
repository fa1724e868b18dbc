package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// What is wrong with params is said before what is wrong with the phase: nothing is no
// params in any phase, and the State stays as it was.
func TestNothingIsNoParams(t *testing.T) {
	env := toolServer()
	closed := ready(env, protocol.Revision20250618)
	closed.Disconnected(nil, &lifecycle.Output{})
	for phase, c := range map[string]engine.Core{
		"uninitialized": engine.New(env, origin), "ready": ready(env, protocol.Revision20250618), "disconnected": closed, "zero": {},
	} {
		var o lifecycle.Output
		before := c
		for name, err := range map[string]error{
			"request": c.Send(nil, lifecycle.RequestOptions{}, &o), "notify": c.Notify(nil, lifecycle.Call{}, nil, &o),
		} {
			var op *lifecycle.OpError
			if !errors.As(err, &op) || op.Op != name || !errors.Is(err, lifecycle.ErrParams) || op.Method != "" || op.Detail != nil || op.Phase != c.Phase() {
				t.Errorf("%s of nothing, %s: %v", name, phase, err)
			}
		}
		if !o.IsZero() || c != before {
			t.Errorf("%s: something was changed: %+v", phase, o)
		}
	}
}

// What is known of a call is known while it is open, to the State that it is of.
func TestAsked(t *testing.T) {
	env := toolServer()
	c := ready(env, protocol.Revision20250618)
	call := enter(t, &c, "1", func(in *engine.Intake) { in.Subject = "t" })
	other := ready(env, protocol.Revision20250618)
	enter(t, &other, "1", usual)
	for name, gone := range map[string]lifecycle.Call{
		"none": {}, "another number": c.Call(call.Seq()+1, call.Key()), "another key": c.Call(call.Seq(), call.Key()+1), "another State": other.Call(call.Seq(), call.Key()),
	} {
		if row, subject := c.Asked(gone); row != nil || subject != "" || c.Open(gone) {
			t.Errorf("%s: %+v %q", name, row, subject)
		}
	}
	if row, subject := c.Asked(call); row == nil || row.Method != protocol.MethodToolsCall || subject != "t" || !c.Open(call) {
		t.Errorf("the open one: %+v %q", row, subject)
	}
	c.Abandon(call, &lifecycle.Output{})
	if row, subject := c.Asked(call); row != nil || subject != "" || c.Open(call) {
		t.Errorf("after its end: %+v %q", row, subject)
	}
}

// Of several calls the last one that is open counts, or else the last one.
func TestLatest(t *testing.T) {
	c := ready(toolServer(), protocol.Revision20250618)
	a, b := enter(t, &c, "1", usual), enter(t, &c, "2", usual)
	d := enter(t, &c, "3", usual)
	c.Abandon(d, &lifecycle.Output{})
	for _, l := range []struct {
		calls []lifecycle.Call
		want  lifecycle.Call
	}{
		{nil, lifecycle.Call{}}, {[]lifecycle.Call{a}, a}, {[]lifecycle.Call{a, b}, b}, {[]lifecycle.Call{b, a}, a},
		{[]lifecycle.Call{a, d}, a}, {[]lifecycle.Call{a, b, d}, b}, {[]lifecycle.Call{d}, d}, {[]lifecycle.Call{d, a, d}, a},
	} {
		if got := c.Latest(l.calls); got != l.want {
			t.Errorf("of %v it is %v, want %v", l.calls, got, l.want)
		}
	}
}

// An array within an array is nothing that can be answered or taken in.
func TestBatchWithinBatch(t *testing.T) {
	c := ready(toolServer(), protocol.Revision20250326)
	outer := jsonrpc.DecodeString(`[{"jsonrpc":"2.0","method":"x"}]`)
	var o lifecycle.Output
	if list := c.Batch(&outer, &o); len(list) != 1 || !o.IsZero() {
		t.Fatalf("a batch of one: %v %+v", list, o)
	}
	if in := received(&c, &outer, &o); in.Verdict != engine.Done || kinds(&o) != "violation" || o.Events[0].Rule != "JRPC-043" || len(o.Send) != 0 || o.Fate != lifecycle.FateRefused {
		t.Errorf("%+v %+v", in, o)
	}
}

// A form that comes is kept until it is answered: up to Limits.Schema bytes. So is the
// output schema of a call that goes out.
func TestLimitOfWhatIsKept(t *testing.T) {
	timeouts, _ := lifecycle.Timeouts{}.Filled()
	limits, _ := lifecycle.Limits{Schema: 100}.Filled()
	env := &engine.Env{
		Self: protocol.Client, Opens: true, Revisions: protocol.Revisions(), Caps: protocol.CapElicitation, Theirs: protocol.ServerCaps, Timeouts: timeouts, Limits: limits,
		Blank: &engine.Profile{Revision: protocol.Revision20250618},
	}
	c := engine.New(env, origin)
	var o lifecycle.Output
	if err := c.Send(protocol.RawRequest{Name: "initialize", Body: `{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`}, lifecycle.RequestOptions{}, &o); err != nil {
		t.Fatal(err)
	}
	c.Begin(nil, nil, &o)
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if in := received(&c, &m, &o); in.Verdict != engine.Handshake {
		t.Fatalf("%+v", in)
	}
	c.TakeInitialize(&m, nil, &o)
	c.Establish(env.Negotiated(protocol.Revision20250618, protocol.CapTools, protocol.Implementation{}, ""), nil, &o)
	for size, kept := range map[int]bool{99: true, 100: true, 101: false, 5000: false} {
		form := `{"type":"object","properties":{"a":{"type":"string","title":"`
		form += strings.Repeat("x", size-len(form)-len(`"}}}`)) + `"}}}`
		o = lifecycle.Output{}
		m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":` + form + `}}`)
		var in engine.Intake
		c.Receive(&m, &in, &o)
		if want := (engine.Intake{Verdict: engine.Request, Row: in.Row, Info: in.Info, Subject: form}); kept {
			if in != want || len(o.Send) != 0 {
				t.Errorf("a form of %d bytes: %+v %s", size, in, sent(&o))
			}
		} else if in.Verdict != engine.Done || sent(&o) != `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"too large a form"}}` || kinds(&o) != "violation" || o.Events[0].Rule != "ERR-013" {
			t.Errorf("a form of %d bytes: %+v %s %+v", size, in, sent(&o), o.Events)
		}
		schema := jsonrpc.Raw(`{"title":"` + strings.Repeat("x", size-len(`{"title":""}`)) + `"}`)
		err := c.Send(protocol.CallToolParams{Name: "t"}, lifecycle.RequestOptions{OutputSchema: schema}, &o)
		if kept != (err == nil) || !kept && !errors.Is(err, lifecycle.ErrLimit) {
			t.Errorf("an output schema of %d bytes: %v", size, err)
		}
	}
	if c.Status().Outbound != 2 {
		t.Errorf("%d calls went out, want 2", c.Status().Outbound)
	}
}

// received is Receive that returns what is left for the role.
func received(c *engine.Core, m *jsonrpc.Message, o *lifecycle.Output) (in engine.Intake) {
	c.Receive(m, &in, o)
	return in
}

// A cancellation that names no request is of a task since 2025-11-25, and malformed before.
// It changes nothing, either way.
//
// rows: CANC-102
func TestCancelledWithoutRequest(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		c := ready(toolServer(), rev)
		call := enter(t, &c, "1", usual)
		want := "violation CANC-018"
		if rev == protocol.Revision20251125 {
			want = "ignored CANC-102"
		}
		before := string(c.Snapshot().Dst)
		o := receive(t, &c, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x"}}`)
		if kinds(&o)+" "+o.Events[0].Rule != want || len(o.Send) != 0 || !c.Open(call) || string(c.Snapshot().Dst) != before {
			t.Errorf("%v: %+v, want %s; open %v", rev, o.Events, want, c.Open(call))
		}
	}
}
