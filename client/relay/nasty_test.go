package relay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// nasty are messages that have no place where they come, with %d for a small number.
var nasty = []string{
	`{"jsonrpc":"2.0","id":%d,"result":{}}`,
	`{"jsonrpc":"2.0","id":%d,"result":null}`,
	`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"left"},{"name":5},{},7,null,{"name":"mcp.right.right","name":"x"}],"nextCursor":"%d"}}`,
	`{"jsonrpc":"2.0","id":%d,"result":{"resources":[{"uri":"right+x:left"},{"uri":""},{"uri":"x:y"}],"nextCursor":""}}`,
	`{"jsonrpc":"2.0","id":%d,"result":{"resourceTemplates":[{"uriTemplate":"{+x}"},{"uriTemplate":"{"},{"uriTemplate":"right+{x}"}]}}`,
	`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":%d,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","elicitationId":"e%d","url":"http://x","message":"m"},5,null]}}}`,
	`{"jsonrpc":"2.0","id":%d,"error":{"code":-32002,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%d","progress":-1,"total":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"r"}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s%d"}}`,
	`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e%d"}}`,
	`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":5}}`,
	`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:left"}}`,
	`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":1}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"ping"}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"elicitation/create","params":{"mode":"url","elicitationId":"e%d","url":"http://x","message":"m"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"roots/list"}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tools/list","params":{"cursor":5}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tools/list","params":{"cursor":"0.1"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tools/call","params":{"name":"mcp.right.right","arguments":{},"_meta":{"progressToken":%d}}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tools/call","params":{"name":"left-slow"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tools/call","params":{"name":""}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"resources/read","params":{"uri":"y:%d"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"resources/subscribe","params":{"uri":"left+x:left"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"resources/unsubscribe","params":{"uri":"x:left"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"left+{x}"},"argument":{"name":"a","value":"b"}}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"logging/setLevel","params":{"level":"debug"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"logging/setLevel","params":{"level":"loud"}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"acme/%d","params":{}}`,
	`{"jsonrpc":"2.0","method":"acme/%d","params":{}}`,
	`{"jsonrpc":"2.0","id":"s%d","method":"tasks/get","params":{"taskId":"x"}}`,
	`[]`, `null`, `{`, `"x"`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`,
}

// Whatever either side says, whenever, over all revisions: the Relay stays whole (its Check is made
// after each step of the world), owes nobody a Tick, and serves a good server's tool to the end.
func TestNastyPeers(t *testing.T) {
	revisions := protocol.Revisions()
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		cfg := relay.Config{Naming: naming.Policy{
			Names: naming.Qualify(rnd.IntN(3)), URIs: naming.Qualify(rnd.IntN(3)), OnConflict: naming.Conflict(rnd.IntN(2)), OnLoss: naming.Loss(rnd.IntN(2)),
		}}
		opts := []option{resources, config(cfg), func(w *world) {
			if i := rnd.IntN(len(revisions) + 1); i < len(revisions) {
				w.cc = client.Config{Info: info, Revisions: revisions[i:]}
			}
			w.moves = seed%3 == 0
		}}
		w := newWorld(t, []string{"left", "right", "good"}, opts...)
		line := func() string {
			one := func() string {
				text := nasty[rnd.IntN(len(nasty))]
				for strings.Contains(text, "%d") {
					text = strings.Replace(text, "%d", fmt.Sprint(rnd.IntN(30)), 1)
				}
				return text
			}
			if rnd.IntN(6) > 0 {
				return one()
			}
			return "[" + one() + "," + one() + "," + one() + "]"
		}
		for range 150 {
			name := []string{"left", "right"}[rnd.IntN(2)]
			switch rnd.IntN(12) {
			case 0:
				w.feed(jsonrpc.DecodeString(line()))
			case 1:
				w.pass(time.Duration(rnd.IntN(3000)) * time.Millisecond)
			case 2:
				w.peers[name].mute = !w.peers[name].mute
			case 3:
				w.kill(name)
			case 4:
				defs := w.defs
				for _, w.defs = range [][]relay.Server{defs[:1+rnd.IntN(len(defs))], defs} {
					w.relay(must3(w.r.SetServers(w.s, w.now, w.defs)))
				}
			case 5:
				w.feed(jsonrpc.DecodeString(line()))
			default:
				if w.peers[name].open {
					w.say(name, line())
				}
			}
		}
		for _, p := range w.peers {
			p.mute = false
			w.kill(p.name)
		}
		w.pass(3 * time.Minute)
		if w.s.Phase() != lifecycle.Ready || w.c.Phase() != lifecycle.Ready {
			t.Errorf("seed %d: %v, %v", seed, w.s.Phase(), w.c.Phase())
			continue
		}
		if body := w.result(w.call("mcp.good.good")); !strings.Contains(body, "good") {
			t.Error(body)
		}
	}
}

func must3[R, S, O any](r R, s S, o O, err error) (R, S, O) {
	if err != nil {
		panic(err)
	}
	return r, s, o
}
