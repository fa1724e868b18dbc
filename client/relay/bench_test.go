package relay_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// passing is a relay between a client and a server, with the bytes of a call and of its result.
type passing struct {
	w            *world
	r            relay.Relay
	s            server.State
	link         manager.Link
	call, result []byte
	id           int64
}

// newPassing returns a relay with a call and a result of about so many bytes.
func newPassing(tb testing.TB, size int, options ...option) *passing {
	w := newWorld(tb, []string{"left", "right"}, options...)
	w.list("tools/list")
	w.pass(time.Minute)
	text := strings.Repeat("x", size)
	p := &passing{w: w, r: w.r, s: w.s, link: w.peers["left"].link}
	name := "left"
	if w.cfg.Naming.Names == naming.Always {
		name = "mcp.left.left"
	}
	p.call = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1000000,"method":"tools/call","params":{"name":"%s","arguments":{"text":"%s"}}}`, name, text)
	req := w.request(protocol.CallToolParams{Name: strings.TrimPrefix(name, "")}, client.RequestOptions{})
	w.result(req)
	p.r, p.s = w.r, w.s
	_, eff := p.forth(nil)
	p.id, _ = eff.Actions[0].Out.Message.ID.Int64()
	p.result = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, p.id, text)
	return p
}

// forth takes the call from the client to its server, bytes in and bytes out.
func (p *passing) forth(dst []byte) ([]byte, relay.Effects) {
	s, out := p.s.Receive(p.w.now, jsonrpc.Decode(p.call))
	r, s, eff := p.r.Handle(s, p.w.now, out)
	dst = jsonrpc.AppendLine(dst, eff.Actions[0].Out.Message)
	p.w.r, p.w.s = r, s
	return dst, eff
}

// back takes the result from the server to the client.
func (p *passing) back(dst []byte) ([]byte, relay.Effects) {
	_, _, eff := p.w.r.Report(p.w.s, p.w.now, manager.Report{Kind: manager.Received, Link: p.link, Message: jsonrpc.Decode(p.result)})
	return jsonrpc.AppendLine(dst, eff.Send[0].Message), eff
}

var sizes = []int{10, 1000, 10_000, 100_000}

// What a message costs to pass on, in allocations, whatever its size: the sessions on both sides,
// the Manager and the Relay together. Of a short one the bytes too, which are what its time goes by;
// conformance/bench measures the time.
func TestAllocations(t *testing.T) {
	for _, size := range sizes {
		p := newPassing(t, size)
		dst := make([]byte, 0, 2*size+1000)
		call := testing.AllocsPerRun(100, func() { p.forth(dst) })
		result := testing.AllocsPerRun(100, func() { p.back(dst) })
		if call > 15 || result > 8 {
			t.Errorf("%d bytes: a call takes %v allocations, its result %v", size, call, result)
		}
		if size > 10 {
			continue
		}
		if call, result := bytesOf(func() { p.forth(dst) }), bytesOf(func() { p.back(dst) }); call > 1600 || result > 1280 {
			t.Errorf("%d bytes: a call takes %d bytes, its result %d", size, call, result)
		}
	}
}

// bytesOf returns how many bytes something allocates, as testing.AllocsPerRun does how often.
func bytesOf(do func()) uint64 {
	const runs = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		do()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / runs
}

// A page costs what is on it, wherever it is in the list.
func TestPageAllocations(t *testing.T) {
	w := newWorld(t, []string{"left", "right"}, config(relay.Config{Lists: relay.Lists{PageItems: 5}, Naming: naming.Policy{Names: naming.Always}}), func(w *world) {
		for _, p := range w.peers {
			for i := range 500 {
				p.h.Tool(protocol.Tool{Name: fmt.Sprint(p.name, i), InputSchema: `{"type":"object"}`}, nil)
			}
		}
	})
	cost := func(params string) float64 {
		line := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"x","method":"tools/list","params":` + params + `}`)
		return testing.AllocsPerRun(5, func() {
			s, out := w.s.Receive(w.now, line)
			_, _, eff := w.r.Handle(s, w.now, out)
			if len(eff.Send) != 1 || eff.Send[0].Message.Err != nil {
				t.Fatalf("%+v %+v", eff, out)
			}
		})
	}
	w.ask("tools/list", `{}`) // which finds out where the pages begin
	first, last, params := cost(`{}`), 0.0, `{}`
	for {
		last = cost(params)
		_, cursor, more := strings.Cut(w.ask("tools/list", params), `"nextCursor":"`)
		if !more {
			break
		}
		cursor, _, _ = strings.Cut(cursor, `"`)
		params = `{"cursor":"` + cursor + `"}`
	}
	if first > 100 || last > first+50 {
		t.Errorf("%v allocations for the first page, %v for the last", first, last)
	}
}
