package streams_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// batch is a random batch.
func (p *pair) batch(t *rapid.T) string {
	var list []string
	var mine []int
	for range rapid.IntRange(1, 4).Draw(t, "elements") {
		switch rapid.IntRange(0, 6).Draw(t, "element") {
		case 0, 1:
			mine = append(mine, p.id())
			list = append(list, callText(p.ids, "wait"))
		case 2:
			list = append(list, callText(p.id(), "now"))
		case 3:
			list = append(list, callText(p.id(), "talk"))
		case 4:
			list = append(list, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
		case 5:
			if len(mine) > 0 {
				list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, mine[0]))
			} else {
				list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, p.id()))
			}
		case 6:
			list = append(list, `{"jsonrpc":"2.0"}`)
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// rounds is how often the random tests go on where the flags of rapid say once: a session costs
// less than a millisecond, and in a short run rapid tries a fifth.
func rounds() int {
	if race {
		return 5
	}
	return 25
}

func TestModel(t *testing.T) {
	for range rounds() {
		rapid.Check(t, checkModel)
	}
}

func checkModel(t *rapid.T) {
	revision := rapid.SampledFrom([]string{"2025-11-25", "2025-03-26", "2025-06-18"}).Draw(t, "revision")
	single := rapid.IntRange(0, 9).Draw(t, "single") == 0
	opt := streams.Options{
		MaxBytes:     rapid.SampledFrom([]int{0, 300, 1200, 3000}).Draw(t, "bytes"),
		MaxAnswers:   rapid.SampledFrom([]int{0, 300, 700}).Draw(t, "answers"),
		MaxListeners: rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "listeners"),
		Keep:         rapid.SampledFrom([]time.Duration{0, time.Second, -1}).Draw(t, "keep"),
		Grace:        rapid.SampledFrom([]time.Duration{0, time.Minute, -1}).Draw(t, "grace"),
		Retry:        rapid.SampledFrom([]time.Duration{0, time.Minute, -1}).Draw(t, "retry"),
		Idle:         rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Second}).Draw(t, "idle"),
	}
	p := newPair(t, revision, single, opt)
	anyCall := func() (c server.Call) {
		if len(p.inbound()) == 0 {
			p.post(callText(p.id(), "wait"))
		}
		if list := p.inbound(); len(list) > 0 {
			c = rapid.SampledFrom(list).Draw(t, "call").Call
		}
		return c
	}
	anyConn := func() (c streams.Conn) {
		if len(p.seen) > 0 {
			c = rapid.SampledFrom(p.seen).Draw(t, "conn")
		}
		return c
	}
	// nowConn is one of a stream that is there.
	nowConn := func() (c streams.Conn) {
		var list []streams.Conn
		for _, l := range p.m.all {
			if l.id != 0 {
				list = append(list, streams.Conn{Stream: streams.ID(l.id), Gen: uint32(l.gen)})
			}
		}
		if len(list) > 0 {
			c = rapid.SampledFrom(list).Draw(t, "conn")
		}
		return c
	}
	actions := map[string]func(*rapid.T){
		"post call": func(*rapid.T) { p.post(callText(p.id(), "wait")) },
		"post call and begin": func(*rapid.T) {
			if r := p.post(callText(p.id(), "wait")); r.Conn.Stream != 0 {
				p.begin(r.Conn)
			}
		},
		"post now": func(t *rapid.T) {
			p.post(callText(p.id(), rapid.SampledFrom([]string{"now", "talk", "none"}).Draw(t, "tool")))
		},
		"post batch": func(t *rapid.T) { p.post(p.batch(t)) },
		"post other": func(t *rapid.T) {
			p.post(rapid.SampledFrom([]string{
				`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, `{`, `[]`, `{"jsonrpc":"2.0","id":77777,"result":{}}`,
				`{"jsonrpc":"2.0","id":0.5,"method":"ping"}`,
			}).Draw(t, "text"))
		},
		"post known id": func(t *rapid.T) {
			if list := p.inbound(); len(list) > 0 {
				p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"ping"}`, rapid.SampledFrom(list).Draw(t, "call").ID))
			}
		},
		"post cancelled": func(t *rapid.T) {
			if list := p.inbound(); len(list) > 0 {
				p.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%v}}`, rapid.SampledFrom(list).Draw(t, "call").ID))
			}
		},
		"post response": func(t *rapid.T) {
			for req := range p.s.Outbound() {
				p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"action":"decline"}}`, req.ID))
				return
			}
		},
		"progress": func(*rapid.T) {
			p.does(p.s.Progress(p.m.now, anyCall(), protocol.ProgressParams{Progress: float64(p.id())}))
		},
		"respond": func(*rapid.T) { p.does(p.s.Respond(p.m.now, anyCall(), protocol.TextResult("x"))) },
		"fail": func(*rapid.T) {
			p.does(p.s.Fail(p.m.now, anyCall(), protocol.InternalError(strings.Repeat("x", 200))))
		},
		"log": func(t *rapid.T) {
			call := anyCall()
			if rapid.Bool().Draw(t, "outside") {
				call = server.Call{}
			}
			p.does(p.s.Notify(p.m.now, protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(fmt.Sprintf("%q", fmt.Sprint("log", p.id())))}, call))
		},
		"elicit": func(t *rapid.T) {
			call := anyCall()
			if rapid.Bool().Draw(t, "outside") {
				call = server.Call{}
			}
			p.does(p.s.Request(p.m.now, protocol.ElicitParams{Message: "?", RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{}}}, server.RequestOptions{Within: call}))
		},
		"cancel": func(*rapid.T) {
			for req := range p.s.Outbound() {
				p.does(p.s.Cancel(p.m.now, req.Req, "why"))
				return
			}
		},
		"begin":    func(*rapid.T) { p.begin(nowConn()) },
		"answered": func(*rapid.T) { p.answered(nowConn()) },
		"detach":   func(*rapid.T) { p.detach(nowConn()) },
		"wrote":    func(t *rapid.T) { p.wrote(nowConn(), rapid.IntRange(-1, 9).Draw(t, "n")) },
		"old connection": func(t *rapid.T) {
			c := anyConn()
			switch rapid.IntRange(0, 3).Draw(t, "does") {
			case 0:
				p.begin(c)
			case 1:
				p.answered(c)
			case 2:
				p.detach(c)
			case 3:
				p.wrote(c, rapid.IntRange(-1, 9).Draw(t, "n"))
			}
		},
		"listen": func(*rapid.T) { p.listen() },
		"resume": func(t *rapid.T) {
			c, least, most := nowConn(), 0, 6
			if l := p.m.of(c); l != nil {
				least, most = max(l.start()-2, 0), l.last+1
			}
			p.resume(fmt.Sprintf("%d-%d", c.Stream, rapid.IntRange(least, most).Draw(t, "n")))
		},
		"resume oddly": func(t *rapid.T) {
			p.resume(rapid.SampledFrom([]string{"", "-", "1", "1-", "-1", "01-1", "1-01", "1-+1", " 1-1", "99-1", "0-2", "1-1-1", "18446744073709551616-1", "1-9223372036854775808"}).Draw(t, "id"))
		},
		"hang up": func(t *rapid.T) {
			p.hangUp(anyCall(), rapid.SampledFrom([]time.Duration{0, time.Hour, -1}).Draw(t, "retry"))
		},
		"tick": func(t *rapid.T) {
			p.tick(rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, time.Minute, 2 * time.Minute}).Draw(t, "by"))
		},
		"restore": func(*rapid.T) { p.restore() },
		"end": func(t *rapid.T) {
			if rapid.IntRange(0, 19).Draw(t, "sure") > 0 {
				return
			}
			switch rapid.IntRange(0, 2).Draw(t, "how") {
			case 0:
				p.does3(p.s.Disconnected(p.m.now, nil))
			case 1:
				p.does3(p.s.Shutdown(p.m.now, 0))
			case 2:
				p.does3(p.s.Shutdown(p.m.now, time.Second))
			}
		},
		"detach all": func(*rapid.T) {
			p.m.step()
			for _, l := range slices.Clone(p.m.all) {
				if l.on || l.hung {
					p.m.detach(l)
				}
			}
			var eff streams.Effects
			p.x, p.s, eff = p.x.DetachAll(p.s, p.m.now)
			p.took(eff, false)
		},
	}
	t.Repeat(actions)
}
