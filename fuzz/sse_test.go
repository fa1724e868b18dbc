package fuzz_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/sse"
)

// FuzzEvents compares the Decoder of server-sent events, fed in chunks, with a reading of the whole
// stream byte by byte, and what Append writes of the events with both.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"\ufeffid: 1-0\ndata: \n\ndata: {\"jsonrpc\":\"2.0\"}\r\nid: 1-1\r\n\r\n: keep alive\n\nretry: 500\n\n",
		"data: a\rdata: b\r\revent: endpoint\ndata:/x\n\nid\ndata\n\n", "id: \x00\nretry: x\ndatax: 1\n:\n\ndata: 123456789012345678901234567890\n\n",
	} {
		f.Add([]byte(s), uint8(3), uint8(20))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size, limit uint8) {
		most := int(limit) + 1
		stream = stream[:min(len(stream), 4096)]
		want := slowly(stream, most)
		d := sse.NewDecoder(most)
		var got []sse.Event
		for rest := stream; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			d.Push(rest[:n])
			rest = rest[n:]
			for e, ok := d.Next(); ok; e, ok = d.Next() {
				got = append(got, e)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q, chunks of %d, limit %d:\ngot  %+v\nwant %+v", stream, size, most, got, want)
		}
		for _, e := range got {
			again := sse.NewDecoder(len(e.Data))
			again.Push(sse.Append(nil, e))
			e.Oversize = false
			if back, ok := again.Next(); ok != (e != sse.Event{}) || back != e {
				t.Fatalf("%+v came back as %+v, %v", e, back, ok)
			}
		}
	})
}

// slowly reads a stream byte by byte.
func slowly(stream []byte, limit int) (events []sse.Event) {
	stream = bytes.TrimPrefix(stream, []byte("\ufeff"))
	var line []byte
	var e sse.Event
	var data *string
	for i, c := range stream {
		if c == '\n' && i > 0 && stream[i-1] == '\r' {
			continue
		}
		if c != '\n' && c != '\r' {
			line = append(line, c)
			continue
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		blank := len(line) == 0
		line = nil
		switch {
		case blank:
			if data != nil {
				e.Data = *data
			}
			if len(e.Data) > limit {
				e.Data, e.Oversize = e.Data[:limit+1], true
			}
			if data != nil || e.HasID || e.HasRetry {
				events = append(events, e)
			}
			e, data = sse.Event{}, nil
		case name == "data" && data != nil:
			*data += "\n" + value
		case name == "data":
			data = &value
		case name == "event":
			e.Name = value
		case name == "id" && strings.IndexByte(value, 0) < 0:
			e.ID, e.HasID = value, true
		case name == "retry":
			wait := sse.NewDecoder(0)
			wait.Push([]byte("retry: " + value + "\n"))
			wait.Next()
			if r, ok := wait.Retry(); ok {
				e.Retry, e.HasRetry = r, true
			}
		}
	}
	return events
}
