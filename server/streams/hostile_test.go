package streams_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

var alive = memory.Retained

// What each thing counts is no less than what it takes, by an eighth that the allocator may
// round up.
func TestWhatIsCounted(t *testing.T) {
	opt := streams.Options{MaxBytes: 1 << 40, MaxAnswers: 1 << 40}
	for name, fill := range map[string]func(d *session, n int){
		"small messages": func(d *session, n int) {
			c, _ := d.fastCall(1)
			for i := range n {
				d.fastProgress(c, i+1)
			}
		},
		"messages without a GET stream": func(d *session, n int) {
			for range n {
				d.fastLog("")
			}
		},
		"answers that wait": func(d *session, n int) {
			for i := range n {
				c, _ := d.fastCall(i + 1)
				d.fastRespond(c, "")
			}
		},
		"answers that were written": func(d *session, n int) {
			for i := range n {
				call, c := d.fastCall(i + 1)
				d.fastRespond(call, "")
				d.x = d.x.Wrote(d.now, c, 2)
				d.x, d.s, _ = d.x.Detach(d.s, d.now, c)
			}
		},
		"GET streams that were dropped": func(d *session, n int) {
			for range n {
				x, s, c, _, _ := d.x.Listen(d.s, d.now)
				d.x, d.s, _ = x.Detach(s, d.now, c)
			}
		},
		"calls that were cancelled": func(d *session, n int) {
			for i := range n {
				d.fastCall(i + 1)
				m := decode(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i+1))
				s, out := d.h.Receive(d.s, d.now, m)
				d.x, d.s, _, _ = d.x.Post(s, d.now, m, out)
			}
		},
	} {
		d := open(t, "2025-11-25", opt)
		got := alive(func() any { fill(d, 5000); return &d.x })
		t.Logf("%s: %d bytes stay alive, %d are counted", name, got, d.x.Bytes())
		if counted := int64(d.x.Bytes()); got > counted+counted/8 || got < counted/4 {
			t.Errorf("%s: %d bytes stay alive, %d are counted", name, got, counted)
		}
	}
}

func (d *session) fastLog(text string) {
	s, out, err := d.s.Notify(d.now, logMessage(text), server.Call{})
	if err != nil {
		d.t.Fatal(err)
	}
	d.x, d.s, _ = d.x.Handle(s, d.now, out)
}

func (d *session) fastRespond(call server.Call, s string) {
	next, out, err := d.s.Respond(d.now, call, text(s))
	if err != nil {
		d.t.Fatal(err)
	}
	d.x, d.s, _ = d.x.Handle(next, d.now, out)
}

// A client that does its worst makes the value keep no more than the limits, whatever it
// does and however long.
//
// rows: HTTP-022
func TestHostile(t *testing.T) {
	opt := streams.Options{MaxBytes: 64 << 10, MaxAnswers: 64 << 10, MaxListeners: 4}
	const inbound = 50
	most := int64(opt.MaxBytes+opt.MaxAnswers) + (inbound+int64(opt.MaxListeners))*1024 + 32<<10
	big := strings.Repeat("x", 8<<10)
	for name, turn := range map[string]func(d *session, i int){
		"posts and never reads": func(d *session, i int) {
			call, _ := d.fastCall(i)
			d.fastProgress(call, 1)
			d.fastRespond(call, big)
		},
		"posts and is gone": func(d *session, i int) {
			call, c := d.fastCall(i)
			d.fastProgress(call, 1)
			d.x, d.s, _ = d.x.Begin(d.s, d.now, c)
			d.x, d.s, _ = d.x.Detach(d.s, d.now, c)
			d.fastRespond(call, big)
		},
		"posts, reads a little, and cancels": func(d *session, i int) {
			call, c := d.fastCall(i)
			d.x, d.s, _ = d.x.Begin(d.s, d.now, c)
			for n := range 20 {
				d.fastProgress(call, n+1)
			}
			d.x = d.x.Wrote(d.now, c, 2)
			m := decode(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
			s, out := d.h.Receive(d.s, d.now, m)
			d.x, d.s, _, _ = d.x.Post(s, d.now, m, out)
		},
		"leaves calls open": func(d *session, i int) {
			if i <= inbound {
				d.fastCall(i)
			}
			for c := range d.s.Inbound() {
				d.fastProgress(c.Call, i)
				break
			}
		},
		"opens GET streams and drops them": func(d *session, i int) {
			x, s, c, _, _ := d.x.Listen(d.s, d.now)
			d.x, d.s = x, s
			d.fastLog(big)
			if i%2 == 0 {
				d.x, d.s, _ = d.x.Detach(d.s, d.now, c)
			}
		},
		"never listens": func(d *session, i int) { d.fastLog(big) },
		"resumes in a loop": func(d *session, i int) {
			if i == 1 {
				x, s, _, _, _ := d.x.Listen(d.s, d.now)
				d.x, d.s = x, s
			}
			d.fastLog("x")
			x, s, _, _, _, _ := d.x.Resume(d.s, d.now, fmt.Sprintf("1-%d", 1+i%50))
			d.x, d.s = x, s
		},
		"resumes with strange ids": func(d *session, i int) {
			for _, id := range []string{big, fmt.Sprintf("%d-1", i), fmt.Sprintf("1-%d", i), strings.Repeat("9", i%60) + "-1"} {
				x, s, _, _, _, _ := d.x.Resume(d.s, d.now, id)
				d.x, d.s = x, s
			}
		},
	} {
		d := open(t, "2025-11-25", opt)
		d.cfg.Limits = lifecycle.Limits{Inbound: inbound}
		var err error
		if d.s, err = server.Restore(d.cfg, d.s.Snapshot(), d.now); err != nil {
			t.Fatal(err)
		}
		got := alive(func() any {
			for i := range 1500 {
				turn(d, i+1)
				d.now = d.now.Add(time.Millisecond)
			}
			return &d.x
		})
		if err := d.x.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %d bytes stay alive, %d may", name, got, most)
		if got > most || d.x.Bytes() > opt.MaxBytes+opt.MaxAnswers+len(big)+1024 {
			t.Errorf("%s: %d bytes stay alive, %d may; %d are counted", name, got, most, d.x.Bytes())
		}
	}
}
