package manager

import (
	"cmp"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// RequestOptions are the settings of one request.
type RequestOptions struct {
	// Within is the request of the same server that this one is made for, if any; see
	// lifecycle.RequestOptions.
	Within Call
	// Timeout is how long to wait for the answer; zero means Timeouts.Request, lifecycle.NoTimeout none.
	Timeout time.Duration
	// Maximum is the longest that progress and questions can extend the wait; zero means Timeouts.Maximum,
	// lifecycle.NoTimeout none.
	Maximum time.Duration
	// Progress asks for progress, which arrives as SessionEvent with the Op.
	Progress bool
	// ResetOnProgress restarts Timeout whenever progress comes, up to Maximum.
	ResetOnProgress bool
	// ReplaceToken replaces a progressToken in the params, for a relay.
	ReplaceToken bool
	// Replaces is an earlier request to the same server that is cancelled, if it is still open.
	Replaces Op
	// OutputSchema is what a structured result must satisfy; see
	// lifecycle.RequestOptions.OutputSchema.
	OutputSchema jsonrpc.Raw
}

// Request sends a request to a server. Its Op ends with the unchanged answer (Session), even of a failed
// tool; Err is set for an error of the server and for a missing answer. At its timeout the request is
// cancelled at the server. The OpDone of a ping has the Latency; its default Timeout is Timeouts.Ping.
// Errors: ErrUnknownServer, ErrUnavailable; those of client.State.Request, as lifecycle.ErrCapability,
// ErrLimit, ErrParams, ErrGone (Within has ended, or is of another server).
func (m Manager) Request(now time.Time, name string, p protocol.Params, opt RequestOptions) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	method := protocol.MethodName(p)
	c, err := m.usable(name, method)
	if err != nil {
		return was, Effects{}, err
	}
	if c.stateless() && m.subscribe(c, p, &o) {
		m.run(c, &o)
		m.store(c)
		return m, o.Effects, nil
	}
	if method == ping {
		opt.Timeout = cmp.Or(opt.Timeout, c.set.Ping)
	}
	copt, err := m.options(c, opt)
	if err != nil {
		return was, Effects{}, m.verbError(c, method, err)
	}
	if method == protocol.ToolList.Use && c.set.opt.Meta != "" {
		p = withMeta(p, c.set.opt.Meta)
	}
	next, out, err := c.client.Request(m.clock.Time(), p, copt)
	if err != nil {
		return was, Effects{}, m.verbError(c, method, err)
	}
	row := next.Revision().Row(method)
	x := op{kind: opRequest, method: nameOf(row, method), server: c.name, req: out.Req.Seq(), sent: m.clock.Now()}
	if method == protocol.ResourceList.Use {
		x.uri = c.bounded(row.SubjectOf(p))
	}
	o.Op = m.begin(x)
	m.put(c, out.Req, c.note(purpose{kind: forOp, op: o.Op.seq}, p, row))
	m.advance(c, next, out, &o)
	return m, o.Effects, nil
}

// options turns the options of a request into those of the session.
func (m *Manager) options(c *conn, opt RequestOptions) (client.RequestOptions, error) {
	r := client.RequestOptions{
		Timeout: cmp.Or(opt.Timeout, c.set.Request), Maximum: cmp.Or(opt.Maximum, c.set.Maximum),
		Progress: opt.Progress, ResetOnProgress: opt.ResetOnProgress, ReplaceToken: opt.ReplaceToken,
		OutputSchema: opt.OutputSchema,
	}
	if !opt.Within.isZero() {
		if opt.Within.Link != c.link() {
			return r, lifecycle.ErrGone
		}
		r.Within = c.call(opt.Within)
	}
	if leaf := m.ops.Get(opt.Replaces.seq); leaf != nil && leaf.V.kind == opRequest && leaf.V.server == c.name {
		r.Replaces = c.client.Req(leaf.V.req)
	}
	return r, nil
}

// nameOf returns the name of a method as it is kept: that of its row, or else a copy.
func nameOf(row *protocol.Row, method string) string {
	if row != nil {
		return row.Method
	}
	return strings.Clone(method)
}

// note adds to a purpose what it changes in what is restored.
func (c *conn) note(j purpose, p protocol.Params, row *protocol.Row) purpose {
	if !c.set.opt.Resubscribe || row == nil {
		return j
	}
	if j.setting = row.Setting; j.setting != protocol.SettingNone {
		j.subject = c.bounded(row.SubjectOf(p)) // encoded a second time: these are rare
	}
	if j.subject == "" {
		j.setting = protocol.SettingNone
	}
	return j
}

// withMeta returns the params of a call with the members of meta in its _meta. All else stays
// byte for byte; params that are not valid are returned as they are, to be refused.
func withMeta(p protocol.Params, meta protocol.Raw) protocol.Params {
	body, err := protocol.EncodeParams(p)
	if err != nil {
		return p
	}
	own, _ := rawjson.Get(string(body), "_meta")
	merged := string(meta)
	switch rawjson.Type(own) {
	case "", "null":
	case "object":
		merged = own
		list, _ := rawjson.Members(string(meta))
		for key, val := range list.All {
			if _, has := rawjson.Get(own, key); !has {
				merged = rawjson.Set(merged, key, val)
			}
		}
	default:
		return p
	}
	return protocol.RawRequest{Name: protocol.MethodName(p), Body: jsonrpc.Raw(rawjson.Set(string(body), "_meta", merged))}
}

// Cancel ends an operation at once, with ClassCancelled. If a request is open the server gets a cancellation. Errors:
// lifecycle.ErrGone (it has ended); lifecycle.ErrPhase (a Connect or a Disconnect: disconnect the server).
func (m Manager) Cancel(now time.Time, x Op, reason string) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	leaf := m.ops.Get(x.seq)
	if leaf == nil {
		return was, Effects{}, &Error{Class: ClassConfig, Method: "cancel", Err: lifecycle.ErrGone}
	}
	switch p := &leaf.V; p.kind {
	case opRequest, opList:
		c := m.named(p.server)
		next, out, err := c.client.Cancel(m.clock.Time(), c.client.Req(p.req), reason)
		if err != nil {
			return was, Effects{}, m.verbError(c, "cancel", err)
		}
		m.advance(c, next, out, &o)
	case opHealth:
		e := &Error{Class: ClassCancelled, Method: p.method, Err: &client.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}}
		m.finish(x.seq, &Event{Err: e}, &o)
	default:
		return was, Effects{}, misplaced("cancel")
	}
	return m, o.Effects, nil
}

// List reads all pages of a list: "tools/list", "resources/list", "resources/templates/list",
// "prompts/list". The Op ends with Items; Budget bounds all pages together, and a repeated cursor
// ends it with client.ErrRepeat. An empty cursor that means the end does not fail the list. Errors:
// as Request; lifecycle.ErrParams for another method.
func (m Manager) List(now time.Time, name, method string, budget Budget) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	pager, err := client.NewPager(method)
	if err != nil {
		return was, Effects{}, &Error{Class: ClassConfig, Server: name, Method: method, Err: err}
	}
	var f lifecycle.Filler
	if budget.check(&f); invalid(&f) != nil {
		return was, Effects{}, invalid(&f)
	}
	c, err := m.usable(name, method)
	if err != nil {
		return was, Effects{}, err
	}
	b := budget.overridden(m.env.cfg.Budget)
	if b.Total == 0 {
		b.Total = manyPages(c.set.Request)
	}
	pager.MaxPages, pager.MaxItems, pager.MaxBytes = b.Pages, b.Items, b.Bytes
	seq := m.seq + 1
	p := op{kind: opList, method: strings.Clone(method), server: c.name}
	if err := m.ask(c, seq, &p, listing{pager: pager, until: m.clock.After(b.Total), fresh: table.Never}, &o); err != nil {
		return was, Effects{}, m.verbError(c, method, err)
	}
	o.Op = m.begin(p)
	m.run(c, &o)
	m.store(c)
	return m, o.Effects, nil
}
