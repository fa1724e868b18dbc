package links

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Without a deadline hours are no reason to end anything: an opening, a silence, a Send.
func TestLinksForHours(t *testing.T) {
	links(t, Options{SendTimeout: lifecycle.NoTimeout}, func(t *testing.T, l *Links, h *heard) {
		s := &stiff{send: func(context.Context, client.Outgoing) error { time.Sleep(3 * time.Hour); return nil }}
		l.Do([]manager.Action{open(one, func(context.Context) (Transport, error) { time.Sleep(3 * time.Hour); return s, nil }, 0)})
		time.Sleep(4 * time.Hour)
		h.want(t, one, "opened")
		l.Do([]manager.Action{send(one, ping())})
		time.Sleep(4 * time.Hour)
		h.want(t, one, "opened")
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.sent) != 1 {
			t.Errorf("sent %d", len(s.sent))
		}
	})
}

// After a kill nothing more is given to the Transport than what it is sending.
func TestLinksKilledWithAQueue(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		tried := 0
		s := &stiff{send: func(ctx context.Context, _ client.Outgoing) error {
			tried++
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		l.Do([]manager.Action{open(one, s, 0)})
		synctest.Wait()
		l.Do([]manager.Action{send(one, ping()), send(one, ping()), send(one, ping())})
		synctest.Wait()
		l.Do([]manager.Action{kill(one)})
		synctest.Wait()
		h.want(t, one, "opened", "ended")
		if tried != 1 {
			t.Errorf("%d messages given to the transport", tried)
		}
	})
}
