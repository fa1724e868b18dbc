package manager

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// manyPages returns the time limit for reading a list, given the limit of a request.
func manyPages(each time.Duration) time.Duration {
	const slow = 10 // number of pages that may take that long each; most lists have one
	if each <= 0 {
		return each
	}
	return slow * min(each, math.MaxInt64/slow)
}

// ask requests the next page of a list within the rest of its budget.
func (m *Manager) ask(c *conn, seq uint64, p *op, l listing, o *step) error {
	opt := client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}
	if end := m.clock.At(l.until); !end.IsZero() {
		opt.Timeout = time.Duration(l.until - m.clock.Now())
		opt.Maximum = opt.Timeout // questions of the server must not extend the list's time
	}
	pager, next, out, err := l.pager.Next(c.client, m.clock.Time(), opt)
	if err != nil {
		return err
	}
	l.pager = pager
	p.req, p.list = out.Req.Seq(), &l
	m.put(c, out.Req, purpose{kind: forOp, op: seq})
	m.absorb(c, next, out, o)
	return nil
}

// page handles the end of the request for a page.
func (m *Manager) page(c *conn, seq uint64, old *op, ev *client.Event, o *step) {
	p, l := *old, *old.list
	pager, items, _, err := l.pager.Page(*ev)
	if err == nil || !pager.Whole() { // what follows a whole list repeats it
		l.pages = l.pages.and(items)
	}
	l.pager = pager
	if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil && c.stateless() {
		l.fresh = min(l.fresh, m.clock.After(freshFor(ev.Body))) // pages may differ (CACH-006)
	}
	if err == nil && !pager.Done() {
		if m.clock.Now() < l.until {
			err = m.ask(c, seq, &p, l, o)
		} else {
			err = &client.Cause{Kind: lifecycle.CauseTimedOut}
		}
		if err == nil {
			m.ops = m.ops.Put(seq, table.Never, p)
			return
		}
	}
	done := Event{Link: c.link(), Session: *ev, Items: l.pages.all(), FreshUntil: m.clock.At(l.fresh)}
	if err != nil && !pager.Whole() {
		done.Err = m.listError(c, &p, ev, err)
	}
	m.finish(seq, &done, o)
}

// maxFresh is the longest time that a list is fresh, whatever its server says (CACH-018).
const maxFresh = 24 * time.Hour

// freshFor returns how long a result is fresh, as it says itself: zero if it does not validly say
// (CACH-008).
func freshFor(result jsonrpc.Raw) time.Duration {
	raw, _ := rawjson.Get(string(result), "ttlMs")
	ms, _ := strconv.ParseFloat(raw, 64) // out of range: ±Inf, which is returned too
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, float64(maxFresh/time.Millisecond)) * float64(time.Millisecond))
}

// listError returns why a list was not read to its end.
func (m *Manager) listError(c *conn, p *op, ev *client.Event, err error) error {
	if e := requestError(c.name, p.method, p.uri, ev); e != nil {
		return e
	}
	e := &Error{Class: ClassProtocol, Server: c.name, Method: p.method, Err: err}
	var cause *client.Cause
	var verb *lifecycle.OpError
	switch {
	case errors.As(err, &cause):
		e.Class = classOf(cause.Kind)
	case errors.As(err, &verb): // the next page could not be requested
		return m.verbError(c, p.method, err)
	}
	return e
}

// and adds a page. It copies the items together, so that their message can be freed.
func (p *pages) and(items []jsonrpc.Raw) *pages {
	if len(items) == 0 {
		return p
	}
	size := 0
	for _, item := range items {
		size += len(item)
	}
	var b strings.Builder
	b.Grow(size)
	for _, item := range items {
		b.WriteString(string(item))
	}
	block, copied := jsonrpc.Raw(b.String()), make([]jsonrpc.Raw, len(items))
	for i, item := range items {
		copied[i], block = block[:len(item)], block[len(item):]
	}
	return &pages{copied, p}
}

// all returns the items of all pages in order.
func (p *pages) all() []jsonrpc.Raw {
	var list [][]jsonrpc.Raw
	for ; p != nil; p = p.before {
		list = append(list, p.items)
	}
	slices.Reverse(list)
	return slices.Concat(list...)
}
