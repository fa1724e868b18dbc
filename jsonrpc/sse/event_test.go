package sse_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// Append writes what an event has, and omits what the format cannot carry.
//
// rows: HTTP-035 HTTP-103 HTTP-105
func TestAppend(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		name string
		e    sse.Event
		want string
	}{
		{"nothing", sse.Event{}, ""},
		{"flags that say nothing", sse.Event{ID: "1", Retry: ms, Oversize: true}, ""},
		{"data", sse.Event{Data: "a"}, "data: a\n\n"},
		{"data with a blank", sse.Event{Data: " a"}, "data:  a\n\n"},
		{"priming", sse.Event{ID: "1-0", HasID: true}, "id: 1-0\ndata: \n\n"},
		{"a hang-up", sse.Event{Retry: 500 * ms, HasRetry: true}, "retry: 500\n\n"},
		{"priming with retry", sse.Event{ID: "1-0", HasID: true, Retry: 500 * ms, HasRetry: true}, "id: 1-0\nretry: 500\ndata: \n\n"},
		{"all", sse.Event{ID: "1", HasID: true, Name: "n", Retry: 0, HasRetry: true, Data: "x"}, "id: 1\nevent: n\nretry: 0\ndata: x\n\n"},
		{"the empty id", sse.Event{HasID: true, Data: "x"}, "id: \ndata: x\n\n"},
		{"a name alone", sse.Event{Name: "n"}, "event: n\ndata: \n\n"},
		{"lines", sse.Event{Data: "a\nb\rc\r\nd\n"}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
		{"a break", sse.Event{Data: "\n"}, "data: \ndata: \n\n"},
		{"breaks in an id", sse.Event{ID: "1\ndata: evil", HasID: true, Data: "x"}, "data: x\n\n"},
		{"a carriage return in an id", sse.Event{ID: "1\r", HasID: true, Data: "x"}, "data: x\n\n"},
		{"a zero byte in an id", sse.Event{ID: "1\x00", HasID: true}, ""},
		{"a break in a name", sse.Event{Name: "a\nb", Data: "x"}, "data: x\n\n"},
		{"a carriage return in a name", sse.Event{Name: "a\rb"}, ""},
		{"a retry below zero", sse.Event{Retry: -1, HasRetry: true}, ""},
		{"a retry of less", sse.Event{Retry: 1, HasRetry: true}, "retry: 1\n\n"},
		{"a retry with a rest", sse.Event{Retry: 3*ms + 1, HasRetry: true}, "retry: 4\n\n"},
		{"the longest retry", sse.Event{Retry: math.MaxInt64, HasRetry: true}, "retry: 9223372036855\n\n"},
	} {
		if got := string(sse.Append([]byte("before"), c.e)); got != "before"+c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for text, want := range map[string]string{"": ": \n\n", "x": ": x\n\n", "a\nb\r\nc": ": a\n: b\n: c\n\n"} {
		if got := string(sse.AppendComment(nil, text)); got != want {
			t.Errorf("comment %q: %q", text, got)
		}
	}
}

// A Decoder reads events as they were written, among comments.
func TestRoundTrip(t *testing.T) {
	text := rapid.StringMatching("[ a:\n\r\ufeffé\x00]{0,8}")
	rapid.Check(t, func(t *rapid.T) {
		e := sse.Event{
			Data: text.Draw(t, "data"), ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), HasID: rapid.Bool().Draw(t, "has id"),
			Retry: time.Duration(rapid.Int64().Draw(t, "retry")), HasRetry: rapid.Bool().Draw(t, "has retry"),
		}
		want := e
		want.Data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(e.Data)
		if !e.HasID || strings.ContainsAny(e.ID, "\r\n\x00") {
			want.ID, want.HasID = "", false
		}
		if strings.ContainsAny(e.Name, "\r\n") {
			want.Name = ""
		}
		if !e.HasRetry || e.Retry < 0 {
			want.Retry, want.HasRetry = 0, false
		} else if rest := e.Retry % time.Millisecond; rest > 0 {
			want.Retry += time.Millisecond - rest
			if want.Retry < 0 {
				want.Retry = math.MaxInt64 / time.Millisecond * time.Millisecond
			}
		}
		stream := sse.AppendComment(nil, text.Draw(t, "comment"))
		stream = sse.AppendComment(sse.Append(stream, e), text.Draw(t, "comment"))
		stream = sse.Append(stream, sse.Event{Data: "next"})
		var d sse.Decoder
		d.Push(stream)
		wants := []sse.Event{want, {Data: "next"}}
		if want == (sse.Event{}) {
			wants = wants[1:]
		}
		if got := drain(&d); !slices.Equal(got, wants) {
			t.Fatalf("%+v\n%q\ngot  %+v\nwant %+v", e, stream, got, wants)
		}
	})
}

func TestAllocations(t *testing.T) {
	buf := make([]byte, 0, 1024)
	e := sse.Event{ID: "1-17", HasID: true, Data: `{"jsonrpc":"2.0","id":1,"result":{}}`, Retry: time.Second, HasRetry: true}
	for name, f := range map[string]func(){
		"Append":        func() { sse.Append(buf, e) },
		"AppendComment": func() { sse.AppendComment(buf, "keep") },
	} {
		if n := testing.AllocsPerRun(200, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	var d sse.Decoder
	stream := sse.Append(nil, e)
	d.Push(stream)
	d.Next()
	if n := testing.AllocsPerRun(200, func() { d.Push(stream); drain(&d) }); n > 3 { // data, id, the list of drain
		t.Errorf("decoding: %v allocations", n)
	}
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 1024)
	e := sse.Event{ID: "1-17", HasID: true, Data: strings.Repeat("x", 200)}
	b.ReportAllocs()
	for b.Loop() {
		sse.Append(buf, e)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, size := range []int{200, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var d sse.Decoder
			stream := sse.Append(nil, sse.Event{ID: "1-17", HasID: true, Data: strings.Repeat("x", size)})
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				d.Push(stream)
				for ok := true; ok; {
					_, ok = d.Next()
				}
			}
		})
	}
}

func ExampleAppend() {
	var b bytes.Buffer
	b.Write(sse.Append(nil, sse.Event{ID: "3-1", HasID: true, Data: `{"jsonrpc":"2.0","id":1,"result":{}}`}))
	fmt.Print(b.String())
	// Output:
	// id: 3-1
	// data: {"jsonrpc":"2.0","id":1,"result":{}}
}
