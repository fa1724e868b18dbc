package exchange_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// request returns the request of the given number, as a State would send it.
func request(n uint64, method string) lifecycle.Outgoing {
	return lifecycle.Outgoing{
		Message: jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(int64(n)), Method: method},
		Req:     lifecycle.MakeReq(nil, n),
	}
}

// cancel returns what withdraws it.
func cancel(n uint64) lifecycle.Outgoing {
	return lifecycle.Outgoing{Message: notification("notifications/cancelled"), Req: lifecycle.MakeReq(nil, n)}
}

func notification(method string) jsonrpc.Message {
	return jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: method}
}

func plainly(method string) lifecycle.Outgoing {
	return lifecycle.Outgoing{Message: notification(method)}
}

var initialized = plainly("notifications/initialized")

// taken takes all that an Order gives out.
func taken(o exchange.Order, at time.Time) (exchange.Order, string, map[string]exchange.Ticket) {
	var names []string
	tickets := map[string]exchange.Ticket{}
	for {
		next, t, m, ok := o.Next(at)
		if !ok {
			return next, strings.Join(names, " "), tickets
		}
		o = next
		name := nameOf(m)
		names = append(names, name)
		tickets[name] = t
	}
}

func nameOf(m lifecycle.Outgoing) string {
	name := strings.TrimPrefix(m.Message.Method, "notifications/")
	if m.Message.Kind == jsonrpc.KindRequest {
		name += m.Message.ID.String()
	} else if !m.Req.IsZero() {
		name += m.Req.String()[strings.LastIndexFunc(m.Req.String(), func(c rune) bool { return c < '0' || c > '9' })+1:]
	}
	return name
}

// A session from its beginning: what waits for what.
//
// rules are those of the package documentation of client, Contract.
//
// rows: HTTP-005 HTTP-021 HTTP-043
func TestOrder(t *testing.T) {
	step := func(o exchange.Order, at time.Time, want string) (exchange.Order, map[string]exchange.Ticket) {
		t.Helper()
		o, got, tickets := taken(o, at)
		if got != want {
			t.Fatalf("%q goes out, want %q", got, want)
		}
		return o, tickets
	}
	var o exchange.Order
	o, opening := step(o.Add(request(1, "initialize"), plainly("a"), request(2, "ping")), now, "initialize1")
	o, _ = step(o.Add(cancel(1)), now, "")
	if o.Waiting() != 3 {
		t.Errorf("%d wait", o.Waiting())
	}
	o, tickets := step(o.Accepted(opening["initialize1"]), now, "a ping2 cancelled1")
	o = o.Accepted(tickets["ping2"])
	o, tickets = step(o.Add(initialized, request(3, "x"), request(4, "y"), cancel(4), plainly("b"), initialized, plainly("c")), now, "initialized")
	o, _ = step(o.Ended(opening["initialize1"]), now, "")
	o, tickets = step(o.Ended(tickets["initialized"]), now, "x3 b initialized")
	x := tickets["x3"]
	o, tickets = step(o.Ended(tickets["initialized"]), now, "c")
	o = o.Ended(tickets["c"])

	// A cancellation of a request that was not accepted.
	o, _ = step(o.Add(cancel(3), request(5, "z")), now, "z5")
	if _, ok := o.NextDeadline(); ok || o.Waiting() != 0 {
		t.Error("a deadline before the request was sent")
	}
	accepted, _ := step(o.Accepted(x), now, "cancelled3")
	if _, ok := accepted.NextDeadline(); ok {
		t.Error("a deadline after all went")
	}
	step(o.Ended(x), now, "cancelled3")
	o = o.Sent(now, x)
	o = o.Sent(now.Add(time.Hour), x) // a second time, which says nothing new
	at, ok := o.NextDeadline()
	if !ok || !at.Equal(now.Add(250*ms)) {
		t.Fatalf("%v, %v", at, ok)
	}
	o, _ = step(o, at.Add(-1), "")
	o, _ = step(o, at, "cancelled3")
	o, _ = step(o.Accepted(x), at, "")
	if _, ok := o.NextDeadline(); ok {
		t.Error("a deadline after all went")
	}
	step(o.Add(cancel(3)), at, "cancelled3") // of a request that is over

	// Sent first, cancelled later; another Grace.
	o = exchange.Order{Grace: time.Second}
	o, tickets = step(o.Add(request(1, "x")), now, "x1")
	o = o.Sent(now, tickets["x1"]).Add(cancel(1), cancel(1))
	if at, ok = o.NextDeadline(); !ok || !at.Equal(now.Add(time.Second)) {
		t.Fatalf("%v, %v", at, ok)
	}
	step(o, at, "cancelled1")

	// Grace counts from when the request was sent, and that from the latest time seen, also where
	// nothing was to go out then or the time is zero or earlier.
	o, tickets = step(exchange.Order{}.Add(request(1, "x")), now, "x1")
	o, _ = step(o, now.Add(time.Hour), "")
	for _, sent := range []time.Time{now.Add(time.Hour), {}, now} {
		late := o.Sent(sent, tickets["x1"]).Add(cancel(1))
		if at, ok = late.NextDeadline(); !ok || !at.Equal(now.Add(time.Hour+250*ms)) {
			t.Errorf("%v, %v", at, ok)
		}
		late, _ = step(late, at.Add(-1), "")
		late, _ = step(late, at, "cancelled1")
		// Another one is as late as that, and goes at once.
		if late = late.Add(cancel(1)); late.Waiting() != 0 {
			t.Errorf("%d wait", late.Waiting())
		}
		step(late, at, "cancelled1")
	}

	// Neither goes if the request has not.
	step(o.Add(request(7, "x"), plainly("a"), cancel(7)), now, "a")
	step(o.Add(initialized, request(7, "x"), cancel(7)).Accepted(99), now, "initialized")

	// A cancellation that comes after initialized, of a request before it.
	o, _ = step(exchange.Order{}.Add(request(1, "ping")), now, "ping1")
	o, tickets = step(o.Add(initialized, cancel(1)), now, "initialized")
	o, _ = step(o.Accepted(tickets["initialized"]), now, "")
	step(o.Ended(1), now, "cancelled1")

	// A request that is given out again under its Req has another ticket.
	o, tickets = step(exchange.Order{}.Add(request(1, "x")), now, "x1")
	o, again := step(o.Add(request(1, "x")), now, "x1")
	o, _ = step(o.Ended(tickets["x1"]).Add(cancel(1)), now, "")
	step(o.Ended(again["x1"]), now, "cancelled1")

	// What nobody gave out changes nothing.
	if got := (exchange.Order{}).Sent(now, 0).Accepted(0).Ended(5).Sent(now, 7); got != (exchange.Order{}) {
		t.Errorf("%+v", got)
	}
	// A notifications/cancelled without a Req is a message like others.
	step(exchange.Order{}.Add(plainly("notifications/cancelled")), now, "cancelled")
}

// Unposted names what may go out and then what waits, and stops where its reader does.
func TestUnposted(t *testing.T) {
	o := exchange.Order{}.Add(plainly("a"), plainly("b"), initialized, request(1, "x"), plainly("c"))
	all := []string{"a", "b", "initialized", "x1", "c"}
	for most := 1; most <= len(all); most++ {
		var got []string
		for m := range o.Unposted() {
			if got = append(got, nameOf(m)); len(got) == most {
				break
			}
		}
		if !slices.Equal(got, all[:most]) {
			t.Errorf("the first %d: %q", most, got)
		}
	}
	if o.Waiting() != len(all) {
		t.Errorf("%d wait", o.Waiting())
	}
}

// entry is a message in the model.
type entry struct {
	m        lifecycle.Outgoing
	ticket   exchange.Ticket
	out      bool
	accepted bool
	sent     time.Time
	dropped  bool
}

// model is a naive Order: a list of all messages, from which each question is answered anew.
type model struct{ list []entry }

func (o *model) may(i int, at time.Time) bool {
	e := o.list[i]
	if e.out || e.dropped {
		return false
	}
	for _, before := range o.list[:i] {
		if !before.accepted && !before.dropped && (before.m.Message.Method == "initialize" || before.m.Message.Method == "notifications/initialized") {
			return false
		}
	}
	if e.m.Message.Method == "notifications/cancelled" {
		for _, r := range o.list[:i] {
			if r.m.Req == e.m.Req && r.m.Message.Kind == jsonrpc.KindRequest {
				return r.accepted || !r.sent.IsZero() && at.Sub(r.sent) >= 250*ms
			}
		}
	}
	return true
}

func (o *model) add(m lifecycle.Outgoing) {
	if m.Message.Method == "notifications/cancelled" {
		for i, r := range o.list {
			if r.m.Req == m.Req && r.m.Message.Kind == jsonrpc.KindRequest && !r.out {
				o.list[i].dropped = true
				o.list = append(o.list, entry{m: m, dropped: true})
				return
			}
		}
	}
	o.list = append(o.list, entry{m: m})
}

// Whatever is added, accepted and ended in whatever order, an Order gives out what the model
// lets go, each message once, and at the deadline what waits for one.
func TestOrderModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o exchange.Order
		m := &model{}
		at := now
		reqs := uint64(0)
		var open []uint64 // requests that were not cancelled
		if rapid.Bool().Draw(t, "from the beginning") {
			reqs++
			o = o.Add(request(reqs, "initialize"))
			m.add(request(reqs, "initialize"))
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			kept, waiting := o, o.Waiting()
			switch rapid.IntRange(0, 6).Draw(t, "verb") {
			case 0:
				var batch []lifecycle.Outgoing
				for range rapid.IntRange(1, 3).Draw(t, "n") {
					reqs++
					open = append(open, reqs)
					batch = append(batch, request(reqs, "x"))
				}
				o = o.Add(batch...)
				for _, b := range batch {
					m.add(b)
				}
			case 1:
				n := rapid.SampledFrom([]string{"a", "notifications/initialized"}).Draw(t, "name")
				o = o.Add(plainly(n))
				m.add(plainly(n))
			case 2:
				if len(open) > 0 {
					i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
					o = o.Add(cancel(open[i]))
					m.add(cancel(open[i]))
					open = slices.Delete(open, i, i+1)
				}
			case 3, 4:
				if len(m.list) > 0 {
					e := &m.list[rapid.IntRange(0, len(m.list)-1).Draw(t, "which")]
					if e.out && rapid.Bool().Draw(t, "accepted") {
						e.accepted = true
						if rapid.Bool().Draw(t, "ended") {
							o = o.Ended(e.ticket)
						} else {
							o = o.Accepted(e.ticket)
						}
					} else if e.out && e.m.Message.Kind == jsonrpc.KindRequest && e.sent.IsZero() {
						e.sent = at
						o = o.Sent(at, e.ticket)
					}
				}
			case 5:
				at = at.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "passes")) * ms)
			case 6:
				if next, ok := o.NextDeadline(); ok {
					at = maxTime(at, next)
				}
			}
			if kept.Waiting() != waiting {
				t.Fatal("a value changed")
			}
			if rapid.Bool().Draw(t, "take") {
				o = m.take(t, o, at)
			}
		}
		// At the end all is accepted, and everything goes.
		for range len(m.list) + 1 {
			o = m.take(t, o, at)
			for i := range m.list {
				if m.list[i].out && !m.list[i].accepted {
					m.list[i].accepted = true
					o = o.Accepted(m.list[i].ticket)
				}
			}
		}
		for _, e := range m.list {
			if !e.out && !e.dropped {
				t.Fatalf("%s never goes", nameOf(e.m))
			}
		}
		if _, ok := o.NextDeadline(); ok || o.Waiting() != 0 {
			t.Fatalf("%d wait at the end", o.Waiting())
		}
	})
}

func maxTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// take takes what the Order gives out, which has to be what the model lets go.
func (o *model) take(t *rapid.T, x exchange.Order, at time.Time) exchange.Order {
	for {
		var may []int
		for i := range o.list {
			if o.may(i, at) {
				may = append(may, i)
			}
		}
		next, ticket, m, ok := x.Next(at)
		if !ok {
			if len(may) > 0 {
				t.Fatalf("%s does not go", nameOf(o.list[may[0]].m))
			}
			if deadline, ok := next.NextDeadline(); ok && !deadline.After(at) {
				t.Fatal("a deadline that has come")
			}
			return next
		}
		found := slices.IndexFunc(may, func(i int) bool { return nameOf(o.list[i].m) == nameOf(m) })
		if found < 0 {
			t.Fatalf("%s goes out", nameOf(m))
		}
		o.list[may[found]].out, o.list[may[found]].ticket = true, ticket
		x = next
	}
}

// What waits behind an initialized that is never accepted costs no more for each message.
func TestOrderCost(t *testing.T) {
	o := exchange.Order{}.Add(initialized)
	start := time.Now()
	for i := range uint64(20_000) {
		o = o.Add(request(i+1, "x"))
	}
	o, _, _, _ = o.Next(now)
	o = o.Accepted(1)
	n := 0
	for {
		next, _, _, ok := o.Next(now)
		if !ok {
			break
		}
		o = next
		n++
	}
	if n != 20_000 || time.Since(start) > 20*time.Second {
		t.Errorf("%d messages in %v", n, time.Since(start))
	}
}
