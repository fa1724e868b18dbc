package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
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
	sinkInt     int
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

func BenchmarkSkip(b *testing.B) {
	var points strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&points, `{"id":%d,"x":%d.25,"tags":["a","bc"],"ok":true},`, i, i*7)
	}
	for _, c := range []struct{ name, text string }{
		{"ascii", `"` + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 5000) + `"`},
		{"escaped", `"` + strings.Repeat(`The \"quick\" brown fox\n`, 8000) + `"`},
		{"chinese", `"` + strings.Repeat("敏捷的棕色狐狸跳过懒狗", 6000) + `"`},
		{"mixed", `"` + strings.Repeat("où est la bibliothèque, s'il vous plaît ? ", 5000) + `"`},
		{"objects", `[` + points.String() + `0]`},
		{"numbers", `[` + strings.Repeat("12345.678,-9e10,0,", 10000) + `1]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				sinkInt = rawjson.Skip(c.text, 0, rawjson.DefaultDepth)
			}
			if sinkInt != len(c.text) {
				b.Fatal(sinkInt)
			}
		})
	}
}
