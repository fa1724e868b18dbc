package session

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// bothEras runs a test of a Client that may speak without a session, which is not open.
func bothEras(t *testing.T, f func(*testing.T, *peer, *Client)) {
	synctest.Test(t, func(t *testing.T) {
		p, cfg := newPeer(t), config()
		cfg.Revisions = protocol.AllRevisions()
		c, err := New(cfg, p, Options{Serve: none})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		f(t, p, c)
	})
}

const discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`

// Open asks first whether a session is needed, and goes on by what the server says to that: with none, with initialize,
// or not at all. What fails afterwards is the error.
func TestOpenAsks(t *testing.T) {
	for name, tt := range map[string]struct {
		peer func(p *peer)
		rev  protocol.Revision // zero where it fails
		err  string
	}{
		"without a session": {peer: func(p *peer) { p.answer(p.hear("server/discover"), discovered) }, rev: protocol.Revision20260728},
		"an older server": {peer: func(p *peer) {
			p.say(`"id":%s,"error":{"code":-32601,"message":"what?"}`, p.hear("server/discover").Message.ID)
			p.shake()
		}, rev: protocol.Revision20251125},
		"an older server that refuses": {peer: func(p *peer) {
			p.say(`"id":%s,"error":{"code":-32601,"message":"what?"}`, p.hear("server/discover").Message.ID)
			p.say(`"id":%s,"error":{"code":-32603,"message":"not today"}`, p.hear("initialize").Message.ID)
		}, err: "not today"},
		"cut": {peer: func(p *peer) {
			p.hear("server/discover")
			p.in <- news{err: errors.New("reset by peer")}
		}, err: "reset by peer"},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, p *peer, c *Client) {
				go tt.peer(p)
				err := c.Open(t.Context())
				if tt.err != "" {
					wantText(t, err, tt.err)
					wantText(t, err, "session: initialize: ")
					return
				}
				wantErr(t, err, nil)
				synctest.Wait()
				if rev := c.State().Revision(); rev != tt.rev || c.State().Phase() != lifecycle.Ready {
					t.Errorf("%v, %v; want %v", rev, c.State().Phase(), tt.rev)
				}
			})
		})
	}
}

// A call that a server without sessions refuses for its headers is made again, once, when the tools were listed; not if
// they cannot be, and not in a session, where the code is the server's own.
func TestCallAfterHeaders(t *testing.T) {
	mismatch := func(p *peer) {
		p.say(`"id":%s,"error":{"code":-32020,"message":"headers"}`, p.hear("tools/call").Message.ID)
	}
	call := func(t *testing.T, p *peer, c *Client, server func()) error {
		t.Helper()
		_, failed := later(func() (protocol.CallToolResult, error) {
			return c.CallTool(t.Context(), protocol.CallToolParams{Name: "add"}, RequestOptions{})
		})
		mismatch(p)
		server()
		err := within(t, failed)
		synctest.Wait()
		select {
		case o := <-p.sent:
			t.Errorf("once more: %s", jsonrpc.Append(nil, o.Message))
		default:
		}
		return err
	}
	listed := func(p *peer) {
		p.answer(p.hear("tools/list"), `{"resultType":"complete","tools":[`+addTool+`],"ttlMs":0,"cacheScope":"private"}`)
	}
	bothEras(t, func(t *testing.T, p *peer, c *Client) {
		go func() { p.answer(p.hear("server/discover"), discovered) }()
		wantErr(t, c.Open(t.Context()), nil)
		wantErr(t, call(t, p, c, func() {
			listed(p)
			p.answer(p.hear("tools/call"), `{"resultType":"complete","content":[],"structuredContent":{"sum":1}}`)
		}), nil)
		wantText(t, call(t, p, c, func() { listed(p); mismatch(p) }), "headers") // although the tools are known
		wantText(t, call(t, p, c, func() {
			p.say(`"id":%s,"error":{"code":-32603,"message":"no list"}`, p.hear("tools/list").Message.ID)
		}), "headers")
	})
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		wantText(t, call(t, p, c, func() {}), "headers")
	})
}

// The tools of the pages that came are there beside the error of one that did not.
func TestToolsOfSomePages(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		list, failed := later(func() ([]protocol.Tool, error) { return c.Tools(t.Context()) })
		p.answer(p.hear("tools/list"), `{"tools":[`+addTool+`],"nextCursor":"x"}`)
		p.say(`"id":%s,"error":{"code":-32603,"message":"no more"}`, p.hear("tools/list").Message.ID)
		tools, err := within(t, list), within(t, failed)
		if len(tools) != 1 || tools[0].Name != "add" {
			t.Errorf("%v", tools)
		}
		wantText(t, err, "no more")
	})
}
