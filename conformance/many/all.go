package many

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
)

// lifeOfAll does things that concern all servers, at random times.
func (x *managed) lifeOfAll() {
	x.clock.after(x.dice.span(500*time.Millisecond, 8*time.Second), func() {
		if x.net.closing {
			return
		}
		if x.dice.chance(15) {
			x.disconnectAll()
		} else {
			m, out := x.m.HealthCheck(x.clock.now)
			x.book.begin(out.Op, op{method: "health", bound: x.clock.now.Add(2*connectTimeout + pingTimeout)})
			x.step(m, out)
		}
		x.lifeOfAll()
	})
}

func (x *managed) disconnectAll() {
	m, out := x.m.DisconnectAll(x.clock.now)
	x.book.begin(out.Op, op{method: "disconnect", bound: x.clock.now.Add(closeTimeout)})
	x.step(m, out)
	if n := x.m.Len(); n > 0 {
		x.fail("everything was disconnected, and %d names are taken", n)
	}
}

// stray is an answer to no request.
func (x *managed) stray() jsonrpc.Message {
	return jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{}}`)
}

// uriOf encodes a mark for a uri; marks reads it back.
func uriOf(m mark) string { return escape.Replace(string(m)) }

var (
	escape   = strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", "#", "%23")
	unescape = strings.NewReplacer("%20", " ", "%3C", "<", "%3E", ">", "%23", "#")
)

// stateOf returns what a server is doing.
func (x *managed) stateOf(name string) manager.Condition {
	s, _ := x.m.Status(name)
	return s.Condition
}

// sorted returns the open operations with a server, oldest first.
func (x *managed) sorted(server string) (list []*op) {
	for _, o := range x.book.open {
		if o.server == server && !o.gaveUp {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b *op) int { return a.number - b.number })
	return list
}
