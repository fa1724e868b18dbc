package waits

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/jsonrpc"
)

// What waits for a function that is slow is bounded, and the newest is there.
func TestProgressIsBounded(t *testing.T) {
	var p Progress
	for i := range 100 {
		p.Add(i, jsonrpc.Raw(fmt.Sprint(i)))
	}
	if len(p.list) != MaxProgress || p.list[MaxProgress-1] != (News{99, "99"}) || p.bytes != 2*MaxProgress {
		t.Errorf("%v, %d", p.list, p.bytes)
	}
	p.Add(0, jsonrpc.Raw(strings.Repeat("x", maxProgressBytes-10)))
	if len(p.list) != 6 || p.bytes != maxProgressBytes {
		t.Errorf("%d wait, %d bytes", len(p.list), p.bytes)
	}
	p.Add(0, jsonrpc.Raw(strings.Repeat("x", 2*maxProgressBytes)))
	if len(p.list) != 1 || p.bytes != 2*maxProgressBytes {
		t.Errorf("%d wait, %d bytes", len(p.list), p.bytes)
	}
	if list := p.Take(); len(list) != 1 || len(p.Take()) != 0 || p.bytes != 0 {
		t.Errorf("took %d, and %d bytes are left", len(list), p.bytes)
	}
}

// The bytes are those that wait, and one that is longer than may be waits alone.
func TestProgressBytes(t *testing.T) {
	var p Progress
	for i, size := range []int{maxProgressBytes / 2, maxProgressBytes / 2, 1, 2 * maxProgressBytes, 1} {
		p.Add(0, jsonrpc.Raw(strings.Repeat("x", size)))
		if wait, want := len(p.list), []int{1, 2, 2, 1, 1}[i]; wait != want || len(p.list[wait-1].Body) != size {
			t.Errorf("%d bytes: %d wait, want %d", size, wait, want)
		}
	}
	if p.bytes != 1 {
		t.Error(p.bytes)
	}
}

// Wake wakes all who wait and nobody who comes later; the end of a context wakes one. The lock is
// free meanwhile, and held again after.
func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var c Change
		c.Wake()
		done := 0
		wait := func(ctx context.Context) {
			mu.Lock()
			defer mu.Unlock()
			c.Wait(ctx, &mu)
			done++
		}
		ctx, end := context.WithCancel(t.Context())
		go wait(ctx)
		for range 2 {
			go wait(t.Context())
		}
		for _, step := range []struct {
			do   func()
			want int
		}{{func() {}, 0}, {end, 1}, {c.Wake, 3}, {func() { go wait(t.Context()) }, 3}, {c.Wake, 4}} {
			mu.Lock()
			step.do()
			mu.Unlock()
			synctest.Wait()
			if mu.Lock(); done != step.want {
				t.Errorf("%d have gone on, want %d", done, step.want)
			}
			mu.Unlock()
		}
	})
}
