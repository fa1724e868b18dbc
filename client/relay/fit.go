package relay

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// fit adapts the items of a list to the revision of the client, and drops invalid items and members, so
// that one server does not cost the client the lists of all others. It reports drops once for each
// list.
func (st *step) fit(ev *manager.Event) {
	of := protocol.ListOf(ev.Method)
	if ev.Kind != manager.OpDone || of == nil || ev.Err != nil {
		return
	}
	row := st.r.revision(st.s).Row(of.Method) // nil: the client cannot request it
	items, odd, lossy := make([]jsonrpc.Raw, 0, len(ev.Items)), false, false
	for _, raw := range ev.Items {
		item, err := of.Mend(raw)
		odd = odd || err != nil || item != raw
		if err != nil {
			continue
		}
		if row != nil {
			var less bool
			item, less = downgraded(row, item)
			lossy = lossy || less
		}
		items = append(items, item)
	}
	if ev.Items = items; row == nil {
		return
	}
	report := client.Event{Kind: lifecycle.Downgraded, Method: of.Method, Revision: row.Revision()}
	if odd {
		report.Kind, report.Rule = lifecycle.Violation, row.ItemRule
	}
	if odd || lossy {
		st.eff.Servers = append(st.eff.Servers, manager.Event{Kind: manager.SessionEvent, Link: ev.Link, Session: report})
	}
}

// downgraded returns an item of a list as in an older revision.
func downgraded(row *protocol.Row, item jsonrpc.Raw) (_ jsonrpc.Raw, lossy bool) {
	list := jsonrpc.Raw(`{"` + row.Lists.Member + `":[` + string(item) + `]}`)
	body, lossy := row.Downgrade(protocol.BodyResult, list)
	if body == list {
		return item, lossy
	}
	raw, _ := rawjson.Get(string(body), row.Lists.Member)
	elements, _ := rawjson.Elements(raw)
	text, _ := elements.Next()
	return jsonrpc.Raw(text), lossy
}

// fitResult returns the result of a call as in the revision of the client.
func (st *step) fitResult(to server.Call, rev protocol.Revision, out *client.Event) jsonrpc.Raw {
	row := st.row(rev, out.Method)
	if row == nil {
		return out.Body
	}
	body, lossy := row.DowngradeAt(protocol.BodyResult, out.Body, out.Span)
	if lossy {
		engine.Downgraded(row.Method, row.Revision(), to, lifecycle.Req{}, &st.eff.Output)
	}
	return body
}
