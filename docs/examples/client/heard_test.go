package main

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
)

// What is heard is bounded by number and by bytes; the newest stays, and what was left out
// is counted.
func TestHeardIsBounded(t *testing.T) {
	for _, size := range []int{10, heardBytes / 100, heardBytes * 2} {
		var h heard
		const many = 3 * heardMany
		body := jsonrpc.Raw(strings.Repeat("x", size))
		for i := range many {
			h.add(client.Event{Method: "old", Body: body})
			if len(h.list) > heardMany || h.bytes > heardBytes || h.bytes != len(h.list)*size || h.left+len(h.list) != i+1 {
				t.Fatalf("%d bytes each: %d with %d bytes, %d left out, after %d", size, len(h.list), h.bytes, h.left, i+1)
			}
		}
		if size <= heardBytes/100 && len(h.list) < 50 {
			t.Errorf("%d bytes each: only %d are kept", size, len(h.list))
		}
		h.add(client.Event{Method: "new"})
		h.add(client.Event{Method: "old"})
		taken := func(method string) bool {
			ev, ok := h.take(method)
			return ok && ev.Method == method
		}
		if taken("none") || !taken("new") || taken("new") || len(h.list) != 1 || h.bytes != 0 || !taken("old") {
			t.Errorf("%d bytes each: %d left with %d bytes", size, len(h.list), h.bytes)
		}
	}
}
