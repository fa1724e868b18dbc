package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What the decoder and the core cost by themselves is in BenchmarkCore; bytes to bytes
// through Handlers in BenchmarkBytes. Here is what depends on how much is open.

func BenchmarkDecode(b *testing.B) {
	line := []byte(smallCall)
	b.Run("bytes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			jsonrpc.Decode(line)
		}
	})
	b.Run("string", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			jsonrpc.DecodeString(smallCall)
		}
	})
}

// crowded returns a server with n calls in flight, under ids of the given form.
func crowded(b *testing.B, n int, id string) server.State {
	b.Helper()
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Serve: []string{"tools/call"}, Unlisted: true, Limits: lifecycle.Limits{Inbound: n + 1},
	}, t0)
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	for i := range n {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(strings.Replace(smallCall, `"id":17`, fmt.Sprintf(`"id":`+id, i+100), 1)))
	}
	if s.Status().Inbound != n {
		b.Fatalf("%d calls are open, want %d", s.Status().Inbound, n)
	}
	return s
}

// BenchmarkInFlight takes one more call in and answers it beside n that are open: in the
// core, and from bytes to bytes.
func BenchmarkInFlight(b *testing.B) {
	var r protocol.Result = protocol.TextResult("hello")
	call, line := jsonrpc.DecodeString(smallCall), []byte(smallCall)
	for _, n := range []int{0, 1, 64, 1000, 100_000} {
		s := crowded(b, n, "%d")
		b.Run(fmt.Sprintf("core/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				next, out := s.Receive(t0, call)
				_, _, _ = next.Respond(t0, out.Opened, r)
			}
		})
		b.Run(fmt.Sprintf("bytes/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				next, out := s.Receive(t0, jsonrpc.Decode(line))
				_, out, _ = next.Respond(t0, out.Opened, r)
				buf = jsonrpc.AppendLine(buf[:0], out.Send[0].Message)
			}
		})
		b.Run(fmt.Sprintf("next-deadline/%d", n), func(b *testing.B) {
			for b.Loop() {
				s.NextDeadline()
			}
		})
		b.Run(fmt.Sprintf("tick/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Tick(t0)
			}
		})
	}
}

var heap = memory.Retained

// BenchmarkMemory reports what a ready session and a call in flight keep alive. Its times
// mean nothing.
func BenchmarkMemory(b *testing.B) {
	const n = 10_000
	b.Run("session", func(b *testing.B) {
		first := ready(b, echoHandlers(2))
		var bytes int64
		for range b.N {
			bytes = heap(func() any {
				all := make([]server.State, n)
				for i := range all {
					all[i], _ = first.NewSession(t0)
					for _, line := range lines[:2] {
						all[i], _ = all[i].Receive(t0, jsonrpc.DecodeString(line))
					}
				}
				return all
			})
		}
		b.ReportMetric(float64(bytes)/n, "B/session")
	})
	for _, c := range []struct{ name, id string }{{"integer-id", "%d"}, {"string-id", `"0123456789abcdef-%d"`}} {
		b.Run(c.name, func(b *testing.B) {
			var bytes int64
			for range b.N {
				bytes = heap(func() any { s := crowded(b, n, c.id); return &s })
			}
			b.ReportMetric(float64(bytes)/n, "B/call")
		})
	}
}

// BenchmarkListing answers tools/list with a page of 100 tools whose schemas have a null
// that belongs there.
func BenchmarkListing(b *testing.B) {
	var items server.Items
	for i := range 100 {
		items.Tools = append(items.Tools, protocol.Tool{Name: fmt.Sprint("tool", i), InputSchema: `{"type":"object","properties":{"a":{"default":null}}}`})
	}
	c, err := server.NewCatalog(items)
	if err != nil {
		b.Fatal(err)
	}
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: c, Serve: []string{"tools/call"}}, t0)
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	m := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":17,"method":"tools/list"}`)
	b.ReportAllocs()
	for b.Loop() {
		s.Receive(t0, m)
	}
}
