package remote

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
)

// What one goroutine has received is handled in order, also if the function of Direct refuses the first: the second
// waits until the caller of Receive has handled that.
func TestDirectOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		tr, err := New("http://test/mcp", Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := tr.(*transport)
		var mu sync.Mutex
		var taken []string
		full := true
		in.Direct(func(of any, a links.Arrival) bool {
			mu.Lock()
			defer mu.Unlock()
			if full || !in.Current(of) {
				return false
			}
			taken = append(taken, a.Message.Method)
			return true
		})
		s := in.newSession()
		in.s = s
		send := func(s *serverSession, names ...string) {
			for _, name := range names {
				in.deliver(ctx, arrival{of: s, a: links.Arrival{Message: jsonrpc.Message{Method: name}}})
			}
		}
		want := func(list ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(taken, list) {
				t.Errorf("taken: %q; want %q", taken, list)
			}
		}
		go send(s, "a", "b", "c")
		synctest.Wait()
		mu.Lock()
		full = false
		mu.Unlock()
		if a, err := tr.Receive(ctx); err != nil || a.Message.Method != "a" {
			t.Fatal(a, err)
		}
		want() // b waits for a
		go func() { _, _ = tr.Receive(ctx) }()
		want("b", "c")
		go send(in.newSession(), "of another session", "and")
		want("b", "c")
		tr.Close(ctx)
		synctest.Wait()
	})
}
