package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

var sink int

func BenchmarkSkip(b *testing.B) {
	var objects strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&objects, `{"id":%d,"x":%d.25,"tags":["a","bc"],"ok":true},`, i, i*7)
	}
	for _, c := range []struct{ name, text string }{
		{"ascii", `"` + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 5000) + `"`},
		{"escaped", `"` + strings.Repeat(`The \"quick\" brown fox\n`, 8000) + `"`},
		{"chinese", `"` + strings.Repeat("敏捷的棕色狐狸跳过懒狗", 6000) + `"`},
		{"french", `"` + strings.Repeat("où est la bibliothèque, s'il vous plaît ? ", 5000) + `"`},
		{"objects", `[` + objects.String() + `0]`},
		{"numbers", `[` + strings.Repeat("12345.678,-9e10,0,", 10000) + `1]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				sink = rawjson.Skip(c.text, 0, rawjson.DefaultDepth)
			}
			if sink != len(c.text) {
				b.Fatal(sink)
			}
		})
	}
}

// A walk over text that was validated, beside BenchmarkSkip.
func BenchmarkTrust(b *testing.B) {
	var objects strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&objects, `{"id":%d,"x":%d.25,"tags":["a","bc"],"ok":true},`, i, i*7)
	}
	for _, c := range []struct{ name, text string }{
		{"escaped", `[["` + strings.Repeat(`The \"quick\" brown fox\n`, 8000) + `"]]`},
		{"objects", `[[` + objects.String() + `0]]`},
		{"numbers", `[[` + strings.Repeat("12345.678,-9e10,0,", 10000) + `1]]`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				a, _ := rawjson.Elements(c.text)
				a.Trust(rawjson.DefaultDepth)
				val, _ := a.Next()
				if sink = len(val); sink != len(c.text)-2 {
					b.Fatal(sink)
				}
			}
		})
	}
}

func BenchmarkMembers(b *testing.B) {
	const raw = `{"name":"echo","arguments":{"text":"hello, world"},"_meta":{"progressToken":7}}`
	for b.Loop() {
		o, ok := rawjson.Members(raw)
		for ok {
			var key string
			key, _, ok = o.Next()
			sink += len(key)
		}
	}
}

func BenchmarkAppendQuote(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"short", "tools/call"},
		{"plain", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 1000)},
		{"lines", strings.Repeat("The quick brown fox\n", 2000)},
		{"chinese", strings.Repeat("敏捷的棕色狐狸跳过懒狗", 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			dst := make([]byte, 0, 2*len(c.text)+2)
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				sink = len(rawjson.AppendQuote(dst, c.text))
			}
		})
	}
}
