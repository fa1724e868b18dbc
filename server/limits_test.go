package server_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What a State would keep of a request is bounded in bytes, whatever it is: -32603, and
// nothing stays open. What is within the limit passes.
func TestKeptTextsAreBounded(t *testing.T) {
	cfg := server.Config{Serve: []string{"tools/call", "resources/read"}, Subscribe: true, ServeUnknown: true, Limits: lifecycle.Limits{Text: 100}}
	s, _ := open(t, cfg)
	for name, form := range map[string]string{
		"string id":         `{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"a"}}`,
		"integer id":        `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"a"}}`,
		"spelling of an id": `{"jsonrpc":"2.0","id":2.%s,"method":"tools/call","params":{"name":"a"}}`,
		"string token":      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"%s"}}}`,
		"integer token":     `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":%s}}}`,
		"uri":               `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"%s"}}`,
		"method":            `{"jsonrpc":"2.0","id":2,"method":"%s"}`,
	} {
		for _, c := range []struct {
			size    int
			refused bool
		}{{90, false}, {101, true}, {100_000, true}} {
			text := fmt.Sprintf(form, strings.Repeat(digit(name), c.size))
			next, out := s.Receive(t0, jsonrpc.DecodeString(text))
			refused := len(out.Send) == 1 && out.Send[0].Message.Err != nil && out.Send[0].Message.Err.Code == jsonrpc.CodeInternalError
			if refused != c.refused || refused && next.Status().Inbound != s.Status().Inbound {
				t.Errorf("%s of %d bytes: refused %v, %d in flight", name, c.size, refused, next.Status().Inbound)
			}
		}
	}
}

// The limit is the last size that passes, and one byte more is too much.
func TestKeptTextsToTheByte(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call", "resources/read"}, Subscribe: true, ServeUnknown: true, Limits: lifecycle.Limits{Text: 100}})
	for name, form := range map[string]string{
		"string id":         `{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"a"}}`,
		"integer id":        `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"a"}}`,
		"spelling of an id": `{"jsonrpc":"2.0","id":2.0%s,"method":"tools/call","params":{"name":"a"}}`,
		"string token":      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":"%s"}}}`,
		"integer token":     `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":%s}}}`,
		"uri":               `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:%s"}}`,
		"method":            `{"jsonrpc":"2.0","id":2,"method":"%s"}`,
	} {
		for size, want := range map[int]bool{100: false, 101: true} {
			switch name {
			case "spelling of an id":
				size -= len("2.0")
			case "uri":
				size -= len("a:")
			}
			_, out := s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(form, strings.Repeat(digit(name), size))))
			refused := len(out.Send) == 1 && out.Send[0].Message.Err != nil
			if refused != want {
				t.Errorf("%s of %d bytes: refused %v", name, size, refused)
			}
			if refused && (len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || out.Events[0].Rule != "ERR-013") {
				t.Errorf("%s of %d bytes: %v", name, size, out.Events)
			}
		}
	}
}

// digit is what a long text is made of: an id of 2.000 is an integer, one of 2.777 is not.
func digit(name string) string {
	if name == "spelling of an id" {
		return "0"
	}
	return "7"
}

// A very small rate is a small rate and no infinite one.
func TestTinyRates(t *testing.T) {
	for _, perSecond := range []float64{1e-9, 1e-10, 1e-100, math.SmallestNonzeroFloat64} {
		s, _ := open(t, server.Config{Serve: []string{"tools/call"}, Limits: lifecycle.Limits{Requests: lifecycle.Rate{PerSecond: perSecond, Burst: 3}}})
		passed := 1 // the call of open
		for i := range 20 {
			var out server.Output
			s, out = s.Receive(t0.Add(time.Duration(i)*time.Second), jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i+10)))
			passed += 1 - len(out.Send)
		}
		if passed != 3 {
			t.Errorf("%g per second: %d passed, want the burst of 3", perSecond, passed)
		}
	}
}

// A burst without end is one, as far as the clock reaches: of the smallest rates each
// request takes a quarter of all time, and half of it is a burst.
func TestHugeBursts(t *testing.T) {
	for _, c := range []struct {
		perSecond float64
		want      int
	}{{1e9, 4}, {1, 4}, {1e-9, 4}, {1e-300, 1}} {
		s, _ := open(t, server.Config{Serve: []string{"tools/call"}, Limits: lifecycle.Limits{Requests: lifecycle.Rate{PerSecond: c.perSecond, Burst: math.MaxInt}}})
		passed := 0
		for i := range 4 {
			var out server.Output
			s, out = s.Receive(t0, jsonrpc.DecodeString(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i+10)))
			passed += 1 - len(out.Send)
		}
		if passed != c.want {
			t.Errorf("%g per second: %d passed, want %d", c.perSecond, passed, c.want)
		}
	}
}

// A request without an id, which no decoder gives, is no request.
func TestRequestMadeByHand(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	for _, id := range []jsonrpc.ID{{}, jsonrpc.Null} {
		next, out := s.Receive(t0, jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: id, Method: "ping"})
		if len(out.Send) != 0 || !out.Opened.IsZero() || len(out.Events) != 1 || out.Events[0].Kind != lifecycle.Violation || next.Check() != nil {
			t.Errorf("id %v: %+v, %v", id, out, next.Check())
		}
	}
}

// The cost of an update does not grow with the square of its uri.
func TestLongUpdate(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call", "resources/read"}, Subscribe: true})
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:/"}}`))
	begun := time.Now()
	_, out, err := s.Notify(t0, protocol.ResourceUpdatedParams{URI: "b:" + strings.Repeat("/", 400_000)}, server.Call{})
	if took := time.Since(begun); err != nil || len(out.Send) != 0 || took > 5*time.Second { // it was half a minute
		t.Errorf("%v, sent %d, %v", err, len(out.Send), took)
	}
	if _, out, err = s.Notify(t0, protocol.ResourceUpdatedParams{URI: "a:/" + strings.Repeat("/", 400_000)}, server.Call{}); err != nil || len(out.Send) != 1 {
		t.Errorf("below a subscribed uri: %v, sent %d", err, len(out.Send))
	}
}

// What follows the close action in a batch is not heard.
func TestBatchAfterClose(t *testing.T) {
	s, _ := open(t, server.Config{Serve: []string{"tools/call"}})
	s, _ = s.Shutdown(t0, time.Minute)
	_, out := s.Receive(t0, jsonrpc.DecodeString(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","id":9,"method":"ping"}]`))
	if out.Close == nil || len(out.Send) != 0 || !out.Opened.IsZero() {
		t.Errorf("close %v, sent %d, opened %v", out.Close, len(out.Send), out.Opened)
	}
}

// Both lists of an Output that is folded twice stay as they were.
func TestMergeWritesIntoNeither(t *testing.T) {
	kept := server.Output{Send: make([]lifecycle.Outgoing, 1, 4), Events: make([]server.Event, 1, 4)}
	fold := func(method string) server.Output {
		o := kept
		o.Merge(server.Output{Send: []lifecycle.Outgoing{{Message: jsonrpc.Message{Method: method}}}, Events: []server.Event{{Method: method}}})
		return o
	}
	a := fold("a")
	fold("b")
	if a.Send[1].Message.Method != "a" || a.Events[1].Method != "a" {
		t.Errorf("%v, %v", a.Send[1].Message.Method, a.Events[1].Method)
	}
}

// An announcement that is as good as never survives a snapshot.
func TestSnapshotOfLongDelay(t *testing.T) {
	cfg := server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/call", "tools/list"},
		ListChanged: protocol.CapToolsListChanged, ChangeDelay: math.MaxInt64,
	}
	s, _ := open(t, cfg)
	changed, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: "a", InputSchema: `{"type":"object"}`}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, delay := range []time.Duration{math.MaxInt64, 1<<60 + 1} { // more digits than a float64 has
		cfg.ChangeDelay = delay
		s, err = server.Restore(cfg, s.Snapshot(), t0)
		if err != nil {
			t.Fatal(err)
		}
		next, _, err := s.SetCatalog(t0, changed)
		if err != nil {
			t.Fatal(err)
		}
		due, ok := next.NextDeadline()
		back, err := server.Restore(cfg, next.Snapshot(), t0)
		if again, still := back.NextDeadline(); err != nil || still != ok || !again.Equal(due) {
			t.Errorf("due %v %v, restored %v %v, %v", due, ok, again, still, err)
		}
	}
}

// A restored State keeps none of the snapshot alive for its subscriptions.
func TestSnapshotIsNotPinned(t *testing.T) {
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/call", "resources/read"}, Subscribe: true, Unlisted: true}
	s, _ := open(t, cfg)
	s, _ = s.Receive(t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}`))
	n := heap(func() any {
		next, err := server.Restore(cfg, append(s.Snapshot(), strings.Repeat(" ", 8<<20)...), t0)
		if err != nil {
			t.Fatal(err)
		}
		return &next
	})
	runtime.KeepAlive(&s)
	if n > 1<<20 && n < 1<<60 { // what was freed meanwhile makes it negative
		t.Errorf("%d bytes stay alive", n)
	}
}

// A call remembers the requests within it that are open, and none that has ended: however
// many there were, it keeps as much as after one.
func TestCallForgetsWhatEnded(t *testing.T) {
	for _, end := range []string{"answered", "cancelled", "timed out"} {
		kept := func(n int) int64 {
			s, call := open(t, server.Config{Serve: []string{"tools/call"}})
			return memory.Retained(func() any {
				for range n {
					next, out, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{Within: call, Timeout: time.Second})
					if err != nil {
						t.Fatal(err)
					}
					switch s = next; end {
					case "answered":
						s, _ = s.Receive(t0, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: out.Send[0].Message.ID, Body: "{}"})
					case "cancelled":
						s, _, err = s.Cancel(t0, out.Req, "")
					default:
						s = expired(s)
					}
					if err != nil || s.Status().Outbound != 0 || s.Status().Inbound != 1 {
						t.Fatalf("%v, %+v", err, s.Status())
					}
				}
				return s
			})
		}
		if one, many := kept(1), kept(3000); many > one+1<<14 {
			t.Errorf("%s: %d bytes after one, %d after many", end, one, many)
		}
	}
}

// expired is the State once its first deadline has passed, at the time that it has: the
// clock of the caller goes on from there.
func expired(s server.State) server.State {
	due, _ := s.NextDeadline()
	s, _ = s.Tick(due)
	return s
}
