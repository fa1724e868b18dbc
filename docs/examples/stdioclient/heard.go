package main

import (
	"slices"

	"github.com/sansmcp/mcp/client"
)

// How much is heard.
const (
	heardMany  = 1000
	heardBytes = 1 << 20
)

// heard are notifications that nobody has taken yet. A server may send any number of them,
// so the oldest are left out, and counted.
type heard struct {
	list  []client.Event
	bytes int
	left  int // how many were left out
}

func (h *heard) add(ev client.Event) {
	h.list = append(h.list, ev)
	h.bytes += len(ev.Body)
	if len(h.list) <= heardMany && h.bytes <= heardBytes {
		return
	}
	n := 0 // some more, so that the rest is not moved each time
	for ; n < len(h.list) && (len(h.list)-n > heardMany*3/4 || h.bytes > heardBytes*3/4); n++ {
		h.bytes -= len(h.list[n].Body)
	}
	h.left += n
	h.drop(n)
}

// take returns the oldest of the method, if there is one, and takes it away with those
// before it.
func (h *heard) take(method string) (ev client.Event, ok bool) {
	i := slices.IndexFunc(h.list, func(ev client.Event) bool { return ev.Method == method })
	if i < 0 {
		return ev, false
	}
	ev = h.list[i]
	for _, ev := range h.list[:i+1] {
		h.bytes -= len(ev.Body)
	}
	h.drop(i + 1)
	return ev, true
}

func (h *heard) drop(n int) { h.list = slices.Delete(h.list, 0, n) }
