package manager

import (
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// forgets has, for each member of conn, what is seen of it; what may differ between a connection
// that has Replaced another one and the first of its name is nil.
var forgets = map[string]func(c *conn) any{
	"name":   func(c *conn) any { return c.name },
	"number": nil, "epoch": nil, "since": nil, "seen": nil, // places in time and order
	"rare": nil, "own": nil, "woke": nil, // the members of rare are looked at one by one, and the others are of a step
	"set": func(c *conn) any {
		return []any{*c.set.times, c.set.opt.TrustAnnotations, c.set.opt.Meta, c.set.keep, c.set.text}
	},
	"condition":  func(c *conn) any { return c.condition },
	"client":     func(c *conn) any { return []any{c.client.Phase(), len(c.client.Roots()), c.client.Revision()} },
	"handshake":  func(c *conn) any { return c.handshake },
	"listens":    func(c *conn) any { return c.listens },
	"acked":      func(c *conn) any { return c.acked },
	"told":       func(c *conn) any { return c.told },
	"stale":      func(c *conn) any { return c.stale },
	"deaf":       func(c *conn) any { return c.deaf },
	"lists":      func(c *conn) any { return c.lists },
	"again":      func(c *conn) any { return c.again },
	"rooted":     func(c *conn) any { return c.rooted },
	"until":      func(c *conn) any { return c.until - c.since },
	"err":        func(c *conn) any { return c.err },
	"readyCount": func(c *conn) any { return c.readyCount },
	"failures":   func(c *conn) any { return c.failures },
	"way":        func(c *conn) any { return c.way },
	"lastGood":   func(c *conn) any { return c.lastGood },
	"tried":      func(c *conn) any { return c.tried },
	"breaker":    func(c *conn) any { return string(c.breaker.AppendJSON(nil, time.Unix(1e9, 0))) },
	"waiters":    func(c *conn) any { return len(c.waiters) },
	"ping":       func(c *conn) any { return c.ping },
	"pinging":    func(c *conn) any { return c.pinging },
	"heard":      func(c *conn) any { return c.heard },
	"misses":     func(c *conn) any { return c.misses },
	"latency":    func(c *conn) any { return c.latency },
	"purposes":   func(c *conn) any { return c.purposes.Len() },
	"want":       func(c *conn) any { return c.want.order.Len() },
	"level":      func(c *conn) any { return c.level },
	"resume":     func(c *conn) any { return []any{c.resume.level, c.resume.open, c.resume.left.Len()} },
}

// Row B25: a Connect that replaces a server, or follows its end, begins as if there had been none.
// Each member of conn is looked at; a new one fails the test until it is in the table.
func TestReplaceForgets(t *testing.T) {
	now := time.Unix(1000, 0)
	cfg := Config{Client: client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}, Roots: []protocol.Root{}}}
	hello := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{},"resources":{"subscribe":true}},"serverInfo":{"name":"s","version":"1"}}}`)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fresh, err := New(cfg, now)
	check(err)
	fresh, _, err = fresh.Connect(now, "a", Options{Resubscribe: true})
	check(err)

	m, err := New(cfg, now)
	check(err)
	old := Options{Supervise: true, Resubscribe: true, TrustAnnotations: true, Meta: `{"a":1}`, Timeouts: Timeouts{Ping: time.Second}, Fallbacks: []Fallback{{}}}
	m, _, err = m.Connect(now, "a", old)
	check(err)
	step := func(next Manager, _ Effects, err error) {
		t.Helper()
		check(err)
		m = next
	}
	link := func() Link { l, _ := m.Link("a"); return l }
	m, _ = m.Report(now, Report{Kind: OpenFailed, Link: link()}) // the other way is the good one
	m, _ = m.Report(now, Report{Kind: Opened, Link: link()})
	m, _ = m.Report(now, Report{Kind: Received, Link: link(), Message: hello})
	step(m.SetRoots(now, "a", []protocol.Root{{URI: "file:///x"}}))
	step(m.Request(now, "a", protocol.SubscribeParams{URI: "a:b"}, RequestOptions{}))
	m, _ = m.Report(now, Report{Kind: Received, Link: link(), Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{}}`)})
	step(m.Request(now, "a", protocol.SetLevelParams{Level: "error"}, RequestOptions{}))
	m, _ = m.Report(now, Report{Kind: Received, Link: link(), Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":3,"result":{}}`)})
	step(m.Request(now, "a", protocol.PingParams{}, RequestOptions{}))
	m, _ = m.Report(now.Add(time.Millisecond), Report{Kind: Received, Link: link(), Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":4,"result":{}}`)})
	m, _ = m.Report(now, Report{Kind: Ended, Link: link()}) // lost, and it waits
	used := m.named("a")

	replaced, _, err := m.Connect(now, "a", Options{Resubscribe: true, Replace: true})
	check(err)
	gone, _ := m.Disconnect(now, "a")
	gone, _, err = gone.Connect(now, "a", Options{Resubscribe: true})
	check(err)
	differ := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[conn]()) { // those of rare too
		name := field.Name
		see, listed := forgets[name]
		if !listed {
			t.Errorf("conn.%s is in no table: say what is seen of it", name)
		}
		if see == nil {
			continue
		}
		want := see(fresh.named("a"))
		if !reflect.DeepEqual(see(used), want) {
			differ++
		}
		for how, m := range map[string]Manager{"Replace": replaced, "Disconnect": gone} {
			if got := see(m.named("a")); !reflect.DeepEqual(got, want) {
				t.Errorf("after %s conn.%s is %+v, and at first %+v", how, name, got, want)
			}
		}
	}
	if differ < 14 {
		t.Errorf("only %d members of the connection before had changed", differ)
	}
}
