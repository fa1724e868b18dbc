package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
)

// The bounds of heard.
const (
	heardMany  = 1000
	heardBytes = 1 << 20
)

// heard are notifications that no command has used yet. A server may send any number of them, so
// the oldest are dropped, and counted.
type heard struct {
	mu    sync.Mutex
	list  []client.Event
	bytes int
	left  int // how many were dropped
}

func (h *heard) add(ev client.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, ev)
	h.bytes += len(ev.Body)
	if len(h.list) <= heardMany && h.bytes <= heardBytes {
		return
	}
	n := 0 // a few more, so that the rest is not moved each time
	for ; n < len(h.list) && (len(h.list)-n > heardMany*3/4 || h.bytes > heardBytes*3/4); n++ {
		h.bytes -= len(h.list[n].Body)
	}
	h.left += n
	h.drop(n)
}

// take returns the oldest notification of the method, if there is one, and removes it with all
// before it.
func (h *heard) take(method string) (ev client.Event, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
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

// wait waits for a notification that no earlier wait has used.
func (h *heard) wait(ctx context.Context, method string, d time.Duration) error {
	for end := time.Now().Add(d); ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		if _, ok := h.take(method); ok {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s did not come; %d notifications were left out", method, h.left)
		}
	}
	return context.Cause(ctx)
}

func (h *heard) drop(n int) { h.list = slices.Delete(h.list, 0, n) }
