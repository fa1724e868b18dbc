package manager

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// conn is one name and what it is connected to. What a Manager holds is never changed: a step
// works on a copy and stores that.
type conn struct {
	name   string
	number uint64 // its place in the order of connect
	set    *settings

	condition  Condition
	since      int64
	epoch      uint64 // of the incarnation that is open, or that was last
	client     client.State
	seen       int64 // the instant of its last transition
	rooted     bool  // SetRoots was called: its roots outlive the session
	until      int64 // Connecting, Handshaking, Restoring: the end of the patience; Waiting: the next attempt; Ready: when it is stable
	err        *Error
	readyCount uint64
	failures   int // attempts that failed and sessions that were lost since it was last stable
	way        int // the one of set.ways that is or was tried
	lastGood   int // the one that worked last
	tried      int // how many ways this attempt has tried before
	breaker    backoff.Breaker
	waiters    []waiter // who wants to know how this attempt ends

	ping    int64 // Ready: when the next ping is due
	pinging bool  // one is on its way
	heard   int64 // when something last came in since it was sent, never if nothing did
	misses  int
	latency time.Duration

	purposes table.Table[purpose] // what requests of the session are for, by Req.Seq

	want   wanted // subscriptions to restore
	level  string // log level to restore, "" for none
	resume resume // while Restoring
}

// resume is how far a Restoring connection has come.
type resume struct {
	level bool                // the level is to be sent
	left  table.Table[string] // subscriptions to be sent, by their numbers in want
	open  int                 // requests on their way
}

// waiter is an operation that an attempt belongs to.
type waiter struct{ op, slot uint64 }

// purpose says what a request of a session is for.
type purpose struct {
	kind    purposeKind
	setting protocol.Setting // what it changes in what is restored
	op      uint64           // jobOp, jobProbe
	slot    uint64           // jobProbe
	sent    int64            // of pings
	subject string           // the uri, or the level
}

type purposeKind uint8

const (
	forOp      purposeKind = iota + 1 // the request of an operation, or a page of one
	forCheckup                        // the ping of a health check
	forPing                           // a ping of the Manager's own
	forResume                         // a subscription, or the log level, of the session before
	purposeKinds
)

// settings are the Options of a connection made ready. They are never changed.
type settings struct {
	*times
	opt  Options
	ways []way
	keep int // subscriptions that are remembered
	text int // bytes of each
}

// way is one way to a server.
type way struct {
	endpoint any
	proto    *client.State
}

// settings makes the settings of a connection. Errors: ErrConfig.
func (m *Manager) settings(opt Options) (*settings, error) {
	t, err := m.env.times.overridden(opt.Timeouts, opt.Health)
	if err != nil {
		return nil, err
	}
	opt.Fallbacks = slices.Clone(opt.Fallbacks)
	if opt.Meta != "" && !isMeta(opt.Meta) {
		return nil, wrong("Meta", strconv.Quote(clip(string(opt.Meta))), "want a JSON object without progressToken")
	}
	opt.Meta = protocol.Raw(strings.Clone(string(opt.Meta)))
	cfg, proto := m.env.cfg.Client, &m.env.proto
	if opt.Client != nil {
		cfg = copied(*opt.Client)
		opt.Client = &cfg
	}
	if opt.Client != nil || t != m.env.times {
		s, err := client.New(t.client(cfg), m.time())
		if err != nil {
			return nil, wrongClient("Client", err)
		}
		proto = &s
	}
	limits, _ := cfg.Limits.Filled() // New has filled them too
	set := &settings{times: t, opt: opt, ways: []way{{opt.Endpoint, proto}}, keep: limits.Subscriptions, text: limits.Text}
	for _, f := range opt.Fallbacks {
		w := way{f.Endpoint, proto}
		if len(f.Revisions) > 0 {
			other := t.client(cfg)
			other.Revisions = slices.Clone(f.Revisions)
			s, err := client.New(other, m.time())
			if err != nil {
				return nil, wrongClient("Fallbacks", err)
			}
			w.proto = &s
		}
		set.ways = append(set.ways, w)
	}
	return set, nil
}

// isMeta reports whether raw can be merged into the _meta of a request.
func isMeta(raw protocol.Raw) bool {
	if rawjson.Type(string(raw)) != "object" || !rawjson.Valid(string(raw)) {
		return false
	}
	_, has := rawjson.Get(string(raw), "progressToken")
	return !has
}

// checkName returns an error for a name that cannot be one.
func (m *Manager) checkName(name string) error {
	if name == "" || !utf8.ValidString(name) || len(name) > maxName {
		return wrong("name", strconv.Quote(clip(name)), "want UTF-8 of 1 to "+strconv.Itoa(maxName)+" bytes")
	}
	return nil
}

// clip returns the beginning of a text of the caller's that is wrong.
func clip(text string) string { return text[:min(len(text), 64)] }

const maxName = 1024

func (c *conn) link() Link { return Link{c.name, c.epoch} }

// call returns the handle that the session has for a call of its Link: by its numbers, so that
// one from before a Restore is found.
func (c *conn) call(call Call) client.Call {
	if call.IsZero() {
		return client.Call{}
	}
	return c.client.Call(call.Call.Seq(), call.Call.Key())
}

// named returns a copy of what has a name, nil if nothing has.
func (m *Manager) named(name string) *conn {
	if m.env == nil {
		return nil
	}
	n, ok := m.names.get(m.env.key, name)
	if !ok {
		return nil
	}
	c := *m.conns.Get(n).V
	return &c
}

// linked returns a copy of the connection that a link is the live incarnation of, or nil.
func (m *Manager) linked(link Link) *conn {
	c := m.named(link.Server)
	if c == nil || c.epoch != link.Epoch || !c.condition.Live() {
		return nil
	}
	return c
}

// store puts a copy in the place of what it is a copy of.
func (m *Manager) store(c *conn) { m.conns = m.conns.Put(c.number, m.nextDeadline(c), c) }

// nextDeadline returns when something of a connection is due.
func (m *Manager) nextDeadline(c *conn) int64 {
	due := c.until
	if c.condition == Failed { // it waits for somebody who wants it, not for the time
		due = never
	}
	if c.condition == Ready {
		due = min(due, c.ping)
	}
	if c.condition.Live() {
		due = min(due, m.instant(c.client.NextDeadline()))
	}
	return due
}

// move changes the state and says so.
func (m *Manager) move(c *conn, to Condition, e *Error, o *Effects) {
	from := c.condition
	c.condition, c.since = to, m.now
	ev := Event{Kind: ServerChanged, Link: c.link(), From: from, To: to, Err: plain(e)}
	ev.RetryAt = m.retryAt(c)
	o.Events = append(o.Events, ev)
}

// absorb does what an Output of the session asks for. The session of c is the State after it.
func (m *Manager) absorb(c *conn, out client.Output, o *Effects) {
	c.seen = m.now
	for i := range out.Send {
		o.Actions = append(o.Actions, Action{Kind: ActSend, Link: c.link(), Out: out.Send[i], Revision: c.client.Revision()})
	}
	for i := range out.Events {
		m.event(c, out.Events[i], o)
	}
	switch {
	case out.Close != nil && c.condition.Live():
		m.linkLost(c, causeError(c.name, out.Close), false, o)
	case c.silent():
		m.linkLost(c, causeError(c.name, errSilent), false, o)
	}
}

// event takes in one event of the session.
func (m *Manager) event(c *conn, ev client.Event, o *Effects) {
	e := Event{Kind: SessionEvent, Link: c.link(), Session: ev}
	switch ev.Kind {
	case lifecycle.PhaseChanged:
		if ev.To == lifecycle.Ready && c.condition == Handshaking {
			m.handshakeDone(c, o)
		}
		return
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		var leaf *table.Leaf[purpose]
		if c.purposes, leaf = c.purposes.Delete(ev.Req.Seq()); leaf != nil {
			m.requestEnded(c, leaf.V, ev, o)
		}
		return // without a purpose it is initialize
	case lifecycle.ProgressReceived:
		if leaf := c.purposes.Get(ev.Req.Seq()); leaf != nil && leaf.V.kind == forOp {
			e.Op = Op{leaf.V.op}
		}
	}
	if !ev.Call.IsZero() {
		e.Call = Call{c.link(), ev.Call}
	}
	o.Events = append(o.Events, e)
}

// requestEnded takes in the end of a request.
func (m *Manager) requestEnded(c *conn, j purpose, ev client.Event, o *Effects) {
	switch j.kind {
	case forOp:
		m.answered(c, j, ev, o)
	case forCheckup:
		m.checkupEnded(c, j, ev, o)
	case forPing:
		m.pingEnded(c, j, ev, o)
	case forResume:
		m.resumeEnded(c, j, ev, o)
	}
}

// uriOf returns the member of that name of params, "" if it has none.
func textOf(body jsonrpc.Raw, member string) string {
	raw, _ := rawjson.Get(string(body), member)
	s, _ := rawjson.Unquote(raw)
	return s
}
