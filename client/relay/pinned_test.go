package relay_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What waits for a server, or is kept to be asked of the next one, keeps no more of the message that
// it came in: neither of a batch, nor of params that the server does not get.
func TestSmallRequestsKeepNoLargeMessages(t *testing.T) {
	oldest := func(w *world) {
		w.cc = client.Config{Info: info, Revisions: []protocol.Revision{protocol.Revision20250326}}
	}
	res := func(w *world) {
		for name, p := range w.peers {
			p.h.Resource(protocol.Resource{URI: "x:" + name, Name: name}, nil)
			p.cfg.Serve = append(p.cfg.Serve, "resources/read", "resources/subscribe")
			p.cfg.Declare |= protocol.CapResourcesSubscribe
		}
	}
	for name, tt := range map[string]struct {
		request string
		mutes   bool // before the sessions begin
	}{
		"held":        {`"method":"tools/call","params":{"name":"left"}`, true},
		"held unread": {`"method":"resources/read","params":{"uri":"y:%d"}`, true},
		"passed on":   {`"method":"resources/read","params":{"uri":"y:%d"}`, false},
		"subscribes":  {`"method":"resources/subscribe","params":{"uri":"x:left"}`, false},
		"calls":       {`"method":"tools/call","params":{"name":"left-slow","_meta":{"progressToken":"t%d"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, []string{"left", "right"}, oldest, res, func(w *world) {
				if tt.mutes {
					mute("left", "right")(w)
				}
			}, config(relay.Config{}))
			if w.pass(time.Second); !tt.mutes {
				w.pass(defaultHold)
			}
			mute("left", "right")(w)
			w.pass(1)
			before := heap()
			const n, size = 24, 1 << 20
			for i := range n {
				request := tt.request
				if strings.Contains(request, "%d") {
					request = fmt.Sprintf(request, i)
				}
				line := fmt.Sprintf(`[{"jsonrpc":"2.0","id":%d,%s},{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"%s"}}]`, 1000+i, request, strings.Repeat("x", size))
				s, out := w.s.Receive(w.now, jsonrpc.DecodeString(line))
				r, s, _ := w.r.Handle(s, w.now, out)
				w.r, w.s = r, s
			}
			if open := w.s.Status().Inbound; open != n {
				t.Errorf("%d are open", open)
			}
			if grown := heap() - before; grown > 4<<20 {
				t.Errorf("%d requests keep %d KiB", n, grown>>10)
			}
			runtime.KeepAlive(w)
		})
	}
}
