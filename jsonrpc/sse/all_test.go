package sse_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// A stream is the same events, however it is cut, and what is near one.
func TestAllShortStreams(t *testing.T) {
	read := func(cut int) func(string) string {
		return func(s string) string {
			d := sse.NewDecoder(4)
			out := ""
			for s != "" {
				n := min(cut, len(s))
				d.Push([]byte(s[:n]))
				s = s[n:]
				for {
					e, ok := d.Next()
					if !ok {
						break
					}
					out += fmt.Sprintf("%+q;", fmt.Sprintf("%+v", e))
				}
			}
			wait, ok := d.Retry()
			return out + fmt.Sprint(d.LastID(), wait, ok)
		}
	}
	list := texts.Every(6, "data", "id", "retry", "event", ":", " ", "\n", "\r", "1")
	texts.Same(t, "597871 of 597871, ffea146e", list, read(1000))
	for _, cut := range []int{1, 2} {
		texts.Same(t, "9331 of 9331, 5ca2d6d5", texts.Every(5, "data:a", "id:", "\n", "\r", "1", "data"), read(cut))
	}
	texts.Same(t, "30963 of 30963, 3d2d7bb2", texts.Near("\ufeffid: 7\nevent: x\nretry: 150\ndata: abc\r\ndata:d\n\n:c\nid\ndata\n\n", "data: abcde\rid: a\x00b\r\r", "retry: 99999999999999999999\nretry: -1\n\n"), read(1000))
}

// What is written is the same for all that is near.
func TestAllNearEvents(t *testing.T) {
	texts.Same(t, "2066 of 2066, e1403001", texts.Near("a\nb\r\nc\r\n", ""), func(s string) string {
		return string(sse.AppendComment(sse.Append(nil, sse.Event{Data: s, HasID: true, ID: "1", Name: "n", HasRetry: true, Retry: 1500000}), s))
	})
}
