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

// manyPages returns how long the reading of a list may take, of a server that has so long for a request.
func manyPages(each time.Duration) time.Duration {
	const slow = 10 // so many pages as slow as that; most lists have one
	if each <= 0 {
		return each
	}
	return slow * min(each, math.MaxInt64/slow)
}

// ask asks for the next page of a listing within what is left of its budget.
func (m *Manager) ask(c *conn, seq uint64, p *op, l listing, o *step) error {
	opt := client.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}
	if end := m.clock.At(l.until); !end.IsZero() {
		opt.Timeout = time.Duration(l.until - m.clock.Now())
		opt.Maximum = opt.Timeout // a question that the server asks meanwhile is none of the list's
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
	if err == nil || !pager.Whole() { // what comes after the end is there already
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

// maxFresh is how long a list is fresh at most, whatever its server says (CACH-018).
const maxFresh = 24 * time.Hour

// freshFor returns how long a result is fresh by what it says of itself: not at all if it says nothing
// that can be (CACH-008).
func freshFor(result jsonrpc.Raw) time.Duration {
	raw, _ := rawjson.Get(string(result), "ttlMs")
	ms, _ := strconv.ParseFloat(raw, 64) // of one out of range what it is out to
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, float64(maxFresh/time.Millisecond)) * float64(time.Millisecond))
}

// listError says why a listing did not come to its end.
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
	case errors.As(err, &verb): // the next page could not be asked for
		return m.verbError(c, p.method, err)
	}
	return e
}

// and adds a page. Its items are copied together, so that the message does not stay.
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
