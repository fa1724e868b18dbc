package nethttp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// Bodies that are passed on count in BodyBytes until the home has answered.
func TestForwardedBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 2, nethttp.Options{StreamAfter: -1, MaxBody: 160 << 10, BodyBytes: 160 << 10})
		a, b := w.all[0], w.all[1]
		session := a.open("2025-11-25")
		long := func(id int, tool string) *response {
			body := strings.Replace(callID(id, tool), `{}`, `{"pad":"`+strings.Repeat("x", 100<<10)+`"}`, 1)
			return b.serve("POST", session, "2025-11-25", body, nil)
		}
		first := long(1, "own")
		time.Sleep(time.Second)
		second := long(2, "own-fast")
		if <-second.done; second.status() != 503 || second.head.Get("Retry-After") == "" {
			t.Error(second.status(), second.text())
		}
		b.serve("POST", session, "2025-11-25", callID(3, "own-fast"), nil).has(t, time.Second, `"text":"at once"`)
		w.sides[0].news(session, "news")
		if err := a.h.StepNow(context.Background(), session); err != nil {
			t.Fatal(err)
		}
		<-first.done
		first.has(t, 0, `"text":"news"`)
		long(4, "own-fast").has(t, time.Second, `"text":"at once"`)
		w.close()
	})
}
