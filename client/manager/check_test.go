package manager

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// sound returns a Manager that has one server with a request on its way, one that waits, one that
// is closing, and a health check.
func sound(t *testing.T) Manager {
	t.Helper()
	now := time.Unix(1000, 0)
	m, err := New(Config{Client: client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}}, now)
	if err != nil {
		t.Fatal(err)
	}
	hello := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	for _, name := range []string{"a", "b", "c"} {
		m, _, _ = m.Connect(now, name, Options{Supervise: true, Resubscribe: true})
		link, _ := m.Link(name)
		m, _ = m.Report(now, Report{Kind: Opened, Link: link})
		m, _ = m.Report(now, Report{Kind: Received, Link: link, Message: hello})
	}
	m, _, _ = m.CallTool(now, "a", "t", "", RequestOptions{})
	m, _ = m.Report(now, Report{Kind: Ended, Link: Link{"b", 2}})
	m, _ = m.Disconnect(now, "c")
	m, _ = m.HealthCheck(now)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Check finds what the methods never lead to.
func TestCheck(t *testing.T) {
	for name, harm := range map[string]func(m *Manager, c *conn){
		"a name that is lost":        func(m *Manager, c *conn) { m.names = m.names.Delete(m.hash("a"), "a") },
		"a name too many":            func(m *Manager, _ *conn) { m.names = m.names.Put(m.hash("x"), "x", 9) },
		"a number to come":           func(m *Manager, _ *conn) { m.numbers = 0 },
		"a deadline":                 func(m *Manager, c *conn) { m.conns = m.conns.Put(c.number, 5, c) },
		"an epoch to come":           func(m *Manager, _ *conn) { m.epochs = 0 },
		"an op to come":              func(m *Manager, _ *conn) { m.seq = 0 },
		"a closing without end":      func(m *Manager, _ *conn) { m.closing = m.closing.Put(3, table.Never, &closing{}) },
		"an operation for nothing":   func(m *Manager, _ *conn) { m.ops = m.ops.Put(1, table.Never, op{kind: opRequest}) },
		"a job of nothing":           func(_ *Manager, c *conn) { c.purposes = c.purposes.Put(99, table.Never, purpose{kind: forPing}) },
		"a request for nothing":      func(_ *Manager, c *conn) { c.purposes = table.Table[purpose]{} },
		"a ping that is not there":   func(_ *Manager, c *conn) { c.pinging = true },
		"a state":                    func(_ *Manager, c *conn) { c.condition = Waiting },
		"restoring nothing":          func(_ *Manager, c *conn) { c.condition, c.edit().resume.open = Restoring, 7 },
		"subscriptions in one place": func(m *Manager, c *conn) { c.edit().want.by = c.want.by.Put(m.hash("a:b"), "a:b", 1) },
		"a report that comes twice":  func(_ *Manager, c *conn) { c.edit().waiters = []waiter{{op: 6}} },
	} {
		m := sound(t)
		c := m.named("a")
		harm(&m, c)
		if m.conns.Get(c.number).Deadline != 5 {
			m.store(c)
		}
		if m.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	q := Inbox{}.Push(Event{Kind: PingsMissed}).Push(Event{Kind: SessionEvent})
	for name, harm := range map[string]func(q *Inbox){
		"a count": func(q *Inbox) { q.old[ordinary] = q.old[ordinary].Put(99, table.Never, struct{}{}) },
		"bounds":  func(q *Inbox) { q.opt.Notifications = 0 },
		"a place": func(q *Inbox) { q.same = table.Index[uint64]{} },
		"control": func(q *Inbox) {
			q.queue = q.queue.Put(9, table.Never, letter{})
			q.old[control] = q.old[control].Put(9, table.Never, struct{}{})
		},
	} {
		x := q
		harm(&x)
		if q.Check() != nil || x.Check() == nil {
			t.Errorf("%s: %v, %v", name, q.Check(), x.Check())
		}
	}
}
