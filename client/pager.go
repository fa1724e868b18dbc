package client

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Errors of a listing.
var (
	// ErrRepeat: the server gave a cursor that it gave before; the listing would not end.
	ErrRepeat = errors.New("client: the list repeats a cursor")
	errPages  = fmt.Errorf("client: the list has too many pages, items or bytes: %w", lifecycle.ErrLimit)
	errCursor = fmt.Errorf("client: a cursor is longer than 64 KiB: %w", lifecycle.ErrLimit)
)

const (
	maxCursor = 64 << 10 // bytes of a cursor
	itemCost  = 64       // bytes that keeping an item takes beside its text
)

// Pager walks a paginated listing (pagination page): it returns cursors byte for byte,
// goes on after an empty page, and stops at a missing cursor, at one that comes again and
// at its limits (PAGE-006, PROMPT-017). It is a value like a State, and belongs to the session of
// the State that its first page was asked of.
//
// The zero Pager is one whose listing has ended.
type Pager struct {
	// MaxPages, MaxItems and MaxBytes bound the listing, MaxBytes what its items take
	// together: each counts with its text and 64 bytes more, so that many small items are
	// bounded as well. Zero or less means 1000, 100,000 and 64 MiB.
	MaxPages, MaxItems, MaxBytes int

	list   *protocol.List
	epoch  engine.Epoch // the session, zero before the first page is asked for
	req    Req
	cursor string
	more   bool                  // another page is to be asked for
	whole  bool                  // the listing has ended, and nothing of it is missing
	seen   table.Table[struct{}] // hashes of the cursors: these may be large
	items  int
	bytes  int
}

// NewPager returns a Pager of the given list: "tools/list", "resources/list",
// "resources/templates/list" or "prompts/list". Errors: ErrParams.
func NewPager(method string) (Pager, error) {
	list := protocol.ListOf(method)
	if list == nil {
		return Pager{}, &lifecycle.OpError{Op: "pager", Err: lifecycle.ErrParams, Method: method}
	}
	return Pager{list: list, more: true}, nil
}

// Done reports whether the listing has ended.
func (p Pager) Done() bool { return !p.more && p.req.IsZero() }

// Whole reports whether the listing has ended and nothing of it is missing. That is so if it failed over
// an empty cursor alone: it was asked with, and the server began anew or refused it with -32602, or it
// came again. The server meant it for the end then, as those do that write it for none.
func (p Pager) Whole() bool { return p.whole }

// Next asks for the next page; Page takes the answer. The first request has no cursor.
// Errors: those of Request, with ErrPhase before the session is ready and ErrRevision or
// ErrCapability where its server has no such list; ErrGone for a Pager of another session or
// State, for one whose page is on its way, and for one with nothing left to ask.
func (p Pager) Next(s State, now time.Time, opt RequestOptions) (Pager, State, Output, error) {
	epoch := s.core.Epoch()
	// PAGE-010
	if !p.more || !p.req.IsZero() || p.epoch != (engine.Epoch{}) && p.epoch != epoch {
		return p, s, Output{}, lifecycle.ErrGone
	}
	// PAGE-018
	params := protocol.RawRequest{Name: p.list.Method}
	if p.seen.Len() > 0 {
		// PAGE-007; PAGE-011: not on the first page.
		params.Body = jsonrpc.Raw(append(rawjson.AppendQuote([]byte(`{"cursor":`), p.cursor), '}'))
	}
	next, out, err := s.Request(now, params, opt)
	if err != nil {
		return p, s, Output{}, err
	}
	p.epoch, p.req, p.more = epoch, out.Req, false
	return p, next, out, nil
}

// Page takes the event that ends the request of Next. It returns the items of the page as
// the server wrote them. An event of another request changes nothing: mine is false. Errors: what
// the request failed with, ErrRepeat, lifecycle.ErrLimit for more pages, items or bytes than the Pager allows, or a cursor of
// more than 64 KiB; the listing has ended then. With the
// last three the items of the page are there, as far as the limits go, and those of the pages
// before are as good as they were.
//
// The empty string is a cursor like any other, so it is asked with (PAGE-012, PAGE-201). Servers that give
// it for the end begin anew then or refuse it: that comes out as ErrRepeat or as their error, and
// Whole is true.
func (p Pager) Page(ev Event) (next Pager, items []jsonrpc.Raw, mine bool, err error) {
	if p.req.IsZero() || ev.Req != p.req || ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed {
		return p, nil, false, nil
	}
	p.req = Req{}
	empty := p.seen.Len() > 0 && p.cursor == ""
	if err := ev.Failure(); err != nil {
		p.whole = empty && ev.Err != nil && ev.Err.Code == jsonrpc.CodeInvalidParams
		return p, nil, true, err
	}
	items, all := p.collect(ev.Body)
	if !all {
		return p, items, true, errPages
	}
	raw, given := rawjson.Get(string(ev.Body), "nextCursor")
	// PAGE-005
	if !given || raw == "null" {
		p.whole = true
		return p, items, true, nil
	}
	cursor, _ := rawjson.Unquote(raw) // the State has checked it
	if len(cursor) > maxCursor {
		return p, items, true, errCursor
	}
	p.cursor = strings.Clone(cursor) // the page itself is not kept
	hash := engine.Hash([2]uint64{}, 'c', cursor)
	switch {
	case p.seen.Get(hash) != nil:
		p.whole = empty || cursor == ""
		return p, items, true, ErrRepeat
	case p.seen.Len()+1 >= limit(p.MaxPages, 1000):
		return p, items, true, errPages
	}
	p.seen = p.seen.Put(hash, table.Never, struct{}{})
	p.more = true
	return p, items, true, nil
}

// collect returns the items of a page; all is false if there are more than the limits
// allow.
func (p *Pager) collect(body jsonrpc.Raw) (items []jsonrpc.Raw, all bool) {
	list, _ := rawjson.Get(string(body), p.list.Member)
	elements, _ := rawjson.Elements(list)
	most, room := limit(p.MaxItems, 100_000), limit(p.MaxBytes, 64<<20)
	for item := range elements.All {
		if p.items++; p.items > most {
			return items, false
		}
		if p.bytes += len(item) + itemCost; p.bytes > room {
			return items, false
		}
		if items == nil { // most lists have items of about one size
			items = make([]jsonrpc.Raw, 0, min(len(list)/(len(item)+1)+1, most))
		}
		items = append(items, jsonrpc.Raw(item))
	}
	return items, true
}

func limit(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
