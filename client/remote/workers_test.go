package remote

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/session"
)

// inMemory answers as a mock does, without a connection.
type inMemory struct {
	m     *mock
	after time.Duration // how long each answer takes
}

func (r inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.after > 0 {
		time.Sleep(r.after)
	}
	at := *req
	if at.Body == nil {
		at.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	r.m.ServeHTTP(w, &at)
	return w.Result(), nil
}

// A goroutine that has carried a message out carries the next ones too, and ends when none comes for a while.
func TestWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		tr, err := New("http://test/mcp", Options{Client: &http.Client{Transport: inMemory{&mock{t: t}, keep / 5}}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(ctx, config(), tr, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := tr.(*transport)
		idle := func(want int, when string) {
			t.Helper()
			synctest.Wait()
			in.mu.Lock()
			defer in.mu.Unlock()
			if in.workers.idle != want || len(in.workers.hand) != 0 {
				t.Errorf("%s: %d goroutines wait and %d posts; want %d and 0", when, in.workers.idle, len(in.workers.hand), want)
			}
		}
		time.Sleep(10 * time.Second)
		idle(0, "after the handshake")
		together := func(n int) {
			t.Helper()
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					if err := read(c); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		for range 5 {
			together(1)
			synctest.Wait()
		}
		idle(1, "after one call at a time")
		together(20)
		idle(20, "after 20 together")
		together(3)
		idle(20, "after three of them")
		time.Sleep(2 * keep)
		idle(0, "when none came for a while")
		together(2)
		idle(2, "after two more")
		begun := time.Now()
		c.Close(ctx)
		if d := time.Since(begun); d >= keep {
			t.Errorf("Close took %s: it waits for goroutines that do nothing", d)
		}
		idle(0, "after Close")
	})
}

// nap is a post that takes time.
type nap time.Duration

func (d nap) run() { time.Sleep(time.Duration(d)) }

// After a burst as many goroutines wait as were busy at once since the timer was set, and Close leaves no timer.
func TestWorkersAfterABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := New("http://test/mcp", Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := tr.(*transport)
		w := &in.workers
		for i, step := range []struct {
			start int           // posts
			then  time.Duration // to wait
			idle  int           // goroutines that wait after it
		}{
			{3 * promises, keep / 2, 3 * promises}, // the timer is set at keep/10
			{0, keep, 3 * promises},
			{3, keep / 5, 3 * promises},
			{0, keep / 2, 3},
			{0, 2 * keep, 0},
			{2, keep / 5, 2},
		} {
			in.mu.Lock()
			for range step.start {
				in.launch(nap(keep / 10))
			}
			in.mu.Unlock()
			time.Sleep(step.then)
			synctest.Wait()
			in.mu.Lock()
			if w.idle != step.idle || w.timed != (step.idle > 0) || len(w.hand) != 0 {
				t.Errorf("%d: %d goroutines wait, timer %t, %d posts; want %d", i, w.idle, w.timed, len(w.hand), step.idle)
			}
			in.mu.Unlock()
		}
		tr.Close(t.Context())
		if w.idle != 0 || w.timer.Stop() {
			t.Errorf("%d goroutines, or a timer, are left", w.idle)
		}
	})
}
