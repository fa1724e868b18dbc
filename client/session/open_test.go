package session

import (
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/protocol"
)

const (
	modern    = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`
	sessional = `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
)

// A handshake takes as many requests as it takes, and Open returns what comes of the last of them, however fast it is
// answered.
//
// rows: ERA-011 ERA-013 ERA-014 VERS-204
func TestOpenTakesRequests(t *testing.T) {
	type exchange struct{ method, result, err string } // no answer if it has neither
	silent := exchange{method: protocol.MethodDiscover}
	for name, tt := range map[string]struct {
		asks     []exchange
		revision protocol.Revision
		want     string // in the error
	}{
		"at once": {asks: []exchange{{"server/discover", modern, ""}}, revision: protocol.Revision20260728},
		"slow, needs no handshake": {asks: []exchange{
			silent, {"initialize", "", `{"code":-32020,"message":"Missing MCP-Protocol-Version header"}`}, {"server/discover", modern, ""},
		}, revision: protocol.Revision20260728},
		"slow, and says no twice": {asks: []exchange{
			silent, {"initialize", "", `{"code":-32020,"message":"no"}`}, {"server/discover", "", `{"code":-32021,"message":"not at all"}`},
		}, want: "not at all"},
		"slow, a session":       {asks: []exchange{silent, {"initialize", sessional, ""}}, revision: protocol.Revision20251125},
		"slow, no session":      {asks: []exchange{silent, {"initialize", "", `{"code":-32603,"message":"broken"}`}}, want: "broken"},
		"slow, silent":          {asks: []exchange{silent, {method: "initialize"}}, want: "timed out"},
		"an odd result":         {asks: []exchange{{"server/discover", `{}`, ""}, {"initialize", sessional, ""}}, revision: protocol.Revision20251125},
		"names of sessions":     {asks: []exchange{{"server/discover", `{"resultType":"complete","supportedVersions":["2025-11-25"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`, ""}, {"initialize", sessional, ""}}, revision: protocol.Revision20251125},
		"then no session":       {asks: []exchange{{"server/discover", `{}`, ""}, {"initialize", "", `{"code":-32603,"message":"broken"}`}}, want: "broken"},
		"names, then a session": {asks: []exchange{{"server/discover", "", `{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}`}, {"initialize", sessional, ""}}, revision: protocol.Revision20251125},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, cfg := newPeer(t), config()
				cfg.Revisions = protocol.AllRevisions()
				go func() {
					for _, x := range tt.asks {
						switch o := p.hear(x.method); {
						case x.result != "":
							p.answer(o, x.result)
						case x.err != "":
							p.say(`"id":%s,"error":%s`, o.Message.ID, x.err)
						}
					}
					if tt.revision == protocol.Revision20251125 {
						p.hear("notifications/initialized")
					}
				}()
				c, err := Connect(t.Context(), cfg, p, Options{Serve: none})
				if tt.want != "" {
					wantText(t, err, tt.want)
					return
				}
				wantErr(t, err, nil)
				if rev := c.State().Revision(); rev != tt.revision {
					t.Errorf("%v, want %v", rev, tt.revision)
				}
				_ = c.Close(t.Context())
			})
		})
	}
}
