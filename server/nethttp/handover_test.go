package nethttp_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// A process that is shut down hands its sessions over while it still waits for calls: one without an open call is at
// home at whoever is asked next, one with a call once that has ended. What is passed on to it meanwhile goes back.
func TestShutdownHandsHomesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: time.Hour})
		a, b := w.all[0], w.all[1]
		idle, busy := a.open("2025-11-25"), a.open("2025-11-25")
		listens := b.serve("GET", idle, "2025-11-25", "", nil)
		call := b.serve("POST", busy, "2025-11-25", callID(1, "own"), nil)
		time.Sleep(time.Second)
		began, over := time.Now(), make(chan error, 1)
		go func() { over <- a.h.Shutdown(context.Background()) }()
		time.Sleep(100 * time.Millisecond)
		if w.sides[0].ended(idle) == "" || w.sides[0].ended(busy) != "" {
			t.Errorf("the one is %q, the other %q", w.sides[0].ended(idle), w.sides[0].ended(busy))
		}
		// What is no call, and comes to the process that ends, makes nothing there.
		news := a.serve("POST", idle, "2025-11-25", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, nil)
		if <-news.done; news.status() != http.StatusServiceUnavailable {
			t.Error(news.status(), news.text())
		}
		if again := a.serve("GET", idle, "2025-11-25", "", nil); true {
			if <-again.done; again.status() != http.StatusServiceUnavailable {
				t.Error(again.status(), again.text())
			}
		}
		b.serve("POST", idle, "2025-11-25", callID(2, "own-fast"), nil).has(t, 10*time.Millisecond, `"text":"at once"`)
		if w.sides[0].count() != 2 || w.sides[1].count() != 1 {
			t.Error(w.sides[0].made, w.sides[1].made)
		}
		refused := b.serve("POST", busy, "2025-11-25", callID(3, "own-fast"), nil)
		if <-refused.done; refused.status() != http.StatusServiceUnavailable {
			t.Error(refused.status(), refused.text())
		}
		w.sides[0].news(busy, "news")
		if err := a.h.StepNow(context.Background(), busy); err != nil {
			t.Fatal(err)
		}
		call.has(t, time.Second, `"text":"news"`)
		if err := <-over; err != nil || time.Since(began) > 2*time.Second {
			t.Error(err, time.Since(began))
		}
		<-listens.done // and its client comes back
		b.serve("POST", busy, "2025-11-25", callID(4, "own-fast"), nil).has(t, 10*time.Millisecond, `"text":"at once"`)
		for _, s := range []string{idle, busy} {
			if end := w.sides[0].ended(s); end == "" {
				t.Errorf("the Companion of a session that is elsewhere goes on: %q", end)
			}
		}
		w.close()
	})
}
