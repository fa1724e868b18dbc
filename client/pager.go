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

// Errors of a Pager.
var (
	// ErrRepeat: the server repeated a cursor; the list would not end.
	ErrRepeat = errors.New("client: the list repeats a cursor")
	errPages  = fmt.Errorf("client: the list has too many pages, items or bytes: %w", lifecycle.ErrLimit)
	errCursor = fmt.Errorf("client: a cursor is longer than 64 KiB: %w", lifecycle.ErrLimit)
)

const (
	maxCursor = 64 << 10 // bytes of a cursor
	itemCost  = 64       // bytes of memory that an item takes in addition to its text
)

// Pager reads a paginated list (pagination page). It returns cursors byte for byte, continues
// after an empty page, and stops at a missing cursor, at a repeated one and at its limits
// (PAGE-006, PROMPT-017). It is a value like a State, and belongs to the session whose State sent
// its first request.
//
// The zero Pager is done.
type Pager struct {
	// MaxPages, MaxItems and MaxBytes bound the list. MaxBytes bounds all its items
	// together: each counts with its text and 64 bytes more, so that many small items are
	// bounded too. Zero or less means 1000, 100,000 and 64 MiB.
	MaxPages, MaxItems, MaxBytes int

	list   *protocol.List
	epoch  engine.Epoch // the session, zero before the first request
	req    Req
	cursor string
	more   bool                  // another page follows
	whole  bool                  // the list has ended and is complete
	seen   table.Table[struct{}] // hashes of the cursors, which may be long
	items  int
	bytes  int
}

// NewPager returns a Pager for the given method: "tools/list", "resources/list",
// "resources/templates/list" or "prompts/list". Errors: ErrParams for any other.
func NewPager(method string) (Pager, error) {
	list := protocol.ListOf(method)
	if list == nil {
		return Pager{}, &lifecycle.OpError{Op: "pager", Err: lifecycle.ErrParams, Method: method}
	}
	return Pager{list: list, more: true}, nil
}

// Done reports whether the Pager has read the last page or failed.
func (p Pager) Done() bool { return !p.more && p.req.IsZero() }

// Whole reports whether the Pager is done and the list is complete. It is also true if reading ended
// because of an empty cursor: the server started again from the first page, refused the cursor with
// -32602, or repeated it. Such servers write an empty cursor at the end of a list.
func (p Pager) Whole() bool { return p.whole }

// Next requests the next page; Page handles the answer. The first request has no cursor.
// Errors: those of Request, with ErrPhase before the session is ready and ErrRevision or
// ErrCapability if the server has no such list; ErrGone if the Pager belongs to another
// session or State, awaits a page, or has no page left to request.
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

// Page handles the event that ends the request of Next, and returns the items of the page as the server wrote
// them. For an event of another request, mine is false and nothing changes. Errors: the failure of the
// request, ErrRepeat, and lifecycle.ErrLimit for more pages, items or bytes than the Pager allows, or for a
// cursor longer than 64 KiB; each ends the Pager. With ErrRepeat and ErrLimit, items has those within the
// limits, and earlier pages stay valid.
//
// The empty string is a cursor like any other, so Next sends it (PAGE-012, PAGE-201). A server that means the
// end of the list by it starts again or refuses it: Page then returns ErrRepeat or the server's error, and
// Whole returns true.
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
	p.cursor = strings.Clone(cursor) // do not keep the page in memory
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

// collect returns the items of a page; all is false if a limit was reached.
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
		if items == nil { // most lists have items of similar size
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
