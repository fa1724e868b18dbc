package server_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var t0 = time.Unix(1000, 0)

const smallCall = `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello world","n":12345}}}`

func echoHandlers(tools int) *server.Handlers {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "echo", InputSchema: `{"type":"object"}`}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult(string(p.Arguments)), nil
	})
	h.Tool(protocol.Tool{Name: "sink", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return protocol.TextResult("ok"), nil
	})
	for i := 2; i < tools; i++ {
		h.Tool(protocol.Tool{
			Name: "tool" + strings.Repeat("x", i), Description: "does something", InputSchema: `{"type":"object","properties":{"a":{"type":"string"}}}`,
		}, nil)
	}
	return h
}

func ready(t testing.TB, h *server.Handlers) server.State {
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Logging: true,
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[:2] {
		s, _ = s.Receive(t0, jsonrpc.DecodeString(line))
	}
	if s.Phase() != lifecycle.Ready {
		t.Fatal("not ready")
	}
	return s
}

// The costs that the design promises, in allocations: time is for benchmarks.
func TestAllocations(t *testing.T) {
	h := echoHandlers(2)
	s := ready(t, h)
	call := jsonrpc.DecodeString(smallCall)
	open, out := s.Receive(t0, call)
	handle, text := out.Opened, protocol.TextResult("hello")
	var raw protocol.Result = jsonrpc.Raw(`{"content":[]}`)
	asked, out, err := s.Request(t0, protocol.PingParams{}, server.RequestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ping, cancel := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":17,"method":"ping"}`), jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":17}}`)
	answer := jsonrpc.Message{Kind: jsonrpc.KindResult, ID: out.Send[0].Message.ID, Body: "{}"}
	line := []byte(smallCall)
	var buf []byte
	for _, c := range []struct {
		name string
		want float64
		run  func()
	}{
		{"receive ping", 1, func() { s.Receive(t0, ping) }},
		{"receive tools/call", 2, func() { s.Receive(t0, call) }},
		{"respond with text", 2, func() { _, _, _ = open.Respond(t0, handle, text) }},
		{"respond with raw", 1, func() { _, _, _ = open.Respond(t0, handle, raw) }},
		{"receive cancellation: event and cause", 2, func() { open.Receive(t0, cancel) }},
		{"receive a response", 1, func() { asked.Receive(t0, answer) }},
		{"tick, nothing due", 0, func() { open.Tick(t0) }},
		{"next deadline", 0, func() { open.NextDeadline() }},
		{"status", 0, func() { _ = open.Status() }},
		{"progress without a token", 0, func() { _, _, _ = open.Progress(t0, handle, protocol.ProgressParams{Progress: 1}) }},
		{"bytes to bytes, appended", 6, func() {
			_, o := h.Handle(s.Receive(t0, jsonrpc.Decode(line)))
			buf = jsonrpc.AppendLine(buf[:0], o.Send[0].Message)
		}},
		{"bytes to bytes in one call", 4, func() {
			_, o := h.Receive(s, t0, jsonrpc.Decode(line))
			buf = jsonrpc.AppendLine(buf[:0], o.Send[0].Message)
		}},
	} {
		if got := testing.AllocsPerRun(100, c.run); got > c.want {
			t.Errorf("%s: %v allocations, at most %v", c.name, got, c.want)
		}
	}
	if n := unsafe.Sizeof(server.State{}); n > 144 {
		t.Errorf("a State is %d bytes, at most 144", n)
	}
}

func BenchmarkCore(b *testing.B) {
	s := ready(b, echoHandlers(2))
	call, ping := jsonrpc.DecodeString(smallCall), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":17,"method":"ping"}`)
	r := protocol.TextResult("hello")
	b.Run("ping", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Receive(t0, ping)
		}
	})
	b.Run("call-received", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Receive(t0, call)
		}
	})
	b.Run("call-answered", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t, out := s.Receive(t0, call)
			_, _, _ = t.Respond(t0, out.Opened, r)
		}
	})
}

// bytes to bytes: what a driver with inline handlers does for a line.
func BenchmarkBytes(b *testing.B) {
	h := echoHandlers(100)
	s := ready(b, h)
	for _, c := range []struct{ name, line string }{
		{"call", smallCall},
		{"ping", `{"jsonrpc":"2.0","id":17,"method":"ping"}`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"list-100", `{"jsonrpc":"2.0","id":17,"method":"tools/list"}`},
		{"echo-4K", strings.Replace(smallCall, "hello world", strings.Repeat("x", 4<<10), 1)},
		{"echo-256K", strings.Replace(smallCall, "hello world", strings.Repeat("x", 256<<10), 1)},
		{"sink-256K", strings.Replace(strings.Replace(smallCall, "hello world", strings.Repeat("x", 256<<10), 1), `"echo"`, `"sink"`, 1)},
	} {
		line := []byte(c.line)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			var buf []byte
			for b.Loop() {
				_, out := h.Receive(s, t0, jsonrpc.Decode(line))
				buf = buf[:0]
				for _, o := range out.Send {
					buf = jsonrpc.AppendLine(buf, o.Message)
				}
			}
		})
	}
}

// A Snapshot does not read the catalog.
func TestSnapshotsOfLargeCatalogs(t *testing.T) {
	s := offer(t, server.Items{Resources: []protocol.Resource{{Name: "r", URI: "a:b", Description: strings.Repeat("x", 1<<20)}}}, server.Config{Serve: []string{"resources/read"}, Unlisted: true}, "2025-06-18")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Snapshot()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<18 {
		t.Errorf("%d bytes are allocated", n)
	}
}
