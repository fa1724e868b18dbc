package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Notifications of subscriptions of ours. Without a session, changes come within a request that stays
// open, and each names it: on a stream that several share nothing else tells them apart. What names none
// belongs to nobody, so that it is reported and not delivered; that a list has changed is for the whole
// connection, and is delivered where no subscription is named at all. One of a subscription that has ended may
// have been on its way: that is nobody's fault, and the number alone tells it (ADR 0003).

// Deliver gives a notification to the application, with the subscription of ours that it is of, if any.
func (c *Core) Deliver(m *jsonrpc.Message, o *lifecycle.Output) {
	var of *table.Leaf[outbound]
	var lacks jsonrpc.Raw
	if c.env.Opens && c.prof.Revision.Stateless() {
		row := c.prof.Revision.Row(m.Method)
		var ok bool
		if of, ok = c.place(row, m, o); !ok {
			return
		}
		if of != nil && row != nil && row.Wait == protocol.WaitListen {
			lacks = c.acknowledged(of, m)
		}
	}
	ev := event(lifecycle.NotificationReceived, o)
	ev.Method, ev.Body, ev.Span = m.Method, m.Body, m.Span
	if of != nil {
		ev.Req = c.Req(of.Key)
	}
	if lacks != "" {
		Downgraded(of.V.name(), of.V.row.Revision(), lifecycle.Call{}, c.Req(of.Key), o)
		o.Events[len(o.Events)-1].Body = lacks
	}
}

// place returns the subscription that a notification is of, nil for none. It returns false after
// reporting one that only a subscription brings, and that is of none (SUBS-008). One that comes before
// the acknowledgement is reported and delivered (SUBS-010).
func (c *Core) place(row *protocol.Row, m *jsonrpc.Message, o *lifecycle.Output) (*table.Leaf[outbound], bool) {
	begins := row != nil && row.Wait == protocol.WaitListen
	changes := row != nil && (row.Lists != nil || row.Setting == protocol.SettingSubscribe)
	id, _ := protocol.MetaOf(m.Body, m.Span).Subscription()
	leaf := c.sent(id)
	switch n, _ := id.Int64(); {
	case leaf != nil && leaf.V.row.Wait == protocol.WaitListen:
		if changes && !leaf.V.acknowledged {
			Violation("SUBS-010", m, o)
		}
		return leaf, true
	case !begins && !changes: // a log message, or one that this library does not know
		return nil, true
	case id.IsZero() && row.Lists != nil: // as mcp-go tells of a list: a hint that harms nobody, and the only one there is
		Violation("SUBS-008", m, o)
		return nil, true
	case leaf == nil && n > 0 && uint64(n) <= c.last:
		ignored("SUBS-008", m, o) // it came after the end
	default:
		Violation("SUBS-008", m, o)
	}
	return nil, false
}

// acknowledged takes that a subscription has begun: its time counts from now on (SUBS-012). It returns
// what the server did not agree to, "" for nothing (SUBS-009).
func (c *Core) acknowledged(leaf *table.Leaf[outbound], m *jsonrpc.Message) (lacks jsonrpc.Raw) {
	v := leaf.V
	v.acknowledged = true
	if v.subject() != "" {
		lacks = protocol.NotAcknowledged(jsonrpc.Raw(v.subject()), m.Body)
		x := *v.ext
		x.subject = ""
		if v.ext = &x; x == (outboundExt{}) {
			v.ext = nil
		}
	}
	c.out = c.out.Put(leaf.Key, min(c.After(v.timeout), v.maxDeadline), v)
	return lacks
}
