package client

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// AppendJSON appends the Pager as a JSON object, for RestorePager: beside the Snapshot of the
// State that it belongs to. A Pager whose listing has ended is {}.
func (p Pager) AppendJSON(dst []byte) []byte {
	if p.Done() {
		return append(dst, "{}"...)
	}
	dst = append(rawjson.AppendQuote(append(dst, `{"list":`...), p.list.Method), `,"limits":[`...)
	for i, n := range [...]int{p.MaxPages, p.MaxItems, p.MaxBytes} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(max(n, 0)), 10)
	}
	dst = append(dst, `],"seen":[`...)
	for leaf := range p.seen.All() {
		if dst[len(dst)-1] != '[' {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, leaf.Key, 10)
	}
	dst = strconv.AppendInt(append(dst, `],"items":`...), int64(p.items), 10)
	dst = strconv.AppendInt(append(dst, `,"bytes":`...), int64(p.bytes), 10)
	if p.epoch != (engine.Epoch{}) {
		dst = append(dst, `,"begun":true`...)
	}
	if p.cursor != "" {
		dst = rawjson.AppendQuote(append(dst, `,"cursor":`...), p.cursor)
	}
	if !p.req.IsZero() {
		dst = strconv.AppendUint(append(dst, `,"req":`...), p.req.Seq(), 10)
	}
	return append(dst, '}')
}

// RestorePager returns the Pager that AppendJSON has written, for the restored State that it
// belongs to: one whose page is on its way takes the answer from there. Errors:
// lifecycle.ErrSnapshot.
func RestorePager(s State, data []byte) (Pager, error) {
	f := engine.ReadFields(data)
	if f.Err() == nil && f.Raw("list") == "" {
		return Pager{}, nil
	}
	p := Pager{list: protocol.ListOf(f.Text("list")), cursor: f.Text("cursor")}
	if f.Err() == nil && (p.list == nil || len(p.cursor) > maxCursor) {
		f.Fail("a pager of no list, or with too long a cursor")
	}
	limits := [3]*int{&p.MaxPages, &p.MaxItems, &p.MaxBytes}
	n := 0
	f.Items("limits", len(limits), func(raw string) {
		*limits[n] = int(pagerNumber(f, raw))
		n++
	})
	f.Items("seen", limit(p.MaxPages, 1000), func(raw string) {
		h, err := strconv.ParseUint(raw, 10, 64)
		if err != nil || p.seen.Get(h) != nil {
			f.Fail("cursors that are no hashes")
		}
		p.seen = p.seen.Put(h, table.Never, struct{}{})
	})
	p.items, p.bytes = int(pagerNumber(f, f.Raw("items"))), int(pagerNumber(f, f.Raw("bytes")))
	if f.Flag("begun") {
		p.epoch = s.core.Epoch()
	}
	if f.Raw("req") != "" {
		p.req = s.Req(f.Number("req"))
	}
	p.more = p.req.IsZero()
	if f.Err() == nil && (!p.req.IsZero() || p.seen.Len() > 0 || p.cursor != "") && p.epoch == (engine.Epoch{}) {
		f.Fail("a pager that has asked nobody")
	}
	if err := f.Err(); err != nil {
		return Pager{}, err
	}
	return p, nil
}

// pagerNumber reads a number that a Pager can have come to.
func pagerNumber(f *engine.Fields, raw string) int64 {
	n, ok := rawjson.Int(raw)
	if !ok || n < 0 || n > 1<<53 {
		f.Fail("a pager that counts wrong")
		return 0
	}
	return n
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use AppendJSON.
func (Pager) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
