package main

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// list asks server i for a page of its tools; page takes it.
func (r *relay) list(now time.Time, i int, p protocol.ListToolsParams) {
	s, out, _ := r.up[i].s.Request(now, p, client.RequestOptions{}) // Require saw to it
	r.up[i].listing = out.Req
	r.upward(now, i)(s, out)
}

func (r *relay) page(now time.Time, i int, ev client.Event) {
	page, _ := protocol.Decode[protocol.ListToolsResult](ev.Body)
	raw, _ := rawjson.Get(string(ev.Body), "tools")
	items, _ := rawjson.Elements(raw)
	for _, t := range page.Tools {
		item, _ := items.Next()
		if j, known := r.owner[t.Name]; known && j != i {
			continue // the first server keeps the name
		}
		r.up[i].tools, r.owner[t.Name] = append(r.up[i].tools, item), i
	}
	if page.NextCursor != nil {
		r.list(now, i, protocol.ListToolsParams{Cursor: page.NextCursor})
		return
	}
	r.up[i].listed = true
	r.serve(now)
}
