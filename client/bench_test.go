package client_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// BenchmarkRoundTrip sends tools/call and takes its answer in, beside n requests that are
// open: in the core, and from and to bytes. The server's half is only text.
func BenchmarkRoundTrip(b *testing.B) {
	params := &protocol.CallToolParams{Name: "echo", Arguments: `{"text":"hello world","n":12345}`}
	const body = `"result":{"content":[{"type":"text","text":"hello"}]}}`
	for _, n := range []int{0, 64, 1000, 100_000} {
		s := connected(b, lifecycle.Limits{Outbound: n + 1})
		for range n {
			var err error
			if s, _, err = s.Request(t0, params, client.RequestOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s`, n+2, body)
		answer := jsonrpc.Decode(line)
		b.Run(fmt.Sprintf("core/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				next, _, _ := s.Request(t0, params, client.RequestOptions{})
				if _, out := next.Receive(t0, answer); out.Events[0].Kind != lifecycle.ResponseReceived {
					b.Fatal(out.Events)
				}
			}
		})
		b.Run(fmt.Sprintf("bytes/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				next, out, _ := s.Request(t0, params, client.RequestOptions{})
				buf = jsonrpc.AppendLine(buf[:0], out.Send[0].Message)
				if _, out = next.Receive(t0, jsonrpc.Decode(line)); out.Events[0].Kind != lifecycle.ResponseReceived {
					b.Fatal(out.Events)
				}
			}
		})
	}
}

func BenchmarkCore(b *testing.B) {
	s := connected(b, lifecycle.Limits{})
	for _, c := range []struct{ name, text string }{
		{"ping", `{"jsonrpc":"2.0","id":8,"method":"ping"}`},
		{"roots-list", `{"jsonrpc":"2.0","id":8,"method":"roots/list"}`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		{"sampling", `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`},
	} {
		m := jsonrpc.DecodeString(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Receive(t0, m)
			}
		})
	}
}
