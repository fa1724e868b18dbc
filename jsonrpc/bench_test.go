package jsonrpc_test

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

const (
	smallCall   = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world"}}}`
	smallResult = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"hello, world"}],"isError":false}}`
	smallPing   = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	smallNote   = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5}}`
)

var (
	sinkMessage jsonrpc.Message
	sinkBytes   []byte
)

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"call", smallCall}, {"result", smallResult}, {"ping", smallPing}, {"notification", smallNote},
	} {
		data := []byte(c.text)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkMessage = jsonrpc.Decode(data)
			}
		})
		b.Run(c.name+"/string", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkMessage = jsonrpc.DecodeString(c.text)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"call", smallCall}, {"result", smallResult}} {
		m := jsonrpc.DecodeString(c.text)
		b.Run(c.name+"/fresh", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes = jsonrpc.Append(nil, m)
			}
		})
		buf := make([]byte, 0, 1024)
		b.Run(c.name+"/line", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkBytes = jsonrpc.AppendLine(buf, m)
			}
		})
	}
}

func BenchmarkFramer(b *testing.B) {
	var f jsonrpc.Framer
	line := []byte(smallCall + "\n")
	b.ReportAllocs()
	for b.Loop() {
		f.Push(line)
		for m, ok := f.Next(); ok; m, ok = f.Next() {
			sinkMessage = m
		}
	}
}
