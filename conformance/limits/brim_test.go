package limits_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/heap"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// small are settings that a test reaches the brim of.
func small() limits.Settings {
	s := limits.Defaults()
	s.Limits = lifecycle.Limits{Inbound: 64, Outbound: 64, Batch: 16, Subscriptions: 256, Text: 512, Schema: 8192}
	s.Message, s.Elements = 1<<20, 2000
	s.Pages, s.Items, s.Listing = 40, 4000, 1<<20
	return s
}

// slack is how much more than its bound a row may take: what the allocator rounds up.
const slack = 1.25

// brim fills a row. It returns what to keep alive, how many times the bound holds for it
// and what is to be tried when the row is full.
type brim struct {
	name string // of the row
	how  string // with what it is filled
	fill func(t *testing.T, s limits.Settings, pad string) (full func() any, more func(t *testing.T))
}

var brims = []brim{
	{"calls", "server", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyServer(t, s.Limits)
		return func() any {
				for i := range s.Inbound {
					x, _ = feed(x, request(s.Text, i, pad))
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Inbound; n != s.Inbound {
					t.Errorf("%d calls are open", n)
				}
				if _, out := feed(x, request(s.Text, s.Inbound, pad)); errorsOf(out, jsonrpc.CodeInternalError) != 1 {
					t.Errorf("one more: %v", out)
				}
				for _, line := range tooLong(s.Text) {
					if next, out := feed(readyServer(t, s.Limits), line); errorsOf(out, jsonrpc.CodeInternalError) != 1 || next.Status().Inbound != 0 {
						t.Errorf("%.100s: %v", line, out)
					}
				}
			}
	}},
	{"calls", "client", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		return func() any {
				for i := range s.Inbound {
					x, _ = feed(x, request(s.Text, i, pad))
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Inbound; n != s.Inbound {
					t.Errorf("%d calls are open", n)
				}
				for _, line := range tooLong(s.Text) {
					if next, out := feed(readyClient(t, s.Limits), line); errorsOf(out, jsonrpc.CodeInternalError) != 1 || next.Status().Inbound != 0 {
						t.Errorf("%.100s: %v", line, out)
					}
				}
			}
	}},
	{"forms", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		ask := func(i, size int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"m","requestedSchema":%s,"pad":%q}}`, i, form(size), pad)
		}
		return func() any {
				for i := range s.Inbound {
					x, _ = feed(x, ask(i, s.Schema))
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Inbound; n != s.Inbound {
					t.Errorf("%d calls are open", n)
				}
				if next, out := feed(readyClient(t, s.Limits), ask(0, s.Schema+1)); errorsOf(out, jsonrpc.CodeInternalError) != 1 || next.Status().Inbound != 0 {
					t.Errorf("a larger form: %v", out)
				}
			}
	}},
	{"requests", "output schemas", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		var err error
		call := func(size int) {
			if err == nil {
				list := form(size) + pad // as a listing holds it
				x, _, err = x.Request(t0, protocol.CallToolParams{Name: "a"}, client.RequestOptions{OutputSchema: jsonrpc.Raw(list[:size]), Progress: true})
			}
		}
		return func() any {
				for i := range s.Outbound {
					call(s.Schema)
					x, _ = feed(x, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1,"message":%q}}`, i+2, pad))
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Outbound; n != s.Outbound || err != nil {
					t.Errorf("%d requests are open, %v", n, err)
				}
				if call(s.Schema); !errors.Is(err, lifecycle.ErrLimit) {
					t.Errorf("one more: %v", err)
				}
				x, err = readyClient(t, s.Limits), nil
				if call(s.Schema + 1); !errors.Is(err, lifecycle.ErrLimit) {
					t.Errorf("a larger schema: %v", err)
				}
			}
	}},
	{"requests", "forms", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyServer(t, s.Limits)
		var err error
		ask := func(size int) {
			if err == nil {
				p := protocol.RawRequest{Name: "elicitation/create", Body: jsonrpc.Raw(`{"message":"m","requestedSchema":` + form(size) + `,"pad":"` + pad + `"}`)}
				x, _, err = x.Request(t0, p, lifecycle.RequestOptions{})
			}
		}
		return func() any {
				for range s.Outbound {
					ask(s.Schema)
				}
				return &x
			}, func(t *testing.T) {
				if n := x.Status().Outbound; n != s.Outbound || err != nil {
					t.Errorf("%d requests are open, %v", n, err)
				}
				x = readyServer(t, s.Limits)
				if ask(s.Schema + 1); !errors.Is(err, lifecycle.ErrLimit) {
					t.Errorf("a larger form: %v", err)
				}
			}
	}},
	{"subscriptions", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyServer(t, s.Limits)
		line := func(size, i int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"a:%s","pad":%q}}`, i, long(size-2, i), pad[:len(pad)/8])
		}
		return func() any {
				for i := range s.Subscriptions {
					var out lifecycle.Output
					if x, out = feed(x, line(s.Text, i)); len(out.Send) != 1 || out.Send[0].Message.Kind != jsonrpc.KindResult {
						t.Fatal(out)
					}
				}
				return &x
			}, func(t *testing.T) {
				if _, out := feed(x, line(s.Text, s.Subscriptions)); errorsOf(out, jsonrpc.CodeInternalError) != 1 {
					t.Errorf("one more: %v", out)
				}
				if _, out := feed(readyServer(t, s.Limits), line(s.Text+1, 0)); errorsOf(out, jsonrpc.CodeInternalError) != 1 {
					t.Errorf("a longer uri: %v", out)
				}
			}
	}},
	{"remembered", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		subscribe := func(size, i int) {
			list := "a:" + long(size-2, i) + pad // as a listing holds it
			next, out, err := x.Request(t0, protocol.SubscribeParams{URI: list[:size]}, client.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x, _ = feed(next, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"pad":%q}}`, ids(out)[0], pad[:len(pad)/8]))
		}
		count := func() (n int) {
			for range x.Subscriptions() {
				n++
			}
			return n
		}
		return func() any {
				for i := range s.Subscriptions {
					subscribe(s.Text, i)
				}
				return &x
			}, func(t *testing.T) {
				if subscribe(s.Text, s.Subscriptions); count() != s.Subscriptions {
					t.Errorf("%d uris are remembered", count())
				}
				x = readyClient(t, s.Limits)
				if subscribe(s.Text+1, 0); count() != 0 {
					t.Error("a longer uri is remembered")
				}
			}
	}},
	{"peer", "server", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theServer(t, s.Limits)
		return func() any {
				x, _ = feed(x, strings.Replace(hello, `"clientInfo":{"name":"c","version":"1"`, `"clientInfo":`+info(pad), 1))
				return &x
			}, func(t *testing.T) {
				if p := x.Peer(); p.Name != pad[:s.Text] || p.Version != pad[:s.Text] || p.Title != pad[:s.Text] {
					t.Errorf("%.100v", p)
				}
			}
	}},
	{"peer", "client", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theClient(t, s.Limits)
		return func() any {
				x, _ = feed(x, strings.Replace(welcome, `"serverInfo":{"name":"s","version":"1"`, `"serverInfo":`+info(pad), 1))
				return &x
			}, func(t *testing.T) {
				if p := x.Peer(); p.Name != pad[:s.Text] || p.Version != pad[:s.Text] || p.Title != pad[:s.Text] {
					t.Errorf("%.100v", p)
				}
			}
	}},
	{"cause", "error", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theClient(t, s.Limits)
		const most = 4096
		refuse := func(data string) {
			x, _ = feed(theClient(t, s.Limits), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":%q,"data":%q}}`, pad, data))
		}
		return func() any { refuse(pad[:most-2]); return &x }, func(t *testing.T) {
			if c := x.Status().Cause; c == nil || c.RPC == nil || c.RPC.Message != pad[:most] || len(c.RPC.Data) != most {
				t.Errorf("%.100v", c)
			}
			if refuse(pad[:most-1]); x.Status().Cause.RPC.Data != "" {
				t.Error("larger data are kept")
			}
		}
	}},
	{"cause", "reason", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theClient(t, s.Limits)
		return func() any { x, _ = feed(x, strings.Replace(welcome, "2025-06-18", pad, 1)); return &x }, func(t *testing.T) {
			if c := x.Status().Cause; c == nil || c.Reason != pad[:4096] {
				t.Errorf("%.100v", c)
			}
		}
	}},
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
			got := heap.Retained(func() any { push(4 * s.Message); return f })
			if faults != 1 || got > 1<<15 {
				t.Errorf("%d bytes without a newline: %d faults, %d bytes more are kept", pushed, faults, got)
			}
		}
	}},
	{"answers", "ping", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return answersTo(t, readyServer(t, s.Limits), `{"jsonrpc":"2.0","id":"\u0061`+long(s.Text-8, 0)+`","method":"ping","params":{"pad":"`+pad+`"}}`)
	}},
	{"answers", "resource not found", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return answersTo(t, listing(t, s.Limits), `{"jsonrpc":"2.0","id":"`+long(s.Text, 0)+`","method":"resources/read","params":{"uri":"a:`+long(s.Text-2, 0)+`","pad":"`+pad+`"}}`)
	}},
	{"roots", "long names", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return rootsOf(t, s, fmt.Sprintf(`{"uri":"file:///%%d","name":%q}`, pad[:10_000]), 400)
	}},
	{"roots", "many", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return rootsOf(t, s, `{"uri":"file:///%d"}`, 40_000)
	}},
	{"mirror", "large items", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return mirrorOf(t, s, fmt.Sprintf(`{"name":"%%d","description":%q}`, pad[:10_000]), 10, 10)
	}},
	{"mirror", "small items", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return mirrorOf(t, s, `{"name":"%d"}`, 100, 39)
	}},
	{"mirror", "names with escapes", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return mirrorOf(t, s, `{"name":"\t`+pad[:900]+`%d"}`, 100, 10)
	}},
	{"mirror", "no items", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		return mirrorOf(t, s, "", 0, 39)
	}},
	{"pager", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		p, err := x.Pager("prompts/list")
		if err != nil {
			t.Fatal(err)
		}
		p.MaxPages = s.Pages
		page := func(size, i int) error {
			var out lifecycle.Output
			var err error
			if x, p, out, err = x.NextPage(t0, p, client.RequestOptions{}); err != nil {
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
				if err := page(8, s.Pages); !errors.Is(err, client.ErrPages) {
					t.Errorf("one more: %v", err)
				}
				p, _ = x.Pager("prompts/list")
				if err := page(64<<10+1, 0); err == nil {
					t.Error("a longer cursor is kept")
				}
			}
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

// answersTo keeps the answers to a message that is fed again and again.
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

// info is a clientInfo or serverInfo of large texts, but for its end.
func info(pad string) string { return fmt.Sprintf(`{"name":%q,"version":%[1]q,"title":%[1]q`, pad) }

// form is a form of the given size that is an output schema as well.
func form(size int) string {
	const open, shut = `{"type":"object","properties":{"a":{"type":"string","description":"`, `"}}}`
	return open + strings.Repeat("x", size-len(open)-len(shut)) + shut
}

// request is a request of which as much is to be kept as the limit of texts allows.
func request(text, i int, pad string) string {
	id := `"\u0061` + long(text-8, i) + `"`
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%q},"pad":%q}}`, id, long(text, i), long(text, i), pad)
}

// tooLong are requests of which something is too long to be kept.
func tooLong(text int) []string {
	const usual = `{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%s}}}`
	word := `"` + long(text+1, 0) + `"`
	digits := strings.Repeat("7", text+1)
	return []string{
		fmt.Sprintf(usual, word, "x", "1"), fmt.Sprintf(usual, `"\u0061`+long(text-7, 0)+`"`, "x", "1"), fmt.Sprintf(usual, digits, "x", "1"),
		fmt.Sprintf(usual, "1", long(text+1, 0), "1"), fmt.Sprintf(usual, "1", "x", word), fmt.Sprintf(usual, "1", "x", digits),
	}
}

// batch is a batch whose elements cost as much as they can beside their texts.
func batch(n int) string {
	const one = `{"jsonrpc":"2.0","id":"\u0061","method":"\u0061","error":{"code":1,"message":"\u0061","data":1}}`
	return "[" + strings.Repeat(one+",", n-1) + one + "]"
}

// partial are the ways to fill a row that fill a part of it: with what costs most in
// another way than by its bytes.
var partial = []string{"roots/many", "mirror/no items"}

// TestBrim fills each row with the messages of a hostile peer and measures what stays
// alive: no more than the table says, and not so little that the table says nothing.
func TestBrim(t *testing.T) {
	rows := map[string]limits.Row{}
	for _, r := range limits.Rows() {
		rows[r.Name] = r
	}
	tried := map[string]bool{}
	size := 256 << 10
	if testing.Short() {
		size = 64 << 10
	}
	pad := strings.Repeat("x", size)
	for _, b := range brims {
		tried[b.name] = true
		t.Run(strings.Trim(b.name+"/"+b.how, "/"), func(t *testing.T) {
			s := small()
			full, more := b.fill(t, s, pad)
			got, bound := heap.Retained(full), int64(rows[b.name].Bound(s))
			if b.name == "answers" {
				bound *= answers
			}
			t.Logf("%d bytes stay alive, %d may", got, bound)
			if float64(got) > slack*float64(bound) {
				t.Errorf("%d bytes stay alive, %d may: %s", got, bound, rows[b.name].Formula)
			}
			if more(t); got < bound/16 && !slices.Contains(partial, b.name+"/"+b.how) {
				t.Errorf("%d bytes stay alive: the table allows %d, which says nothing", got, bound)
			}
			runtime.KeepAlive(pad)
		})
	}
	for name := range rows {
		if !tried[name] {
			t.Errorf("nothing fills %s", name)
		}
	}
}
