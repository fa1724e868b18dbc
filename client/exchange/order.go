package exchange

import (
	"cmp"
	"iter"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Ticket names a message that an Order gave out. The zero Ticket names no message.
type Ticket uint64

// Order says which messages may be posted when. Every message is an HTTP request of its own, and
// requests overtake each other, so that some have to wait:
//
//   - initialize is alone until its answer begins, for that has the session id;
//   - what comes after notifications/initialized waits until that was accepted;
//   - notifications/cancelled waits until the request that it withdraws was accepted or
//     has ended, and no longer than Grace once that was sent, since many servers answer
//     with nothing before the answer. Of a request that has not gone out neither goes.
//
// All else goes at once. An Order is a value, as an Exchange is; the zero Order is ready for use.
// A session has an Order of its own. Each of its methods takes a time that hardly depends on how much
// waits.
type Order struct {
	// Grace is how long after its request was sent a notifications/cancelled goes out in any
	// case; zero or less means 250 ms.
	Grace time.Duration

	last    Ticket
	opening Ticket                          // initialize or initialized, until it is accepted
	ready   table.Table[lifecycle.Outgoing] // by Ticket: what may go
	held    table.Table[lifecycle.Outgoing] // by Ticket: what comes after opening
	posted  table.Table[posted]             // by Ticket: requests that were given out and not accepted
	tickets table.Table[Ticket]             // by Req.Seq: the tickets of requests in ready, held and posted
	clock   clock.Clock
}

// posted is a request that the server has not accepted.
type posted struct {
	seq    uint64
	sent   bool
	at     int64               // when it was sent
	cancel *lifecycle.Outgoing // what withdraws it; it is never changed
	ticket Ticket              // of cancel
}

// Add takes messages that the State wants sent, in their order: Output.Send.
func (o Order) Add(send ...lifecycle.Outgoing) Order {
	for _, m := range send {
		o.last++
		o = o.add(o.last, m)
	}
	return o
}

// add takes a message under its ticket.
func (o Order) add(t Ticket, m lifecycle.Outgoing) Order {
	if next, ok := o.withdraw(t, m); ok {
		return next
	}
	if m.Message.Kind == jsonrpc.KindRequest {
		o.tickets = o.tickets.Put(m.Req.Seq(), table.Never, t)
	}
	if o.opening != 0 {
		o.held = o.held.Put(uint64(t), table.Never, m)
		return o
	}
	if protocol.Opens(m.Message.Method) {
		o.opening = t
	}
	o.ready = o.ready.Put(uint64(t), table.Never, m)
	return o
}

// withdraw takes a notifications/cancelled whose request is here; ok is false for all else. The
// request that has not gone out is dropped with it, the other one gets it to wait.
func (o Order) withdraw(t Ticket, m lifecycle.Outgoing) (next Order, ok bool) {
	if m.Message.Kind != jsonrpc.KindNotification || !protocol.Withdraws(m.Message.Method) || m.Req.IsZero() {
		return o, false
	}
	found := o.tickets.Get(m.Req.Seq())
	if found == nil || found.V == o.opening {
		return o, false
	}
	key := uint64(found.V)
	waits := o.posted.Get(key)
	if waits == nil {
		o.tickets, _ = o.tickets.Delete(m.Req.Seq())
		o.ready, _ = o.ready.Delete(key)
		o.held, _ = o.held.Delete(key)
		return o, true
	}
	if o.opening != 0 {
		return o, false // it comes here again, once what it waits for is accepted
	}
	p := waits.V
	if p.cancel != nil {
		return o, true // one is enough
	}
	kept := m // for m itself would be kept of each message
	p.cancel, p.ticket = &kept, t
	return o.put(key, p), true
}

// put puts a posted request back, due when what waits for it may go.
func (o Order) put(key uint64, p posted) Order {
	deadline := int64(table.Never)
	if p.sent && p.cancel != nil {
		deadline = clock.Later(p.at, cmp.Or(max(o.Grace, 0), 250*time.Millisecond))
	}
	o.posted = o.posted.Put(key, deadline, p)
	return o
}

// Next returns the next message that may be posted now; ok is false if all have to wait.
func (o Order) Next(now time.Time) (next Order, t Ticket, m lifecycle.Outgoing, ok bool) {
	o.clock.Take(now)
	var due []*table.Leaf[posted]
	o.posted, due = o.posted.Expire(o.clock.Now())
	for _, l := range due {
		o = o.free(l.V)
		o = o.put(l.Key, posted{seq: l.V.seq, sent: true, at: l.V.at})
	}
	for l := range o.ready.All() {
		o.ready, _ = o.ready.Delete(l.Key)
		if l.V.Message.Kind == jsonrpc.KindRequest {
			o = o.put(l.Key, posted{seq: l.V.Req.Seq()})
		}
		return o, Ticket(l.Key), l.V, true
	}
	return o, 0, lifecycle.Outgoing{}, false
}

// free lets go what waits for a request.
func (o Order) free(p posted) Order {
	if p.cancel != nil {
		o.ready = o.ready.Put(uint64(p.ticket), table.Never, *p.cancel)
	}
	return o
}

// Sent says that the request of t was written to the server, as far as this side knows.
func (o Order) Sent(now time.Time, t Ticket) Order {
	l := o.posted.Get(uint64(t))
	if l == nil || l.V.sent {
		return o
	}
	o.clock.Take(now)
	p := l.V
	p.sent, p.at = true, o.clock.Now()
	return o.put(l.Key, p)
}

// Accepted says that the server has answered the request of t with a status of 2xx:
// Exchange.Accepted became true. Of initialize, say so once its Exchange.SessionID is stored.
func (o Order) Accepted(t Ticket) Order {
	var l *table.Leaf[posted]
	if o.posted, l = o.posted.Delete(uint64(t)); l != nil {
		o = o.free(l.V)
		if found := o.tickets.Get(l.V.seq); found != nil && found.V == t {
			o.tickets, _ = o.tickets.Delete(l.V.seq)
		}
	}
	if t == 0 || t != o.opening {
		return o
	}
	held := o.held
	o.opening, o.held = 0, table.Table[lifecycle.Outgoing]{}
	for l := range held.All() {
		o = o.add(Ticket(l.Key), l.V)
	}
	return o
}

// Ended says that the exchange of t is Done or Lost. It includes Accepted. What waits for it
// goes out: where initialize or notifications/initialized is lost, the State decides what
// becomes of the session.
func (o Order) Ended(t Ticket) Order { return o.Accepted(t) }

// NextDeadline returns when Next has another message though nothing else happens; ok is false if
// it will not. It is for the time after Next has returned false.
func (o Order) NextDeadline() (at time.Time, ok bool) {
	first := o.posted.Min()
	return o.clock.At(first), first != table.Never
}

// Unposted iterates over the messages that have not been given out, beside the notifications/cancelled
// that wait for their request.
func (o Order) Unposted() iter.Seq[lifecycle.Outgoing] {
	return func(yield func(lifecycle.Outgoing) bool) {
		for l := range o.ready.All() {
			if !yield(l.V) {
				return
			}
		}
		for l := range o.held.All() {
			if !yield(l.V) {
				return
			}
		}
	}
}

// Waiting returns how many messages have not been given out, beside the notifications/cancelled
// that wait for their request.
func (o Order) Waiting() int { return o.ready.Len() + o.held.Len() }
