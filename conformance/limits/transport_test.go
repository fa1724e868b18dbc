package limits_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/conformance/limits"
	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/protocol/headers"
)

// transportBrims fill the parts of a transport.
var transportBrims = []brim{
	{"events", "a data line", func(t *testing.T, s limits.Settings, _ string) (func() any, func(*testing.T)) {
		return eventsOf(t, s, "data: ", strings.Repeat("x", 1<<15), s.Message)
	}},
	{"events", "data lines", func(t *testing.T, s limits.Settings, _ string) (func() any, func(*testing.T)) {
		return eventsOf(t, s, "id: "+long(4096, 0)+"\nevent: "+long(4096, 0)+"\n", "data: "+strings.Repeat("x", 1<<15)+"\n", s.Message)
	}},
	{"events", "empty data lines", func(t *testing.T, s limits.Settings, _ string) (func() any, func(*testing.T)) {
		return eventsOf(t, s, "", strings.Repeat("data\n", 6000), 6*s.Message)
	}},
	{"exchange", "lost after its stream", func(t *testing.T, _ limits.Settings, pad string) (func() any, func(*testing.T)) {
		x := exchange.Exchange{}
		return func() any {
				value := `="` + long(4096, 0) + `"`
				no := "Bearer x=\"" + pad[:8000] + `", realm` + value + ", error" + value + ", error_description" + value + ", scope" + value + ", resource_metadata" + value
				// The headers of each answer, and the answers themselves, may be large.
				open := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","x":"` + pad + `"}}`
				x = exchange.Post(exchange.Options{}, exchange.Session{}, jsonrpc.DecodeString(open))
				head := strings.Repeat("s", headers.MaxSession) + pad
				x = x.Respond(time.Time{}, exchange.Head{Status: 200, ContentType: headers.EventStream, Session: head[:headers.MaxSession]})
				id := strings.Repeat("e", headers.MaxEventID) + pad
				x, _, _ = x.Event(time.Time{}, sse.Event{ID: id[:headers.MaxEventID], HasID: true, Data: pad})
				x = x.Closed(time.Time{})
				x = x.Tick(x.At())
				x = x.Respond(time.Time{}, exchange.Head{Status: 401, Authenticate: []string{no + pad}})
				return &x
			}, func(t *testing.T) {
				if len(x.SessionID()) != headers.MaxSession || len(x.Failure().Challenge.Scope) != 4096 {
					t.Errorf("phase %d, %.100v", x.Phase(), x.Failure())
				}
			}
	}},
	{"exchange", "refused with an error", func(t *testing.T, _ limits.Settings, pad string) (func() any, func(*testing.T)) {
		var x exchange.Exchange
		return func() any {
				x = exchange.Post(exchange.Options{}, exchange.Session{}, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"x","params":{"x":"`+pad+`"}}`))
				x = x.Respond(time.Time{}, exchange.Head{Status: 500, ContentType: headers.JSON})
				x, _, _ = x.Body(time.Time{}, []byte(`{"jsonrpc":"2.0","error":{"code":1,"message":"`+pad+`","data":"`+long(4094, 0)+`"}}`))
				return &x
			}, func(t *testing.T) {
				if e := x.Failure().Err; e == nil || len(e.Message) != 4096 || len(e.Data) != 4096 {
					t.Errorf("%.100v", x.Failure())
				}
			}
	}},
}

// eventsOf pushes an endless event, in pieces of which only the data count.
func eventsOf(t *testing.T, s limits.Settings, begin, piece string, size int) (func() any, func(*testing.T)) {
	t.Helper()
	d := sse.NewDecoder(s.Message)
	got, oversize := 0, false
	push := func(text string) {
		d.Push([]byte(text))
		for e, ok := d.Next(); ok; e, ok = d.Next() {
			got++
			oversize = e.Oversize
		}
	}
	fill := func(size int) {
		for ; size > 0; size -= len(piece) {
			push(piece)
		}
	}
	return func() any { push(begin); fill(size); return d }, func(t *testing.T) {
		if more := memory.Retained(func() any { fill(4 * size); return d }); got != 0 || more > 5*int64(s.Message)/4 {
			t.Errorf("%d events, %d bytes more are kept", got, more)
		}
		if push("\n\n"); got != 1 || !oversize {
			t.Errorf("%d events, too large: %v", got, oversize)
		}
	}
}
