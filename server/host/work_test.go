package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// A Work bounds the functions of all its sessions together, and what one of them may have;
// sessions take turns.
func TestWorkOverSessions(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w := host.NewWork(host.WorkOptions{MaxRunning: 2, MaxWaiting: 8, MaxPerSession: 5, NoShares: true})
	var mu sync.Mutex
	var order []string
	release := make(chan struct{})
	f := func(name string) server.ToolFunc {
		return func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			mu.Lock()
			order = append(order, name)
			mu.Unlock()
			<-release
			return protocol.TextResult("done"), nil
		}
	}
	a, b := newShelf(t, w, f("a")), newShelf(t, w, f("b"))
	c := newShelf(t, w, f("c"))
	for i := range 7 {
		a.call(fmt.Sprint(i), "{}")
	}
	if a.refused != 2 || w.Status() != (host.WorkStatus{Running: 2, Waiting: 3, Bytes: w.Status().Bytes}) {
		t.Errorf("%d refused, %+v", a.refused, w.Status())
	}
	for i := range 3 {
		b.call(fmt.Sprint(i), "{}")
	}
	for i := range 3 {
		c.call(fmt.Sprint(i), "{}")
	}
	if b.refused != 0 || c.refused != 1 {
		t.Errorf("%d and %d refused", b.refused, c.refused)
	}
	eventually(t, "two do not run", func() bool { mu.Lock(); defer mu.Unlock(); return len(order) == 2 })
	for range 8 {
		mu.Lock()
		n := len(order)
		mu.Unlock()
		release <- struct{}{}
		eventually(t, "the next does not run", func() bool { mu.Lock(); defer mu.Unlock(); return len(order) == n+1 })
	}
	close(release)
	if want := strings.Split("aaabcabcab", ""); !slices.Equal(order, want) {
		t.Errorf("they ran in the order %v, want %v", order, want)
	}
	quiet(t, w, goroutines)
}

// Params count as long as their function runs, whatever has become of the call; one call is
// never refused for them.
func TestBytesOfCalls(t *testing.T) {
	w, release := host.NewWork(host.WorkOptions{MaxRunning: 1, CallBytes: 1000, NoShares: true}), make(chan struct{})
	s := newShelf(t, w, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	})
	large := `{"a":"` + strings.Repeat("x", 5000) + `"}`
	s.call("a", large)
	s.cancel("a")
	s.call("b", "{}")
	if s.refused != 1 {
		t.Error("its bytes do not count any more")
	}
	release <- struct{}{}
	eventually(t, "it still counts", s.calls.Idle)
	s.call("c", large)
	if s.refused != 1 {
		t.Error("one call alone is refused")
	}
	close(release)
	eventually(t, "not idle", s.calls.Idle)
	if w.Status() != (host.WorkStatus{}) {
		t.Errorf("%+v is left", w.Status())
	}
}

// The params of one session are bounded by themselves, so that it leaves room for others.
func TestBytesOfOneSession(t *testing.T) {
	w, release := host.NewWork(host.WorkOptions{SessionBytes: 1000}), make(chan struct{})
	f := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	}
	a, b := newShelf(t, w, f), newShelf(t, w, f)
	large := `{"a":"` + strings.Repeat("x", 5000) + `"}`
	a.call("1", large) // alone
	a.call("2", "{}")
	b.call("1", "{}")
	b.call("2", "{}")
	if a.refused != 1 || b.refused != 0 {
		t.Errorf("%d and %d refused", a.refused, b.refused)
	}
	close(release)
	eventually(t, "not idle", func() bool { return a.calls.Idle() && b.calls.Idle() })
	a.call("3", large)
	if a.refused != 1 {
		t.Error("what has returned counts still")
	}
	eventually(t, "not idle", a.calls.Idle)
}

// The bytes of a session may reach SessionBytes, and not exceed it.
func TestBytesOfOneSessionExactly(t *testing.T) {
	release := make(chan struct{})
	f := func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		<-release
		return protocol.TextResult("done"), nil
	}
	first := host.NewWork(host.WorkOptions{})
	one := newShelf(t, first, f)
	one.call("1", "{}")
	size := first.Status().Bytes
	shelves := []*shelf{one}
	for more, want := range map[int]int{-1: 1, 0: 0, 1: 0} {
		s := newShelf(t, host.NewWork(host.WorkOptions{SessionBytes: 2*size + more}), f)
		s.call("1", "{}")
		s.call("2", "{}")
		if s.refused != want {
			t.Errorf("%d bytes more than two calls have: %d refused, want %d", more, s.refused, want)
		}
		shelves = append(shelves, s)
	}
	close(release)
	for _, s := range shelves {
		eventually(t, "not idle", s.calls.Idle)
	}
}

// Many sessions that call, cancel and ask at the same time leave nothing behind, and every
// call that was not cancelled is answered once.
func TestManySessions(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	w := host.NewWork(host.WorkOptions{MaxRunning: 8, MaxWaiting: 10_000})
	var running, most atomic.Int32
	var wg sync.WaitGroup
	for i := range 20 {
		s := newShelf(t, w, func(ctx context.Context, c server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			n := running.Add(1)
			defer func() { running.Add(-1) }()
			for m := most.Load(); n > m; m = most.Load() {
				if most.CompareAndSwap(m, n) {
					break
				}
			}
			switch len(p.Arguments) % 3 {
			case 0:
				short, end := context.WithTimeout(ctx, time.Millisecond)
				defer end()
				running.Add(-1) // one that waits for its client does not count
				_, _ = ask(short, c)
				if n := running.Add(1); n > 8 && ctx.Err() == nil {
					t.Errorf("%d run again", n)
				}
			case 1:
				_ = c.Progress(protocol.ProgressParams{Progress: 1})
			}
			return protocol.TextResult("done"), nil
		})
		s.conflict, s.restore = i%2 == 0, i%5 == 0
		wg.Add(1)
		go func() {
			defer wg.Done()
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for n := range 50 {
				s.call(fmt.Sprint("c", n), `{"a":"`+strings.Repeat("x", random.IntN(9))+`"}`)
				if random.IntN(3) == 0 {
					s.cancel(fmt.Sprint("c", random.IntN(n+1)))
				}
			}
			eventually(t, "calls are open", func() bool { return s.state().Status().Inbound == 0 && s.calls.Idle() })
			s.mu.Lock()
			defer s.mu.Unlock()
			answers := map[string]int{}
			for _, line := range s.sent {
				if id, _, ok := strings.Cut(line, `,"result"`); ok {
					answers[id]++
				}
			}
			for id, n := range answers {
				if n > 1 {
					t.Errorf("%s was answered %d times", id, n)
				}
			}
			if len(answers) < 25 {
				t.Errorf("only %d answers", len(answers))
			}
		}()
	}
	wg.Wait()
	if most.Load() > 8 {
		t.Errorf("%d ran at a time", most.Load())
	}
	quiet(t, w, goroutines)
}
