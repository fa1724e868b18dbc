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
		"a name that is lost":        func(m *Manager, c *conn) { m.names = m.names.without(m.env.key, "a") },
		"a name too many":            func(m *Manager, _ *conn) { m.names = m.names.with(m.env.key, "x", 9) },
		"a number to come":           func(m *Manager, _ *conn) { m.numbers = 0 },
		"a deadline":                 func(m *Manager, c *conn) { m.conns = m.conns.Put(c.number, 5, c) },
		"an epoch to come":           func(m *Manager, _ *conn) { m.epochs = 0 },
		"an op to come":              func(m *Manager, _ *conn) { m.seq = 0 },
		"a closing without end":      func(m *Manager, _ *conn) { m.closing = m.closing.Put(3, table.Never, &closing{}) },
		"an operation for nothing":   func(m *Manager, _ *conn) { m.ops = m.ops.Put(1, table.Never, op{kind: opPing}) },
		"a job of nothing":           func(_ *Manager, c *conn) { c.purposes = c.purposes.Put(99, table.Never, purpose{kind: forPing}) },
		"a request for nothing":      func(_ *Manager, c *conn) { c.purposes = table.Table[purpose]{} },
		"a ping that is not there":   func(_ *Manager, c *conn) { c.pinging = true },
		"a state":                    func(_ *Manager, c *conn) { c.condition = Waiting },
		"restoring nothing":          func(_ *Manager, c *conn) { c.condition, c.resume.open = Restoring, 7 },
		"subscriptions in one place": func(m *Manager, c *conn) { c.want.by = c.want.by.with(m.env.key, "a:b", 1) },
		"a report that comes twice":  func(_ *Manager, c *conn) { c.waiters = []waiter{{op: 6}} },
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
		"a count": func(q *Inbox) { q.count[ordinary]++ },
		"bounds":  func(q *Inbox) { q.opt.Notifications = 0 },
		"a place": func(q *Inbox) { q.same = index{} },
		"control": func(q *Inbox) {
			q.queue = q.queue.Put(9, table.Never, letter{})
			q.count[control]++
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

// Texts whose hashes fall together are told apart.
func TestIndex(t *testing.T) {
	var x index
	var key [2]uint64
	x = x.with(key, "a", 1)
	h := hash(key, "a")
	x.t = x.t.Put(h, table.Never, append(x.t.Get(h).V, entry{"b", 2})) // as if it fell there
	if n, ok := x.get(key, "a"); !ok || n != 1 {
		t.Error(n, ok)
	}
	y := x.without(key, "a")
	if _, ok := y.get(key, "a"); ok || len(y.t.Get(h).V) != 1 || len(x.t.Get(h).V) != 2 {
		t.Error("not told apart")
	}
	if z := y.without(key, "c"); z.t != y.t {
		t.Error("something was removed")
	}
	if y = y.with(key, "a", 3); len(y.t.Get(h).V) != 2 {
		t.Error("it does not go where it falls")
	}
}

// The instants of a restored Manager may lie before its origin.
func TestAddTo(t *testing.T) {
	for _, tt := range []struct {
		at   int64
		d    time.Duration
		want int64
	}{{-5, 10, 5}, {5, 10, 15}, {never - 5, 5, never}, {never - 5, 4, never - 1}, {-5, time.Duration(never), never - 5}} {
		if got := addTo(tt.at, tt.d); got != tt.want {
			t.Errorf("%d + %d = %d, want %d", tt.at, tt.d, got, tt.want)
		}
	}
}
