package limits_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// stateBrims fill what a State keeps.
var stateBrims = []brim{
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
				list := form(size) + pad // as in a list
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
			list := "a:" + long(size-2, i) + pad // as in a list
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
				_, _, err := x.Request(t0, protocol.SubscribeParams{URI: "a:" + long(s.Text-1, 0)}, client.RequestOptions{})
				if !errors.Is(err, lifecycle.ErrLimit) {
					t.Errorf("a longer uri: %v", err)
				}
			}
	}},
	{"peer", "server", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theServer(t, s.Limits)
		return func() any {
				x, _ = feed(x, strings.Replace(hello, `"clientInfo":{"name":"c","version":"1"`, `"clientInfo":`+info(pad, s.Text), 1))
				return &x
			}, func(t *testing.T) {
				if p := x.Peer(); !whole(p, pad[:s.Text]) {
					t.Errorf("%.100v", p)
				}
			}
	}},
	{"peer", "client", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theClient(t, s.Limits)
		return func() any {
				x, _ = feed(x, strings.Replace(welcome, `"serverInfo":{"name":"s","version":"1"`, `"serverInfo":`+info(pad, s.Text), 1))
				return &x
			}, func(t *testing.T) {
				if p := x.Peer(); !whole(p, pad[:s.Text]) {
					t.Errorf("%.100v", p)
				}
			}
	}},
	{"peer", "escapes", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := theClient(t, s.Limits)
		said := strings.ReplaceAll(info(pad, s.Text), "x", `\u0001`) // each takes six bytes
		return func() any {
				x, _ = feed(x, strings.Replace(welcome, `"serverInfo":{"name":"s","version":"1"`, `"serverInfo":`+said, 1))
				return &x
			}, func(t *testing.T) {
				if p := x.Peer(); p.Name != strings.Repeat("\x01", s.Text) {
					t.Errorf("%.100q", p.Name)
				}
				runtime.KeepAlive(said)
			}
	}},
	{"announced", "", func(t *testing.T, s limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := readyClient(t, s.Limits)
		count := func() int { return strings.Count(string(x.Snapshot()), `e:`) }
		refuse := func(size, from, n int) {
			next, out, err := x.Request(t0, protocol.CallToolParams{Name: "t"}, client.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`{"mode":"url","message":"m","url":"a:b","elicitationId":"e:%s"}`, long(size-2, from+i)))
			}
			x, _ = feed(next, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"m","data":{"elicitations":[%s],"pad":%q}}}`, ids(out)[0], strings.Join(list, ","), pad[:len(pad)/8]))
		}
		return func() any {
				for i := 0; i < s.Subscriptions; i += 8 {
					refuse(s.Text, i, 8)
				}
				return &x
			}, func(t *testing.T) {
				if refuse(s.Text, s.Subscriptions, 8); count() != s.Subscriptions {
					t.Errorf("%d ids are remembered", count())
				}
				x = readyClient(t, s.Limits)
				if refuse(s.Text+1, 0, 1); count() != 0 {
					t.Error("a longer id is remembered")
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
		return func() any { x, _ = feed(x, strings.Replace(welcome, "2025-11-25", pad, 1)); return &x }, func(t *testing.T) {
			if c := x.Status().Cause; c == nil || c.Reason != pad[:4096] {
				t.Errorf("%.100v", c)
			}
		}
	}},
}

// info is a clientInfo or serverInfo with large texts and as many bytes of icons as are
// kept, without its end.
func info(pad string, text int) string {
	const open, shut = `{"src":"data:,`, `"}`
	return fmt.Sprintf(`{"name":%q,"version":%[1]q,"title":%[1]q,"description":%[1]q,"websiteUrl":%[1]q,"icons":[%s]`,
		pad, open+pad[:text-len(open)-len(shut)]+shut)
}

// whole reports whether the info of a peer is kept up to the limit.
func whole(p protocol.Implementation, pad string) bool {
	for _, s := range []string{p.Name, p.Version, p.Title, p.Description, p.WebsiteURL} {
		if s != pad {
			return false
		}
	}
	return len(p.Icons) == 1 && len(p.Icons[0].AppendJSON(nil)) == len(pad)
}

// form is a form of the given size that is also an output schema.
func form(size int) string {
	const open, shut = `{"type":"object","properties":{"a":{"type":"string","description":"`, `"}}}`
	return open + strings.Repeat("x", size-len(open)-len(shut)) + shut
}

// request is a request with as much to keep as the limit of texts allows.
func request(text, i int, pad string) string {
	id := `"` + long(text, i) + `"`
	if i%2 == 1 { // the peer spelled it differently
		id = `"\u0061` + long(text-8, i) + `"`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%q},"pad":%q}}`, id, long(text, i), long(text, i), pad)
}

// tooLong are requests with a part that is too long to be kept.
func tooLong(text int) []string {
	const usual = `{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"_meta":{"progressToken":%s}}}`
	word := `"` + long(text+1, 0) + `"`
	digits := strings.Repeat("7", text+1)
	return []string{
		fmt.Sprintf(usual, word, "x", "1"), fmt.Sprintf(usual, `"\u0061`+long(text-7, 0)+`"`, "x", "1"), fmt.Sprintf(usual, digits, "x", "1"),
		fmt.Sprintf(usual, "1", long(text+1, 0), "1"), fmt.Sprintf(usual, "1", "x", word), fmt.Sprintf(usual, "1", "x", digits),
	}
}

// batch is a batch whose elements have the highest cost in addition to their texts.
func batch(n int) string {
	const one = `{"jsonrpc":"2.0","id":"\u0061","method":"\u0061","error":{"code":1,"message":"\u0061","data":1}}`
	return "[" + strings.Repeat(one+",", n-1) + one + "]"
}
