package relay

import (
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// fit has the items of a listing as the revision of the client allows them: a server that lists what is
// no item, or has an odd member, does not cost the client the lists of all others. What is left out is
// reported once for the listing.
func (st *step) fit(ev *manager.Event) {
	of := protocol.ListOf(ev.Method)
	if ev.Kind != manager.OpDone || of == nil || ev.Err != nil {
		return
	}
	items, odd := make([]jsonrpc.Raw, 0, len(ev.Items)), false
	for _, item := range ev.Items {
		mended, err := of.Mend(item)
		odd = odd || err != nil || mended != item
		if err == nil {
			items = append(items, mended)
		}
	}
	ev.Items = items
	row := st.row(of.Method)
	if row == nil {
		return // the client cannot ask for it
	}
	fit, lossy := downgraded(row, items)
	ev.Items = fit
	report := client.Event{Kind: lifecycle.Downgraded, Method: of.Method, Revision: row.Revision()}
	if odd {
		report.Kind, report.Rule = lifecycle.Violation, row.ItemRule
	}
	if odd || lossy {
		st.eff.Servers = append(st.eff.Servers, manager.Event{Kind: manager.SessionEvent, Link: ev.Link, Session: report})
	}
}

// downgraded returns the items of a list as a revision has them.
func downgraded(row *protocol.Row, items []jsonrpc.Raw) (_ []jsonrpc.Raw, lossy bool) {
	size := len(row.Lists.Member) + 8
	for _, item := range items {
		size += len(item) + 1
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(`{"` + row.Lists.Member + `":[`)
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(item))
	}
	b.WriteString(`]}`)
	list := b.String()
	body, lossy := row.Downgrade(protocol.BodyResult, jsonrpc.Raw(list))
	if string(body) == list {
		return items, false
	}
	items = items[:0]
	raw, _ := rawjson.Get(string(body), row.Lists.Member)
	for elements, more := rawjson.Elements(raw); more; {
		var item string
		if item, more = elements.Next(); more {
			items = append(items, jsonrpc.Raw(item))
		}
	}
	return items, lossy
}

// fitResult returns the result of a call as the revision of the client has it.
func (st *step) fitResult(to server.Call, out *client.Event) jsonrpc.Raw {
	row := st.row(out.Method)
	if row == nil {
		return out.Body
	}
	body, lossy := row.Downgrade(protocol.BodyResult, out.Body)
	if lossy {
		engine.Downgraded(row.Method, row.Revision(), to, lifecycle.Req{}, &st.eff.Output)
	}
	return body
}
