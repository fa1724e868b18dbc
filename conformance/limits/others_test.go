package limits_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// otherBrims fill machines beside a State.
var otherBrims = []brim{
	{"message", "a batch of small elements", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		d := jsonrpc.Decoder{MaxBytes: s.Message, MaxBatch: s.Elements}
		var m jsonrpc.Message
		return func() any {
				m = d.Decode([]byte(batch(s.Elements)))
				return &m
			}, func(t *testing.T) {
				if n := len(m.Batch()); n != s.Elements {
					t.Errorf("%d elements, %v", n, m.Fault)
				}
				if m = d.Decode([]byte(batch(s.Elements + 1))); m.Fault != jsonrpc.FaultBatch {
					t.Errorf("one more: %v", m.Fault)
				}
			}
	}},
	{"message", "strings with escapes", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		d := jsonrpc.Decoder{MaxBytes: s.Message}
		const open, shut = `{"jsonrpc":"2.0","id":"\n`, `","method":"a"}`
		line := func(size int) []byte { return []byte(open + strings.Repeat("x", size-len(open)-len(shut)) + shut) }
		var m jsonrpc.Message
		return func() any { m = d.Decode(line(s.Message)); return &m }, func(t *testing.T) {
			if id, ok := m.ID.Str(); !ok || len(id) < s.Message/2 {
				t.Error(m.Fault)
			}
			if m = d.Decode(line(s.Message + 1)); m.Fault != jsonrpc.FaultSize {
				t.Errorf("one byte more: %v", m.Fault)
			}
		}
	}},
	{"framer", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		f := &jsonrpc.Framer{Decoder: jsonrpc.Decoder{MaxBytes: s.Message}}
		pushed, faults := 0, 0
		push := func(size int) {
			for ; size > 0; size -= 1 << 15 {
				f.Push([]byte(strings.Repeat("x", min(size, 1<<15))))
				pushed += min(size, 1<<15)
				for m, ok := f.Next(); ok; m, ok = f.Next() {
					if m.Fault == jsonrpc.FaultSize {
						faults++
					}
				}
			}
		}
		return func() any { push(s.Message); return f }, func(t *testing.T) {
			if faults != 0 {
				t.Error("refused before the limit")
			}
			got := memory.Retained(func() any { push(4 * s.Message); return f })
			if faults != 1 || got > 1<<15 {
				t.Errorf("%d bytes without a newline: %d faults, %d bytes more are kept", pushed, faults, got)
			}
		}
	}},
	{"answers", "ping", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return answersTo(t, readyServer(t, s.Limits), `{"jsonrpc":"2.0","id":"\u0061`+long(s.Text-8, 0)+`","method":"ping","params":{"pad":"`+pad+`"}}`)
	}},
	{"answers", "resource not found", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return answersTo(t, listing(t, s.Limits, lifecycle.Policy{}), `{"jsonrpc":"2.0","id":"`+long(s.Text, 0)+`","method":"resources/read","params":{"uri":"a:`+long(s.Text-2, 0)+`","pad":"`+pad+`"}}`)
	}},
	{"streams", "small messages", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return streamsOf(t, s, "x")
	}},
	{"streams", "large messages", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return streamsOf(t, s, pad[:16<<10])
	}},
	{"roots", "long names", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return rootsOf(t, s, fmt.Sprintf(`{"uri":"file:///%%d","name":%q}`, pad[:10_000]), 400)
	}},
	{"roots", "many", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return rootsOf(t, s, `{"uri":"file:///%d"}`, 40_000)
	}},
	{"pager", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		p, err := client.NewPager("prompts/list")
		if err != nil {
			t.Fatal(err)
		}
		p.MaxPages = s.Pages
		page := func(size, i int) error {
			var out lifecycle.Output
			var err error
			if p, x, out, err = p.Next(x, t0, client.RequestOptions{}); err != nil {
				t.Fatal(err)
			}
			x, out = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":[],"nextCursor":%q,"pad":%q}}`, ids(out)[0], long(size, i), pad))
			p, _, _, err = p.Page(out.Events[0])
			return err
		}
		return func() any {
				for i := range s.Pages - 1 {
					if err := page(64<<10, i); err != nil {
						t.Fatal(err)
					}
				}
				return &p
			}, func(t *testing.T) {
				if err := page(8, s.Pages); !errors.Is(err, lifecycle.ErrLimit) {
					t.Errorf("one more: %v", err)
				}
				p, _ = client.NewPager("prompts/list")
				if err := page(64<<10+1, 0); err == nil {
					t.Error("a longer cursor is kept")
				}
			}
	}},
	{"retries", "a request for each id", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return retriesOf(t, s, 1, pad)
	}},
	{"retries", "all ids of one request", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return retriesOf(t, s, s.IDs, pad)
	}},
	{"snapshot", "texts of control characters", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyServer(t, s.Limits)
		escape := strings.Repeat(`\u0001`, s.Text-4)
		for i := range s.Subscriptions {
			x, _ = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"%s%d"}}`, escape, i))
		}
		for i := range s.Inbound {
			x, _ = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","method":"%[1]s%[2]d","params":{"_meta":{"progressToken":"%[1]s"}}}`, escape, i))
		}
		for range s.Outbound {
			var err error
			p := protocol.RawRequest{Name: "elicitation/create", Body: jsonrpc.Raw(`{"message":"m","requestedSchema":` + form(s.Schema) + `}`)}
			if x, _, err = x.Request(t0, p, lifecycle.RequestOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		return func() any { return x.Snapshot() }, func(t *testing.T) {
			if n := x.Status(); n.Inbound != s.Inbound || n.Outbound != s.Outbound {
				t.Errorf("%+v", n)
			}
		}
	}},
}

// answers is how many answers wait at a time.
const answers = 20

// answersTo keeps the answers to a repeated message.
func answersTo(t *testing.T, x server.State, line string) (full func() any, more func(*testing.T)) {
	var queue []lifecycle.Outgoing
	return func() any {
			for range answers {
				_, out := feed(x, line)
				queue = append(queue, out.Send...)
			}
			return &queue
		}, func(t *testing.T) {
			if len(queue) != answers || !queue[0].Direct || len(line) < 1<<15 {
				t.Errorf("%v", queue)
			}
		}
}

// retriesOf fills Retries with requests of so many ids each.
func retriesOf(t *testing.T, s limits.Settings, each int, pad string) (func() any, func(*testing.T)) {
	r := client.Retries{MaxIDs: s.IDs}
	refuse := func(n, size int) client.Req {
		var list []protocol.ElicitParams
		for i := range each {
			list = append(list, protocol.ElicitParams{Mode: protocol.ElicitURL, Message: pad, URL: "a:b", ElicitationID: long(size, n*each+i)})
		}
		e := protocol.URLElicitationRequired(list...)
		req := lifecycle.MakeReq(nil, uint64(n+1))
		r, _ = r.Take(client.Event{Kind: lifecycle.ResponseReceived, Req: req, Err: &e, Revision: protocol.Revision20251125})
		return req
	}
	return func() any {
			for n := range s.IDs / each {
				if refuse(n, 4096); r.Waiting(lifecycle.MakeReq(nil, uint64(n+1))) == nil {
					t.Fatalf("request %d does not wait", n)
				}
			}
			return &r
		}, func(t *testing.T) {
			if r.Waiting(refuse(s.IDs, 8)) != nil {
				t.Error("one more waits")
			}
			if r = (client.Retries{MaxIDs: s.IDs}); r.Waiting(refuse(0, 4097)) != nil {
				t.Error("a longer id is kept")
			}
		}
}
