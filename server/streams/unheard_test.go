package streams_test

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// lost counts the calls that a step gave up.
func lost(eff streams.Effects) (n int) {
	for _, ev := range eff.Output.Events {
		if ev.Kind == lifecycle.RequestLost {
			n++
		}
	}
	return n
}

// A call is given up when nobody can hear of it any more, and progress does not put that off: exactly
// then, whatever time it is counted from.
func TestUnheard(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version string
		opt     streams.Options
		begin   bool // the response is a stream
		hang    time.Duration
		wait    time.Duration // -1: for ever
	}{
		{"no event id", "2025-11-25", streams.Options{}, false, 0, 3 * time.Second},
		{"no priming", "2025-06-18", streams.Options{}, true, 0, 3 * time.Second},
		{"its own Grace", "2025-06-18", streams.Options{Grace: time.Hour}, true, 0, time.Hour},
		{"no Grace", "2025-06-18", streams.Options{Grace: lifecycle.NoTimeout}, true, 0, -1},
		{"resumable", "2025-11-25", streams.Options{}, true, 0, 2 * time.Minute},
		{"its own Keep", "2025-11-25", streams.Options{Keep: time.Hour}, true, 0, time.Hour},
		{"hung up", "2025-11-25", streams.Options{}, true, time.Hour, time.Hour + 2*time.Minute},
	} {
		for _, late := range []time.Duration{0, time.Hour} {
			d := open(t, tt.version, tt.opt)
			d.pass(late)
			call, c := d.call(1, "wait")
			if tt.begin {
				var eff streams.Effects
				d.x, d.s, eff = d.x.Begin(d.s, d.now, c)
				d.took(eff)
			}
			if _, ok := d.x.Unheard(call); ok {
				t.Errorf("%s: unheard, and there is a connection", tt.name)
			}
			if tt.hang > 0 {
				x, s, eff, err := d.x.HangUp(d.s, d.now, call, tt.hang)
				if err != nil {
					t.Fatal(err)
				}
				d.x, d.s = x, s
				d.took(eff)
			}
			d.detach(c)
			since, ok := d.x.Unheard(call)
			if want := d.now.Add(tt.hang); ok != (tt.wait > 0) || ok && !since.Equal(want) {
				t.Errorf("%s: unheard since %v, %v, want %v", tt.name, since, ok, want)
			}
			old := d.x
			if tt.wait < 0 {
				d.pass(100 * time.Hour)
				if d.s.Status().Inbound != 1 {
					t.Errorf("%s: it was given up", tt.name)
				}
				continue
			}
			d.pass(tt.wait / 2)
			d.progress(call, 1)
			d.pass(tt.wait - tt.wait/2 - 1)
			if d.s.Status().Inbound != 1 {
				t.Fatalf("%s: given up early", tt.name)
			}
			d.now = d.now.Add(1)
			x, s, eff := d.x.Tick(d.s, d.now)
			if lost(eff) != 1 || s.Status().Inbound != 0 || x.Check() != nil {
				t.Errorf("%s: %d calls are given up: %v", tt.name, lost(eff), x.Check())
			}
			if _, ok := x.Unheard(call); ok {
				t.Errorf("%s: one that is gone is unheard", tt.name)
			}
			if _, ok := old.Unheard(call); !ok { // the old value goes on
				t.Errorf("%s: an old value has changed", tt.name)
			}
		}
	}
	if _, ok := (streams.Streams{}).Unheard(server.Call{}); ok {
		t.Error("no call is unheard")
	}
}

// A client that comes back in time is not given up, and the time counts anew.
func TestHeardAgain(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	var eff streams.Effects
	d.x, d.s, eff = d.x.Begin(d.s, d.now, c)
	d.took(eff)
	for range 3 {
		d.detach(c)
		d.pass(2*time.Minute - 1)
		var err error
		if c, _, err = d.resume("1-1"); err != nil {
			t.Fatal(err)
		}
		if _, ok := d.x.Unheard(call); ok {
			t.Error("unheard, and it is heard")
		}
		d.pass(10 * 2 * time.Minute)
	}
	if d.s.Status().Inbound != 1 {
		t.Error("it was given up")
	}
}

// Shrink takes what is kept down to what it is told, answers last, and loses the streams' place of
// nothing else.
func TestShrink(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	for i := range 5 {
		call, c := d.call(i, "wait")
		var eff streams.Effects
		d.x, d.s, eff = d.x.Begin(d.s, d.now, c)
		d.took(eff)
		d.progress(call, 1)
		d.detach(c)
		d.respond(call, "x")
	}
	get := d.listen()
	if d.x.Listeners() != 1 {
		t.Error(d.x.Listeners(), "listeners")
	}
	d.detach(get)
	if d.x.Listeners() != 0 || (streams.Streams{}).Listeners() != 0 {
		t.Error(d.x.Listeners(), "listeners")
	}
	all := d.x.Bytes()
	for most := all + 1; most >= -1; most -= 37 {
		x, s, eff := d.x.Shrink(d.s, d.now, most)
		if err := x.Check(); err != nil {
			t.Fatal(err)
		}
		if x.Bytes() > max(most, 0) {
			t.Errorf("%d bytes are kept, at most %d", x.Bytes(), most)
		}
		if most >= all && (x != d.x || eff.Lost != 0) {
			t.Error("it gave up what may stay")
		}
		if s.Status().Inbound != d.s.Status().Inbound {
			t.Error("calls have ended")
		}
	}
	if x, _, eff := d.x.Shrink(d.s, d.now, 0); x.Bytes() != 0 || eff.Lost == 0 {
		t.Error(x.Bytes(), eff.Lost)
	}
}
