package links

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What is wrong of Options means the default.
func TestNewFillsIn(t *testing.T) {
	full := Options{QueueBytes: DefaultQueueBytes, SendTimeout: DefaultSendTimeout, CloseTimeout: DefaultCloseTimeout}
	for _, tt := range []struct{ opt, want Options }{
		{Options{}, full},
		{Options{QueueBytes: -1, SendTimeout: -2, CloseTimeout: -1}, full},
		{Options{QueueBytes: 1, SendTimeout: 1, CloseTimeout: 1}, Options{QueueBytes: 1, SendTimeout: 1, CloseTimeout: 1}},
		{Options{SendTimeout: lifecycle.NoTimeout}, Options{QueueBytes: DefaultQueueBytes, SendTimeout: lifecycle.NoTimeout, CloseTimeout: DefaultCloseTimeout}},
	} {
		if got := New(nil, tt.opt).opt; fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%v became %v, want %v", tt.opt, got, tt.want)
		}
	}
}

// deaf takes nothing.
func deaf() *stiff {
	return &stiff{send: func(ctx context.Context, _ client.Outgoing) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}}
}

// The queue takes 16 times QueueBytes beside what is being sent, to the byte. A request beyond that is not sent, and
// anything else ends the Link; both say how much waits, and what the limit is.
func TestLinksQueueIsFull(t *testing.T) {
	size := 0
	links(t, Options{}, func(_ *testing.T, l *Links, _ *heard) {
		l.Do([]manager.Action{open(one, deaf(), 0)})
		synctest.Wait()
		l.Do([]manager.Action{send(one, ping())})
		size = l.find(one).out.Bytes
	})
	for _, less := range []int{0, 1} { // of the limit than 16 requests have
		links(t, Options{QueueBytes: size - less, SendTimeout: lifecycle.NoTimeout}, func(t *testing.T, l *Links, h *heard) {
			l.Do([]manager.Action{open(one, deaf(), 0)})
			synctest.Wait()
			for range 17 {
				l.Do([]manager.Action{send(one, ping())})
				synctest.Wait()
			}
			h.want(t, one, "opened")
			if k := l.find(one); k.out.Bytes != 17*size {
				t.Errorf("%d bytes wait, of %d each", k.out.Bytes, size)
			}
			l.Do([]manager.Action{send(one, ping()), send(one, ping())})
			synctest.Wait()
			h.want(t, one, "opened", "send failed", "send failed")
			waits := fmt.Sprintf("%d bytes waiting, limit %d", 17*size, 16*(size-less))
			if got, want := h.last(one).Err.Error(), "links: send queue full: "+waits; !strings.HasSuffix(got, want) || lifecycle.DeliveryOf(h.last(one).Err) != lifecycle.NotSent {
				t.Errorf("%s, want %s", got, want)
			}
			l.Do([]manager.Action{send(one, word(1))})
			synctest.Wait()
			if got, want := fmt.Sprint(h.last(one).Err), "links: server accepts no messages: "+waits; h.last(one).Kind != manager.Ended || got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// The errors of a Link that took too long say how long that was.
func TestLinksTooLate(t *testing.T) {
	links(t, Options{SendTimeout: 7 * time.Second, CloseTimeout: 3 * time.Second}, func(t *testing.T, l *Links, h *heard) {
		release := make(chan struct{})
		stone := &stiff{close: func(context.Context) error { <-release; return nil }}
		l.Do([]manager.Action{open(one, deaf(), 0), open(two, stone, 0)})
		synctest.Wait()
		l.Do([]manager.Action{send(one, ping()), shut(two, 2*time.Second)})
		time.Sleep(5*time.Second - 1)
		h.want(t, two, "opened")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		h.want(t, two, "opened", "ended")
		if got, want := h.last(two).Err.Error(), "links: transport still open: abandoned 3s after its deadline"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		time.Sleep(2*time.Second - 1)
		h.want(t, one, "opened")
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got, want := h.last(one).Err.Error(), "links: server accepts no messages: one was not sent after 7s"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		close(release)
	})
}

// A session that is gone fails the requests that it says did not begin, and those that wait to be sent, as not sent.
func TestLinksSessionGone(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		st, err := client.New(client.Config{Info: protocol.Implementation{Name: "test", Version: "1"}, HashKey: [16]byte{1}}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		_, out, err := st.Initialize(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan error)
		s := deaf()
		s.receive = func(context.Context) (Arrival, error) { return Arrival{}, <-gone }
		l.Do([]manager.Action{open(one, s, 0)})
		synctest.Wait()
		l.Do([]manager.Action{send(one, ping()), send(one, ping())}) // the first is being sent
		synctest.Wait()
		gone <- &SessionGone{NotBegun: []client.Req{out.Req}, Err: errors.New("404")}
		synctest.Wait()
		h.want(t, one, "opened", "send failed", "send failed", "ended")
		named := false
		for _, r := range h.list[1:] {
			if r.Kind == manager.SendFailed {
				named = named || r.Req == out.Req
			}
			if !errors.Is(r.Err, ErrSessionGone) || r.Kind == manager.SendFailed && lifecycle.DeliveryOf(r.Err) != lifecycle.NotSent {
				t.Errorf("%v: %v", r.Kind, r.Err)
			}
		}
		if !named {
			t.Error("the request that did not begin is not named")
		}
	})
}
