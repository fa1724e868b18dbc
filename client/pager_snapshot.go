package client

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// AppendJSON appends the Pager as a JSON object, for RestorePager. Store it with the Snapshot
// of its State. A Pager that is done becomes {}.
func (p Pager) AppendJSON(dst []byte) []byte {
	if p.Done() {
		return append(dst, "{}"...)
	}
	w := engine.Writer{Writer: rawjson.Writer{Dst: append(dst, '{')}}
	w.Text("list", p.list.Method)
	w.List("limits", 1, func() {
		for _, n := range [...]int{p.MaxPages, p.MaxItems, p.MaxBytes} {
			w.Element(strconv.Itoa(max(n, 0)))
		}
	})
	w.List("seen", p.seen.Len(), func() {
		for leaf := range p.seen.All() {
			w.Element(strconv.FormatUint(leaf.Key, 10))
		}
	})
	w.Number("items", uint64(p.items))
	w.Number("bytes", uint64(p.bytes))
	w.Flag("begun", p.epoch != (engine.Epoch{}))
	w.Text("cursor", p.cursor)
	w.Number("req", p.req.Seq())
	return append(w.Dst, '}')
}

// RestorePager returns the Pager that AppendJSON wrote, for the restored State that it
// belongs to. If the Pager awaits a page, the restored State delivers it. Errors:
// lifecycle.ErrSnapshot.
func RestorePager(s State, data []byte) (Pager, error) {
	f := engine.ReadFields(data)
	if f.Err() == nil && f.Raw("list") == "" {
		return Pager{}, nil
	}
	p := Pager{list: protocol.ListOf(f.Text("list")), cursor: f.Text("cursor")}
	if f.Err() == nil && (p.list == nil || len(p.cursor) > maxCursor) {
		f.Fail("pager: unknown list or cursor too long")
	}
	limits := [3]*int{&p.MaxPages, &p.MaxItems, &p.MaxBytes}
	n := 0
	f.Items("limits", len(limits), func(raw string) {
		v, ok := rawjson.Int(raw)
		if !ok || v < 0 {
			f.Fail("pager: invalid limit")
		}
		*limits[n] = int(v)
		n++
	})
	f.Items("seen", limit(p.MaxPages, 1000), func(raw string) {
		h, err := strconv.ParseUint(raw, 10, 64)
		if err != nil || p.seen.Get(h) != nil {
			f.Fail("pager: invalid or repeated cursor hash")
		}
		p.seen = p.seen.Put(h, table.Never, struct{}{})
	})
	items, bytes := f.Number("items"), f.Number("bytes")
	if items > 1<<53 || bytes > 1<<53 {
		f.Fail("pager: count of items or bytes too large")
	}
	p.items, p.bytes = int(items), int(bytes)
	if f.Flag("begun") {
		p.epoch = s.core.Epoch()
	}
	if f.Raw("req") != "" {
		p.req = s.Req(f.Number("req"))
	}
	p.more = p.req.IsZero()
	if f.Err() == nil && (!p.req.IsZero() || p.seen.Len() > 0 || p.cursor != "") && p.epoch == (engine.Epoch{}) {
		f.Fail("pager: request or cursors without a session")
	}
	if err := f.Err(); err != nil {
		return Pager{}, err
	}
	return p, nil
}

// MarshalJSON always fails with lifecycle.ErrMarshal: use AppendJSON.
func (Pager) MarshalJSON() ([]byte, error) { return nil, lifecycle.ErrMarshal }
