package engine_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

var origin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// core returns a Core of a server with nothing configured.
func core() engine.Core {
	timeouts, _ := lifecycle.Timeouts{}.Filled()
	limits, _ := lifecycle.Limits{}.Filled()
	return engine.New(&engine.Env{
		Self: protocol.Server, Revisions: protocol.Revisions(), Timeouts: timeouts, Limits: limits,
		Blank: &engine.Profile{Revision: protocol.Revision20250618},
	}, origin)
}

// Time never runs backwards inside a Core, whatever it is given: also zero, times before
// the origin, and ones so far away that no Duration reaches them.
//
// rows: TIME-013
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := core()
		latest := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			var now time.Time
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
			case 1:
				now = time.Date(rapid.IntRange(1, 9999).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
			default:
				now = origin.Add(time.Duration(rapid.Int64Range(-1e12, 1e12).Draw(t, "ns")))
			}
			c.Clock(now)
			if !now.IsZero() {
				latest = max(latest, min(int64(now.Sub(origin)), table.Never-1)) // no instant is never
			}
			if c.Now() != latest {
				t.Fatalf("at %v it is %d, want %d", now, c.Now(), latest)
			}
			d := rapid.Int64().Draw(t, "after")
			switch got := c.After(time.Duration(d)); {
			case d < 0 || d > math.MaxInt64-1-latest:
				if got != table.Never {
					t.Fatalf("%d after %d is %d, want never", d, latest, got)
				}
			case got != latest+d || got == table.Never:
				t.Fatalf("%d after %d is %d", d, latest, got)
			}
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// NextDeadline is the earliest of what there is; the role's own counts.
func TestNextDeadline(t *testing.T) {
	c := core()
	if due, ok := c.NextDeadline(table.Never); ok || !due.IsZero() {
		t.Errorf("nothing waits, but %v", due)
	}
	if due, ok := c.NextDeadline(5); !ok || !due.Equal(origin.Add(5)) {
		t.Errorf("the role waits for 5, next is %v %v", due, ok)
	}
	c.Begin((&engine.Env{}).Negotiated(protocol.Revision20250618, 0, protocol.Implementation{}, ""), nil, &lifecycle.Output{})
	var o lifecycle.Output
	for _, d := range []time.Duration{9, 3, 7} {
		if err := c.Send(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: d}, &o); err != nil {
			t.Fatal(err)
		}
	}
	if due, _ := c.NextDeadline(5); !due.Equal(origin.Add(3)) {
		t.Errorf("next is %v, want 3 ns after %v", due, origin)
	}
	if due, _ := c.NextDeadline(2); !due.Equal(origin.Add(2)) {
		t.Errorf("next is %v, want 2 ns after %v", due, origin)
	}
}

// A sweep goes by deadline and then by id, also where ids have more digits.
//
// rows: TIME-012
func TestSweepOrder(t *testing.T) {
	c := core()
	c.Begin((&engine.Env{}).Negotiated(protocol.Revision20250618, 0, protocol.Implementation{}, ""), nil, &lifecycle.Output{})
	var o lifecycle.Output
	timeouts := []time.Duration{10, 10, 3, 10, 10, 1, 10, 10, 10, 2, 10, 10, 10, 10, 10}
	for _, d := range timeouts {
		if err := c.Send(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: d * time.Second}, &o); err != nil {
			t.Fatal(err)
		}
	}
	c.Clock(origin.Add(time.Minute))
	o = lifecycle.Output{}
	c.Tick(&o)
	want := []uint64{6, 10, 3, 1, 2, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15}
	if len(o.Events) != len(want) || len(o.Send) != len(want) {
		t.Fatalf("%d events and %d messages, want %d of each", len(o.Events), len(o.Send), len(want))
	}
	for i, ev := range o.Events {
		if ev.Req.Seq() != want[i] || ev.Kind != lifecycle.RequestFailed || ev.Cause.Kind != lifecycle.CauseTimedOut {
			t.Errorf("event %d is about %v: %v %v, want %d", i, ev.Req, ev.Kind, ev.Cause, want[i])
		}
	}
	if _, ok := c.NextDeadline(table.Never); ok {
		t.Error("something still waits")
	}
}

// The zero Core is inert.
func TestZeroCore(t *testing.T) {
	var c engine.Core
	var o lifecycle.Output
	c.Clock(origin)
	c.Tick(&o)
	c.Shutdown(0, &o)
	c.InputClosed(&o)
	c.Disconnected(nil, &o)
	c.Abort(nil, &o)
	c.Unanswered(lifecycle.MakeReq(nil, 1), lifecycle.CauseNotSent, nil, &o)
	c.Pause(lifecycle.MakeReq(nil, 1), true)
	c.Abandon(lifecycle.MakeCall(nil, 1, 1), &o)
	if !o.IsZero() || c.Live() || c.Listening() || c.Status() != (lifecycle.Status{}) || !c.Negotiated().IsZero() || c.Profile() == nil {
		t.Errorf("the zero Core does something: %+v %+v", o, c.Status())
	}
	for name, err := range map[string]error{
		"reset": c.Reset(), "send": c.Send(protocol.PingParams{}, lifecycle.RequestOptions{}, &o),
		"notify": c.Notify(protocol.RawRequest{Name: "notifications/x"}, lifecycle.Call{}, nil, &o),
		"cancel": c.Cancel(lifecycle.MakeReq(nil, 1), "", &o),
	} {
		if err == nil {
			t.Errorf("%s works on the zero Core", name)
		}
	}
}
