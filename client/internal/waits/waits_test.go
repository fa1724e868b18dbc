package waits

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What waits for a function that is slow is bounded, and the newest is there.
func TestProgressIsBounded(t *testing.T) {
	const progress = `{"progressToken":1,"progress":1}`
	var seen []int
	w := NewWaiter[int](func(i int, _ protocol.ProgressParams) { seen = append(seen, i) })
	for i := range 100 {
		w.Progress(i, progress)
	}
	if n := len(w.list); n != MaxProgress || w.list[n-1].index != 99 || w.bytes != len(progress)*MaxProgress {
		t.Errorf("%v, %d", w.list, w.bytes)
	}
	w.Progress(100, `no progress`)
	w.End(7)
	if end, over := w.Wait(t.Context(), new(sync.Mutex)); !over || end != 7 || len(seen) != MaxProgress-1 || seen[0] != 85 || w.bytes != 0 {
		t.Errorf("%d, %v, seen %v, %d bytes are left", end, over, seen, w.bytes)
	}
	none := NewWaiter[int](Reporter(nil))
	if none.Progress(0, progress) || none.list != nil {
		t.Error("progress that is not wanted is kept")
	}
}

// The bytes are those that wait, and one that is longer than may be waits alone.
func TestProgressBytes(t *testing.T) {
	w := NewWaiter[int](Reporter(func(protocol.ProgressParams) {}))
	for i, size := range []int{maxProgressBytes / 2, maxProgressBytes / 2, 1, 2 * maxProgressBytes, 1} {
		w.Progress(0, jsonrpc.Raw(strings.Repeat("x", size)))
		if wait, want := len(w.list), []int{1, 2, 2, 1, 1}[i]; wait != want || len(w.list[wait-1].body) != size {
			t.Errorf("%d bytes: %d wait, want %d", size, wait, want)
		}
	}
	if w.bytes != 1 {
		t.Error(w.bytes)
	}
}

// Wait returns at the end, or with the lock held where ctx ends first; then it can be called again.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		w := NewWaiter[string](nil)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if _, over := w.Wait(ctx, &mu); over || mu.TryLock() {
			t.Errorf("over %v, or the lock is free", over)
		}
		mu.Unlock()
		time.AfterFunc(time.Second, func() {
			mu.Lock()
			defer mu.Unlock()
			w.End("x")
		})
		if end, over := w.Wait(t.Context(), &mu); end != "x" || !over || !mu.TryLock() {
			t.Errorf("%q, over %v, or the lock is held", end, over)
		}
		mu.Unlock()
		if end, over := w.Wait(ctx, &mu); end != "x" || !over {
			t.Errorf("%q, %v: the end counts, whatever ended later", end, over)
		}
	})
}

// Until waits for a condition, the end of ctx or Close, and returns with the lock held.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gate
		ready, gone, over := false, errors.New("gone"), errors.New("over")
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		for _, step := range []struct {
			do   func()
			want error
		}{
			{func() { ready = true; g.Wake() }, nil},
			{func() { stop(gone) }, gone},
			{func() { g.Close(over) }, over},
		} {
			ready = false
			time.AfterFunc(time.Second, func() {
				g.Lock()
				defer g.Unlock()
				step.do()
			})
			if err := g.Until(ctx, func() bool { return ready }); !errors.Is(err, step.want) || g.TryLock() {
				t.Errorf("%v, want %v, or the lock is free", err, step.want)
			}
			g.Unlock()
			if ctx.Err() != nil {
				ctx = t.Context()
			}
		}
		if err := g.Until(t.Context(), func() bool { return true }); !errors.Is(err, over) || !errors.Is(g.Closed(), over) {
			t.Error(err)
		}
		g.Unlock()
	})
}

// As many functions and bytes are admitted as may be, and one alone with more.
func TestLoad(t *testing.T) {
	var l Load
	for i, step := range []struct {
		n    int
		want bool
	}{{11, true}, {0, false}, {-11, true}, {4, true}, {7, false}, {6, true}, {0, true}, {0, false}} {
		if step.n < 0 {
			l.Leave(-step.n)
		} else if l.Admit(step.n, 3, 10) != step.want {
			t.Errorf("%d: %d bytes, want %v", i, step.n, step.want)
		}
	}
	for _, n := range []int{4, 6, 0} {
		l.Leave(n)
	}
	if l != (Load{}) {
		t.Error(l)
	}
}

// Returned waits for all goroutines, or for the end of ctx.
func TestReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a, b sync.WaitGroup
		a.Go(func() { time.Sleep(time.Second) })
		b.Go(func() { time.Sleep(2 * time.Second) })
		start := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if Returned(ctx, &a, &b); time.Since(start) != time.Millisecond {
			t.Error(time.Since(start))
		}
		if Returned(t.Context(), &a, &b); time.Since(start) != 2*time.Second {
			t.Error(time.Since(start))
		}
	})
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
