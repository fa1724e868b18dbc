package sse_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// drain returns the complete events of d.
func drain(d *sse.Decoder) (all []sse.Event) {
	for e, ok := d.Next(); ok; e, ok = d.Next() {
		all = append(all, e)
	}
	return all
}

// decode reads a stream in chunks of size bytes.
func decode(d *sse.Decoder, stream string, size int) (all []sse.Event) {
	for i := 0; i < len(stream); i += size {
		chunk := []byte(stream[i:min(i+size, len(stream))])
		d.Push(chunk)
		clear(chunk)
		all = append(all, drain(d)...)
	}
	return all
}

func data(s string) sse.Event { return sse.Event{Data: s} }

// The Decoder follows the standard, with chunks of any size.
//
// rows: HTTP-013 HTTP-103 HTTP-105
func TestDecoder(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, c := range []struct {
		name, stream string
		want         []sse.Event
		lastID       string
		retry        time.Duration // -1 for none
	}{
		{"nothing", "", nil, "", -1},
		{"one", "data: a\n\n", []sse.Event{data("a")}, "", -1},
		{"no blank", "data:a\n\n", []sse.Event{data("a")}, "", -1},
		{"two blanks", "data:  a \n\n", []sse.Event{data(" a ")}, "", -1},
		{"a colon more", "data::a:b\n\n", []sse.Event{data(":a:b")}, "", -1},
		{"no end", "data: a\n", nil, "", -1},
		{"no end of the line", "data: a", nil, "", -1},
		{"lines", "data: YH\ndata: +2\ndata: 10\n\n", []sse.Event{data("YH\n+2\n10")}, "", -1},
		{"empty lines", "data\n\ndata\ndata\n\ndata:", []sse.Event{data(""), data("\n")}, "", -1},
		{"ids", ": test stream\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n\n",
			[]sse.Event{{Data: "first", ID: "1", HasID: true}, {Data: "second", HasID: true}, data(" third")}, "", -1},
		{"an id that stays", "id: 1\ndata: a\n\ndata: b\n\n", []sse.Event{{Data: "a", ID: "1", HasID: true}, data("b")}, "1", -1},
		{"priming", "id: 7\ndata: \n\n", []sse.Event{{ID: "7", HasID: true}}, "7", -1},
		{"priming without data", "id: 7\nretry: 500\n\n", []sse.Event{{ID: "7", HasID: true, Retry: 500 * time.Millisecond, HasRetry: true}}, "7", 500 * time.Millisecond},
		{"an id without an end", "id: 1\ndata: a\n\nid: 2\ndata: b\n", []sse.Event{{Data: "a", ID: "1", HasID: true}}, "1", -1},
		{"an id with a zero byte", "id: 1\n\nid: 2\x00\ndata: a\n\n", []sse.Event{{ID: "1", HasID: true}, data("a")}, "1", -1},
		{"the last id of an event", "id: 1\nid: 2\ndata\n\n", []sse.Event{{ID: "2", HasID: true}}, "2", -1},
		{"names", "event: ping\ndata: a\n\ndata: b\n\nevent\ndata: c\n\nevent:x\n\n", []sse.Event{{Name: "ping", Data: "a"}, data("b"), data("c")}, "", -1},
		{"a retry alone", "retry: 10\n\n", []sse.Event{{Retry: 10 * time.Millisecond, HasRetry: true}}, "", 10 * time.Millisecond},
		{"a retry without an end", "retry: 10\n", nil, "", 10 * time.Millisecond},
		{"no retry", "retry: -1\nretry:\nretry: 1s\nretry: 1.5\nretry:  1\nretry: ٣\nretry: +1\n\n", nil, "", -1},
		{"a retry of nothing", "retry: 0\n\n", []sse.Event{{HasRetry: true}}, "", 0},
		{"a long retry", "retry: 99999999999999999999999999\n\n", []sse.Event{{Retry: math.MaxInt64 / time.Millisecond * time.Millisecond, HasRetry: true}}, "", math.MaxInt64 / time.Millisecond * time.Millisecond},
		{"comments", ":\n: a\n:data: b\n\n\n", nil, "", -1},
		{"unknown fields", "Data: a\nDATA: b\n data: c\ndatax: d\ndat: e\nx\n\n", nil, "", -1},
		{"carriage returns", "data: a\r\rdata: b\r\ndata: c\r\n\r\ndata: d\n\r", []sse.Event{data("a"), data("b\nc"), data("d")}, "", -1},
		{"a blank line of each kind", "data: a\r\n\rdata: b\r\n\ndata: c\r\r\ndata: d\n\r\n", []sse.Event{data("a"), data("b"), data("c"), data("d")}, "", -1},
		{"a byte order mark", "\ufeffdata: a\n\n\ufeffdata: b\n\n", []sse.Event{data("a")}, "", -1},
		{"two byte order marks", "\ufeff\ufeffdata: a\n\n", nil, "", -1},
		{"half a byte order mark", "\xef\xbbdata: a\n\ndata: b\n\n", []sse.Event{data("b")}, "", -1},
		{"a byte order mark alone", "\ufeff", nil, "", -1},
		{"not UTF-8", "data: \xff\n\n", []sse.Event{data("\xff")}, "", -1},
		{"the limit", "data: 12345678\n\n", []sse.Event{data("12345678")}, "", -1},
		{"the limit over lines", "data: 123\ndata: 5678\n\n", []sse.Event{data("123\n5678")}, "", -1},
		{"beyond the limit", "data: 123456789\n\ndata: b\n\n", []sse.Event{{Data: "123456789", Oversize: true}, data("b")}, "", -1},
		{"beyond the limit over lines", "data: 1234\ndata: 6789\n\n", []sse.Event{{Data: "1234\n6789", Oversize: true}}, "", -1},
		{"beyond the limit by a break", "data: 12345678\ndata\n\n", []sse.Event{{Data: "12345678\n", Oversize: true}}, "", -1},
		{"far beyond the limit", "event: e\ndata: " + strings.Repeat("1", 99) + "\ndata: " + strings.Repeat("2", 99) + "\nretry: 5\nid: 3\n\ndata: b\n\n",
			[]sse.Event{{Name: "e", Data: "111111111", Oversize: true, ID: "3", HasID: true, Retry: 5 * time.Millisecond, HasRetry: true}, data("b")}, "3", 5 * time.Millisecond},
		{"a long line at the end", "data: a\n\ndata: " + strings.Repeat("1", 99), []sse.Event{data("a")}, "", -1},
		{"a long comment", ": " + strings.Repeat(long, 2) + "\r\ndata: a\n\n", []sse.Event{data("a")}, "", -1},
		{"a long field", strings.Repeat("x", 99) + ": y\ndata" + strings.Repeat("x", 99) + ": y\ndata: a\n\n", []sse.Event{data("a")}, "", -1},
		{"the longest id and name", "id: " + long + "\nevent:" + long + "\n\n", []sse.Event{{ID: long, HasID: true, Name: long}}, long, -1},
		{"an id too long", "id: 1\n\nid: " + long + "x\ndata: a\n\n", []sse.Event{{ID: "1", HasID: true}, {Data: "a", HasID: true}}, "", -1},
		{"an id far too long", "id:" + long + long + "\x00\ndata: a\n\n", []sse.Event{{Data: "a", HasID: true}}, "", -1},
		{"a name too long", "event: " + long + "y\ndata: a\n\n", []sse.Event{{Data: "a", Name: long}}, "", -1},
		{"a retry too long", "retry: 1" + strings.Repeat("0", 2*4096) + "\n\n", nil, "", -1},
	} {
		for _, size := range []int{1, 2, 3, 5, 7, 64, 1000, len(c.stream) + 1} {
			d := sse.NewDecoder(8)
			got := decode(d, c.stream, size)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, chunks of %d:\ngot  %+v\nwant %+v", c.name, size, got, c.want)
			}
			wait, ok := d.Retry()
			if !ok {
				wait = -1
			}
			if d.LastID() != c.lastID || wait != c.retry {
				t.Errorf("%s, chunks of %d: last id %.40q, retry %v", c.name, size, d.LastID(), wait)
			}
		}
	}
}

// However a stream is cut, and whenever the events are fetched, they equal those of the naive
// reader.
func TestDecoderAgainstNaive(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"data", "data: ", "data:x", "id: 1", "id", "id: a\x00", "event: e", "retry: 5", "retry: 77", "retry: x", ":", " ", "\n", "\n", "\n", "\r", "\r\n", "\n\n", "\ufeff", "\xef", "\xbb", "x", "12345", "data: 12345678901234567890123456789", strings.Repeat("y", 200),
		"é", ": comment", "\x00",
	})
	rapid.Check(t, func(t *rapid.T) {
		stream := strings.Join(rapid.SliceOfN(piece, 0, 25).Draw(t, "pieces"), "")
		limit := rapid.SampledFrom([]int{1, 4, 8, 30}).Draw(t, "limit")
		want, lastID, retry, hasRetry := naive(stream, limit)
		d := sse.NewDecoder(limit)
		var got []sse.Event
		for rest := stream; rest != ""; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "n")
			d.Push([]byte(rest[:n]))
			rest = rest[n:]
			if rapid.Bool().Draw(t, "fetch") {
				got = append(got, drain(d)...)
			}
			if rapid.Bool().Draw(t, "all") {
				d.Push([]byte(rest))
				rest = ""
			}
		}
		got = append(got, drain(d)...)
		if !slices.Equal(got, want) {
			t.Fatalf("%q\ngot  %+v\nwant %+v", stream, got, want)
		}
		if wait, ok := d.Retry(); d.LastID() != lastID || wait != retry || ok != hasRetry {
			t.Fatalf("%q: last id %q, retry %v, %v; want %q, %v, %v", stream, d.LastID(), wait, ok, lastID, retry, hasRetry)
		}
	})
}

// The zero Decoder and a limit of zero both have the message limit.
func TestDefaultLimit(t *testing.T) {
	text := strings.Repeat("x", jsonrpc.DefaultMaxBytes)
	for _, d := range []*sse.Decoder{{}, sse.NewDecoder(0), sse.NewDecoder(-1)} {
		d.Push([]byte("data: " + text + "\n\n"))
		e, ok := d.Next()
		if !ok || e.Oversize || len(e.Data) != len(text) {
			t.Errorf("%v, %d bytes", ok, len(e.Data))
		}
	}
	var d sse.Decoder
	d.Push([]byte("data: " + text + "x\n\n"))
	if e, ok := d.Next(); !ok || !e.Oversize {
		t.Errorf("%v, one byte more: %d bytes", ok, len(e.Data))
	}
}

// An oversize event becomes a message with the same FaultSize as an oversize line.
func TestOversizeMessage(t *testing.T) {
	d := sse.NewDecoder(100)
	d.Push([]byte(`data: {"jsonrpc":"2.0","id":7,"result":{"x":"` + strings.Repeat("x", 200) + "\"}}\n\n"))
	e, ok := d.Next()
	m := jsonrpc.Decoder{MaxBytes: 100}.Decode([]byte(e.Data))
	if !ok || m.Fault != jsonrpc.FaultSize || m.ID != jsonrpc.Int(7) || m.Shape != jsonrpc.KindResult {
		t.Errorf("%+v", m)
	}
}

// The memory of a Decoder is bounded whatever a server sends, and returns to nothing.
func TestDecoderMemory(t *testing.T) {
	const limit = 1 << 17
	for name, piece := range map[string]string{
		"data without end":    "data: " + strings.Repeat("x", 1000),
		"a line without end":  strings.Repeat("x", 1000),
		"many data lines":     "data: " + strings.Repeat("x", 1000) + "\n",
		"empty data lines":    strings.Repeat("data\n", 200),
		"ids":                 "id: " + strings.Repeat("x", 1000) + "\n",
		"a comment":           ":" + strings.Repeat("x", 1000),
		"blank lines":         strings.Repeat("\n", 1000),
		"events":              strings.Repeat("data: x\n\n", 100),
		"an id without end":   "id: " + strings.Repeat("x", 1000),
		"a retry without end": "retry: " + strings.Repeat("1", 1000),
		"carriage returns":    strings.Repeat("\r", 1000),
	} {
		chunk := []byte(piece)
		d := sse.NewDecoder(limit)
		before := heap()
		for range 2 << 20 / len(chunk) {
			d.Push(chunk)
			drain(d)
		}
		if used := heap() - before; used > limit*5/2+128<<10 {
			t.Errorf("%s: %d bytes", name, used)
		}
		d.Push([]byte("\n\n\n"))
		drain(d)
		if used := heap() - before; used > 128<<10 {
			t.Errorf("%s: %d bytes after the end", name, used)
		}
		runtime.KeepAlive(d)
	}
}

var heap = memory.Live

// Time is linear in the bytes, however they are cut.
func TestDecoderTime(t *testing.T) {
	for name, piece := range map[string]string{
		"one line": "x", "data": "data: ", "breaks": "\n", "carriage returns": "\r", "events": "data: x\n\n", "data lines": "data\n",
		"ids": "id: 1\n", "comments": ":\n", "marks": "\ufeff",
	} {
		for _, size := range []int{1, 7, 4096, 1 << 18} {
			n := 1 << 18
			if size == 1 {
				n = 1 << 16
			}
			stream := []byte("data: " + strings.Repeat(piece, n/len(piece)))
			d := sse.NewDecoder(0)
			start := time.Now()
			for i := 0; i < len(stream); i += size {
				d.Push(stream[i:min(i+size, len(stream))])
				drain(d)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s in chunks of %d: %v", name, size, took)
			}
		}
	}
}

func ExampleDecoder() {
	d := sse.NewDecoder(1 << 20)
	for _, chunk := range []string{"id: 1-0\ndata: \n\ndata: {\"json", "rpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\r\nid: 1-1\r", "\n\r\n: keep alive\n\nretry: 500\n\n"} {
		d.Push([]byte(chunk))
		for e, ok := d.Next(); ok; e, ok = d.Next() {
			fmt.Printf("%q %q %v\n", e.ID, e.Data, e.Retry)
		}
	}
	fmt.Println(d.LastID())
	// Output:
	// "1-0" "" 0s
	// "1-1" "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}" 0s
	// "" "" 500ms
	// 1-1
}
