package remote

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/session"
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

// Cancellations of requests that the server does not accept are sent when each is due, also one that is due before
// another that waits already.
func TestCancellationsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, begun := &mock{t: t}, time.Now()
		var mu sync.Mutex
		var got []time.Duration
		m.post = func(_ http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
			switch msg.Method {
			case "resources/read":
				httptrace.ContextClientTrace(r.Context()).WroteRequest(httptrace.WroteRequestInfo{})
				<-r.Context().Done()
				return true
			case "notifications/cancelled":
				mu.Lock()
				defer mu.Unlock()
				got = append(got, time.Since(begun))
			}
			return false
		}
		tr, err := New("http://test/mcp", Options{NoListen: true, Client: &http.Client{Transport: inMemory{m: m}}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(t.Context(), config(), tr, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const ms = time.Millisecond
		begun = time.Now()
		for _, call := range []struct{ at, until time.Duration }{{0, 160 * ms}, {100 * ms, 150 * ms}, {300 * ms, 310 * ms}} {
			go func() {
				time.Sleep(call.at)
				ctx, end := context.WithTimeout(t.Context(), call.until-call.at)
				defer end()
				_ = readIn(ctx, c, patience)
			}()
		}
		time.Sleep(time.Second)
		mu.Lock()
		if want := []time.Duration{250 * ms, 350 * ms, 550 * ms}; !slices.Equal(got, want) {
			t.Errorf("cancelled at %v, want %v", got, want)
		}
		mu.Unlock()
		c.Close(t.Context())
	})
}
