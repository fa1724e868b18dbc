package manager

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// most is how large a number of a snapshot is.
const most = 1 << 53

// Restore returns the Manager of a snapshot: it continues as the original would, with all times counted
// from now. Links, Ops and Calls of the original stay valid, and the Reqs of unsent messages. options
// returns the Options of each name, in the order of connect; if it returns false the server is dropped,
// with its operations. Config and Options must match those of the original, as for client.Restore.
// Report Ended for each Link whose transport did not survive. Errors: lifecycle.ErrConfig;
// lifecycle.ErrSnapshot for data that is damaged or does not match Config and Options.
func Restore(cfg Config, data []byte, now time.Time, options func(name string) (Options, bool)) (Manager, error) {
	m, err := New(cfg, now)
	if err != nil {
		return Manager{}, err
	}
	f := engine.ReadFields(data)
	if f.Number("manager") != snapshotVersion {
		f.Fail("another version")
	}
	m.step, m.epochs, m.seq = count(f, "step"), count(f, "epochs"), count(f, "seq")
	m.numbers, m.late = count(f, "numbers"), count(f, "late")
	random, err := strconv.ParseUint(f.Text("random"), 16, 64)
	if err != nil {
		f.Fail("random is no number")
	}
	m.random = backoff.Random(random)
	f.Items("ops", 1<<24, func(raw string) { m.restoreOp(f.Object(raw)) })
	r := restoring{m: &m, options: options}
	f.Items("servers", m.env.most, func(raw string) {
		if e := r.conn(f.Object(raw)); e != nil {
			err = e
			f.Fail("a server that cannot be restored: " + e.Error())
		}
	})
	f.Items("closing", 1<<24, func(raw string) { m.restoreClosing(f.Object(raw)) })
	if f.Err() == nil {
		m.orphans()
	}
	switch bad := f.Checked(m.Check); {
	case errors.Is(err, lifecycle.ErrConfig):
		return Manager{}, err
	case bad != nil:
		return Manager{}, bad
	}
	return m, nil
}

func count(f *engine.Fields, name string) uint64 {
	n := f.Number(name)
	if n > most {
		f.Fail(name + " is too large")
		return 0
	}
	return n
}

// small reads a number of at most n.
func small(f *engine.Fields, name string, n uint64) int {
	v := f.Number(name)
	if v > n {
		f.Fail(name + " is too large")
		return 0
	}
	return int(v)
}

// restoring is what reading servers needs.
type restoring struct {
	m       *Manager
	options func(name string) (Options, bool)
}

// conn reads one server. The error is one of its Options or of its session.
func (r restoring) conn(f *engine.Fields) error {
	m := r.m
	c := &conn{rare: &rare{name: f.Text("name"), number: count(f, "number")}, own: true, epoch: count(f, "epoch")}
	if f.Err() != nil {
		return nil
	}
	if m.names.Get(m.hash(c.name), c.name) != nil || m.checkName(c.name) != nil || c.number == 0 || m.conns.Get(c.number) != nil {
		f.Fail("a server twice, or without a name")
		return nil
	}
	opt, ok := r.options(c.name)
	if !ok {
		return nil
	}
	var err error
	if c.set, err = m.settings(opt); err != nil {
		return err
	}
	ways := uint64(len(c.set.ways))
	c.way, c.lastGood = int(count(f, "way")%ways), int(count(f, "good")%ways)
	c.tried = int(min(count(f, "tried"), ways-1))
	c.condition = conditionOf(f, "state")
	c.since, c.until, c.ping, c.seen = f.Instant("since"), f.Instant("until"), f.Instant("ping"), f.Instant("seen")
	if c.until == table.Never && c.opens() { // for a person who has no end of time: as long as this Config says
		c.until = m.clock.After(m.env.human)
	}
	c.pinging, c.heard, c.rooted = f.Flag("pinging"), f.Instant("heard"), f.Flag("rooted")
	c.handshake, c.listens, c.deaf = f.Flag("handshake"), f.Number("listens"), f.Flag("deaf")
	c.acked, c.stale, c.again = f.Number("acked"), f.Flag("stale"), f.Instant("again")
	var known bool
	if c.told, known = protocol.ParseCapability(f.Text("told")); !known {
		f.Fail("a list that is none")
	}
	c.readyCount, c.failures = count(f, "opens"), small(f, "failures", 1<<30)
	c.lists = f.Flag("lists")
	c.misses, c.latency = small(f, "misses", 1<<30), time.Duration(count(f, "latency"))
	if f.Err() == nil && (c.seen > 0 || c.since > 0) {
		f.Fail("a server of the future")
	}
	if f.Err() != nil {
		return nil
	}
	if c.breaker, err = backoff.RestoreBreaker(m.env.cfg.Breaker, f.Raw("breaker"), m.clock.Time()); err != nil {
		return err
	}
	c.err = errorOf(f, f.Raw("error"))
	f.Items("waiters", 1<<20, func(raw string) {
		g := f.Object(raw)
		c.waiters = append(c.waiters, waiter{count(g, "op"), count(g, "slot")})
	})
	f.Items("jobs", 1<<24, func(raw string) { c.restorePurpose(f.Object(raw)) })
	f.Texts("want", c.set.keep, func(uri string) {
		if uri == "" || len(uri) > c.set.text {
			f.Fail("a subscription that is none")
		}
		c.want = c.want.with(m.hash(uri), uri, c.set.keep)
	})
	if c.level = f.Text("level"); len(c.level) > c.set.text {
		f.Fail("a level that is none")
	}
	c.resume = resume{level: f.Flag("levelLeft"), left: c.want.order}
	for skip := c.want.order.Len() - small(f, "wantLeft", uint64(c.want.order.Len())); skip > 0; skip-- {
		c.resume.left, _, _ = first(c.resume.left)
	}
	for leaf := range c.purposes.All() {
		if leaf.V.kind == forResume {
			c.resume.open++
		}
	}
	if c.condition != Restoring {
		c.resume = resume{}
	}
	if f.Err() != nil {
		return nil
	}
	if c.client, err = c.set.ways[c.way].proto.RestoreSession(m.clock.Time().Add(time.Duration(c.seen)), []byte(f.Raw("client"))); err != nil {
		return err
	}
	if !m.restoreLists(f, c) {
		return nil
	}
	m.names = m.names.Put(m.hash(c.name), c.name, c.number)
	m.store(c)
	return nil
}

func (c *conn) restorePurpose(f *engine.Fields) {
	j := purpose{
		kind: purposeKind(small(f, "kind", uint64(purposeKinds-1))), setting: protocol.Setting(small(f, "setting", uint64(protocol.SettingUnsubscribe))),
		op: count(f, "op"), slot: count(f, "slot"), subject: f.Text("subject"),
	}
	if j.kind == forPing || j.kind == forCheckup {
		j.sent = f.Instant("sent")
	}
	req := count(f, "req")
	if f.Err() == nil && (j.kind == 0 || len(j.subject) > c.set.text || j.sent > 0 || c.purposes.Get(req) != nil) {
		f.Fail("a job that is none")
	}
	c.purposes = c.purposes.Put(req, table.Never, j)
}

// restoreLists joins the listings of a server with its session.
func (m *Manager) restoreLists(f *engine.Fields, c *conn) bool {
	for leaf := range c.purposes.All() {
		if leaf.V.kind != forOp {
			continue
		}
		x := m.ops.Get(leaf.V.op)
		if x == nil || x.V.server != c.name || x.V.req != leaf.Key || x.V.kind > opList {
			f.Fail("a request of no operation")
			return false
		}
		if x.V.kind != opList {
			continue
		}
		p, l := x.V, *x.V.list
		pager, err := client.RestorePager(c.client, []byte(l.raw))
		if err != nil || pager.Done() {
			f.Fail("a listing that cannot be restored")
			return false
		}
		l.pager, l.raw = pager, ""
		p.list = &l
		m.ops = m.ops.Put(x.Key, table.Never, p)
	}
	return true
}

func (m *Manager) restoreOp(f *engine.Fields) {
	seq := count(f, "seq")
	p := op{
		kind: opKind(small(f, "kind", uint64(opKinds-1))), method: f.Text("method"), server: f.Text("server"),
		req: count(f, "req"), uri: f.Text("uri"), slots: small(f, "slots", 1<<30),
	}
	if p.kind == opRequest && f.Raw("sent") != "" { // else it is of an older snapshot, and counts from now
		p.sent = f.Instant("sent")
	}
	f.Items("reports", p.slots, func(raw string) {
		g := f.Object(raw)
		r := Checkup{
			Link: Link{g.Text("server"), count(g, "epoch")}, Condition: conditionOf(g, "state"),
			Latency: time.Duration(count(g, "latency")), RetryAt: m.clock.At(g.Instant("retry")),
		}
		r.Err = plain(errorOf(g, g.Raw("error")))
		slot := count(g, "slot")
		if slot >= uint64(p.slots) || p.checkups.Get(slot) != nil {
			g.Fail("a report of no server")
		}
		p.checkups = p.checkups.Put(slot, table.Never, r)
	})
	if p.kind == opList {
		l := &listing{raw: f.Raw("pager"), until: f.Instant("until"), fresh: f.Instant("fresh")}
		var items []jsonrpc.Raw
		f.Items("items", 1<<24, func(raw string) { items = append(items, jsonrpc.Raw(raw)) })
		l.pages = l.pages.and(items)
		p.list = l
	}
	if f.Err() == nil && (p.kind == 0 || seq == 0 || seq > m.seq || m.ops.Get(seq) != nil || p.sent > 0) {
		f.Fail("an operation that is none")
	}
	m.ops = m.ops.Put(seq, table.Never, p)
}

func (m *Manager) restoreClosing(f *engine.Fields) {
	x := &closing{
		name: f.Text("name"), since: f.Instant("since"), waiter: waiter{count(f, "op"), count(f, "slot")}, announced: f.Flag("told"),
	}
	epoch, by := count(f, "epoch"), f.Instant("by")
	if f.Err() == nil && (epoch == 0 || by == table.Never || x.since > 0 || m.closing.Get(epoch) != nil || m.checkName(x.name) != nil) {
		f.Fail("a closing that is none")
	}
	m.closing = m.closing.Put(epoch, by, x)
}

// orphans ends what nothing will end, as its server was left out.
func (m *Manager) orphans() {
	owed := map[uint64]int{}
	for leaf := range m.conns.All() {
		for j := range leaf.V.purposes.All() {
			owed[j.V.op]++
		}
		for _, w := range leaf.V.waiters {
			owed[w.op]++
		}
	}
	for leaf := range m.closing.All() {
		owed[leaf.V.waiter.op]++
	}
	for leaf := range m.ops.All() {
		p := leaf.V
		switch {
		case owed[leaf.Key] == 0:
			m.ops, _ = m.ops.Delete(leaf.Key)
		case p.slots > p.checkups.Len()+owed[leaf.Key]:
			p.slots = p.checkups.Len() + owed[leaf.Key] // slots are numbers, and need not be close
			m.ops = m.ops.Put(leaf.Key, table.Never, p)
		}
	}
}

// conditionOf reads a state by its name.
func conditionOf(f *engine.Fields, member string) Condition {
	at := slices.Index(conditionNames, f.Text(member))
	if at < 0 {
		f.Fail(member + " is no state")
	}
	return Condition(max(at, 0))
}

// errorOf reads an error.
func errorOf(f *engine.Fields, raw string) *Error {
	if raw == "" {
		return nil
	}
	g := f.Object(raw)
	e := &Error{
		Class: Class(small(g, "class", uint64(classCount-1))), Server: g.Text("server"), Method: g.Text("method"),
		Condition: Condition(small(g, "state", uint64(conditionCount-1))), Err: restoredError{g.Text("text"), g.Flag("silent"), g.Number("class") == uint64(ClassUnavailable)},
	}
	if code := g.Text("code"); code != "" {
		var err error
		if e.Code, err = strconv.ParseInt(code, 10, 64); err != nil {
			g.Fail("a code that is no number")
		}
	}
	return e
}

// restoredError is an error from a snapshot, which has its text and what errors.Is says of it.
type restoredError struct {
	text        string
	silent      bool
	unavailable bool
}

// Error returns the text.
func (t restoredError) Error() string { return t.text }

// Is reports whether it was ErrSilent or ErrUnavailable.
func (t restoredError) Is(target error) bool {
	return target == ErrSilent && t.silent || target == ErrUnavailable && t.unavailable
}
