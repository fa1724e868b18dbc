package client_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// spaced is a Mirror of the tools with an interval, in a session where they were read at t0.
func spaced(t *testing.T, interval time.Duration) *mirroring {
	t.Helper()
	x := mirrorWith(t, func(m *client.Mirror) { m.MinInterval = interval }, "tools/list")
	x.expect("tools/list", "")
	x.receive(page(2, "", "a"))
	x.expect("", "tools/list")
	x.items("tools/list", 1, true)
	return x
}

// wakes expects a deadline of the Mirror so long after t0, or none.
func (x *mirroring) wakes(after time.Duration, some bool) {
	x.t.Helper()
	at, ok := x.m.NextDeadline()
	if ok != some || some && !at.Equal(t0.Add(after)) || !some && !at.IsZero() {
		x.t.Errorf("a deadline %v after t0, %v; want %v, %v", at.Sub(t0), ok, after, some)
	}
}

// until lets time pass: so long after t0.
func (x *mirroring) until(after time.Duration) {
	x.t.Helper()
	x.now = t0.Add(after)
	x.take(x.s.Tick(x.now))
}

// A change that is announced within the interval is asked for when the interval is over,
// and not a nanosecond sooner; the list read last is there meanwhile.
func TestMirrorInterval(t *testing.T) {
	for _, interval := range []time.Duration{0, time.Nanosecond, 20 * time.Second} {
		x := spaced(t, interval)
		if interval == 0 {
			interval = time.Second
		}
		x.wakes(0, false)
		x.changed("tools")
		x.expect("", "notification received")
		x.items("tools/list", 1, false)
		x.wakes(interval, true)
		x.changed("tools")
		x.wakes(interval, true)
		x.until(interval - 1)
		x.expect("", "")
		x.wakes(interval, true)
		x.until(interval)
		x.expect("tools/list", "")
		x.wakes(0, false)
		x.items("tools/list", 1, false)
		x.receive(page(3, "", "b", "c"))
		x.expect("", "tools/list")
		x.items("tools/list", 2, true)
		x.wakes(0, false)

		x.until(2*interval + 1) // one that comes after the interval does not wait
		x.changed("tools")
		x.expect("tools/list", "notification received")
		x.receive(page(4, "", "d"))
		x.changed("tools") // and the next interval is counted from there
		x.wakes(3*interval+1, true)
		x.until(3*interval + 2)
		x.expect("tools/list", "")
	}
}

// The interval is counted from the beginning of a listing, whatever came of it.
func TestMirrorIntervalFromTheBeginning(t *testing.T) {
	x := spaced(t, 10*time.Second)
	x.until(15 * time.Second)
	x.changed("tools")
	x.expect("tools/list", "notification received")
	x.until(18 * time.Second)
	x.changed("tools") // however many, there is one more
	x.changed("tools")
	x.wakes(0, false)
	x.receive(page(3, "c", "a"))
	x.expect(`tools/list {"cursor":"c"}`, "") // a page does not wait
	x.changed("tools")
	x.receive(`{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"m"}}`)
	x.expect("", "tools/list failed")
	x.wakes(25*time.Second, true)
	x.until(25 * time.Second)
	x.expect("tools/list", "")
	x.until(40 * time.Second)
	x.changed("tools")
	x.receive(page(5, "", "a"))
	x.expect("tools/list", "tools/list") // its interval is over when it ends
	x.receive(page(6, "", "a"))
	x.items("tools/list", 1, true)
	x.wakes(0, false)
}

// The first listing of a session and Invalidate do not wait, not even where an announced
// listing waits already.
func TestMirrorDoesNotWait(t *testing.T) {
	x := spaced(t, time.Hour)
	x.m = x.m.Invalidate("tools/list")
	x.wakes(0, false)
	x.take(x.s, client.Output{})
	x.expect("tools/list", "")
	x.m = x.m.Invalidate() // while it is being read
	x.changed("tools")     // which does not take that back
	x.receive(page(3, "", "a"))
	x.expect("tools/list", "tools/list")
	x.receive(page(4, "", "a"))
	x.items("tools/list", 1, true)
	x.changed("tools")
	x.wakes(time.Hour, true)
	x.m = x.m.Invalidate("tools/list")
	x.take(x.s, client.Output{})
	x.expect("tools/list", "")
	x.wakes(0, false)
	x.receive(page(5, "", "a"))
	x.changed("tools")
	x.expect("", "notification received")
	x.wakes(time.Hour, true)
	x.take(x.s.Disconnected(x.now, nil))
	x.wakes(0, false)
	x.again(t)
	x.expect("notifications/initialized, tools/list", "response received, phase changed")
	x.wakes(0, false)
}

// again opens another session.
func (x *mirroring) again(t *testing.T) {
	t.Helper()
	s, err := x.s.Reset(x.now)
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := s.Initialize(x.now)
	if err != nil {
		t.Fatal(err)
	}
	x.take(s, out)
	x.receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`, out.Send[0].Message.ID))
}

// A negative interval is none, and one that no clock reaches never ends.
func TestMirrorIntervalAtTheEdges(t *testing.T) {
	for _, none := range []time.Duration{lifecycle.NoTimeout, -time.Hour, math.MinInt64} {
		x := spaced(t, none)
		x.changed("tools")
		x.expect("tools/list", "notification received")
		x.wakes(0, false)
	}
	x := spaced(t, math.MaxInt64)
	x.changed("tools")
	x.wakes(0, false)
	x.until(math.MaxInt64)
	x.expect("", "")
}

// A listing whose time has come waits on where too many requests are open, and gives no
// deadline then, which nothing would come of.
func TestMirrorIntervalUnderLimit(t *testing.T) {
	m, err := client.NewMirror("tools/list")
	if err != nil {
		t.Fatal(err)
	}
	x := &mirroring{t: t, s: session(t, client.Config{Limits: lifecycle.Limits{Outbound: 1}}), m: m, now: t0}
	x.take(x.s, client.Output{})
	x.receive(page(2, "", "a"))
	x.changed("tools")
	s, out := request(t, x.s, listing7{}, client.RequestOptions{})
	x.take(s, out)
	x.wakes(time.Second, true)
	x.until(time.Second)
	x.expect("", "")
	x.wakes(0, false)
	x.receive(`{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}`)
	x.expect("tools/list", "response received")
}

// The intervals of the lists are their own; the deadline is the earliest.
func TestMirrorIntervalByList(t *testing.T) {
	x := mirror(t, "tools/list", "prompts/list")
	x.m.MinInterval = 10 * time.Second
	x.m = x.m.Invalidate()
	x.receive(page(2, "", "a"))
	x.until(4 * time.Second)
	x.receive(`{"jsonrpc":"2.0","id":3,"result":{"prompts":[]}}`)
	x.receive(page(4, "", "a"))
	x.receive(`{"jsonrpc":"2.0","id":5,"result":{"prompts":[]}}`)
	x.items("tools/list", 1, true)
	x.items("prompts/list", 0, true)
	x.changed("prompts")
	x.wakes(14*time.Second, true)
	x.changed("tools")
	x.wakes(10*time.Second, true)
	x.until(10 * time.Second)
	x.expect("tools/list", "")
	x.wakes(14*time.Second, true)
	x.until(14 * time.Second)
	x.expect("prompts/list", "")
	x.wakes(0, false)
}

// A server that announces a change before each of its answers is asked once an interval,
// not for ever: so many times in a minute.
func TestMirrorOfARestlessServer(t *testing.T) {
	for interval, most := range map[time.Duration]int{0: 60, 20 * time.Second: 3, 7 * time.Second: 9} {
		x := mirrorWith(t, func(m *client.Mirror) { m.MinInterval = interval }, "tools/list")
		listings, steps := 0, 0
		for id := 2; x.now.Before(t0.Add(time.Minute)); steps++ {
			if steps > 10_000 {
				t.Fatalf("%d listings, and only %v have passed", listings, x.now.Sub(t0))
			}
			if len(x.out.Send) == 0 {
				at, ok := x.m.NextDeadline()
				if !ok {
					t.Fatal("the Mirror waits for nothing")
				}
				x.items("tools/list", 2, false) // those read last
				x.until(at.Sub(t0))
				continue
			}
			listings++
			x.changed("tools")
			x.receive(page(id, "", "a", "b"))
			id++
		}
		if listings != most {
			t.Errorf("%d listings in a minute with an interval of %v, want %d", listings, interval, most)
		}
	}
}
