package links

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// moody is a Transport that does whatever comes to its mind, but heeds its contexts.
type moody struct{}

func (moody) wait(ctx context.Context, most time.Duration) error {
	select {
	case <-time.After(rand.N(most)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m moody) Send(ctx context.Context, _ client.Outgoing, _ protocol.Revision) error {
	if rand.IntN(20) == 0 {
		<-ctx.Done() // a server that takes nothing any more
	}
	if err := m.wait(ctx, 100*time.Millisecond); err != nil || rand.IntN(5) > 0 {
		return err
	}
	return io.ErrShortWrite
}

func (m moody) Receive(ctx context.Context) (Arrival, error) {
	if err := m.wait(ctx, 500*time.Millisecond); err != nil {
		return Arrival{}, err
	}
	switch rand.IntN(20) {
	case 0:
		return Arrival{}, io.EOF
	case 1:
		return Arrival{}, ErrSessionGone
	}
	return Arrival{Message: word(10)}, nil
}

func (m moody) Close(ctx context.Context) error {
	if rand.IntN(3) == 0 {
		<-ctx.Done()
	}
	_ = m.wait(ctx, time.Second)
	return nil
}

// Whatever connections do, and whatever is asked of them meanwhile: each is opened at most
// once, ends exactly once, says nothing after that, and nothing is left.
func TestLinksStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(heard)
		l := New(func(ctx context.Context, _ any) (Transport, error) {
			var m moody
			switch err := m.wait(ctx, time.Second); {
			case err != nil:
				return nil, err
			case rand.IntN(4) == 0:
				return nil, io.ErrUnexpectedEOF
			}
			return m, nil
		}, Options{Report: h.report, QueueBytes: 1000, SendTimeout: 5 * time.Second})
		const many = 300
		for i := range many {
			id := manager.Link{Server: "s", Epoch: uint64(i + 1)}
			go func() {
				l.Do([]manager.Action{open(id, nil, time.Duration(rand.IntN(2))*time.Second)})
				for range rand.IntN(60) {
					time.Sleep(rand.N(200 * time.Millisecond))
					switch rand.IntN(12) {
					case 3:
						l.Do([]manager.Action{send(id, word(5000))})
					default:
						l.Do([]manager.Action{send(id, ping()), send(id, word(100))})
					}
				}
				if rand.IntN(8) == 0 {
					l.Do([]manager.Action{kill(id)})
				} else if rand.IntN(4) > 0 {
					l.Do([]manager.Action{shut(id, rand.N(3*time.Second))})
				}
			}()
		}
		time.Sleep(20 * time.Second)
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := l.Close(ctx); err != nil && (!errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrCloseTimeout)) {
			t.Error(err)
		}
		synctest.Wait()
		for i := range many {
			kinds := h.of(manager.Link{Server: "s", Epoch: uint64(i + 1)})
			for n, k := range kinds {
				first, last := n == 0, n == len(kinds)-1
				if k == "opened" && !first || first && k != "opened" && !last || last != (k == "ended" || k == "open failed") {
					t.Fatalf("%d: %q", i+1, kinds)
				}
			}
			if len(kinds) == 0 {
				t.Errorf("%d: nothing was reported", i+1)
			}
		}
		if l.Len() != 0 {
			t.Errorf("%d are left", l.Len())
		}
	})
}

// A connection that waits costs one goroutine.
func TestLinksGoroutines(t *testing.T) {
	links(t, Options{}, func(t *testing.T, l *Links, h *heard) {
		const many = 1000
		before := runtime.NumGoroutine()
		for i := range many {
			l.Do([]manager.Action{open(manager.Link{Server: "s", Epoch: uint64(i + 1)}, new(stiff), time.Minute)})
		}
		synctest.Wait()
		for i := range many {
			l.Do([]manager.Action{send(manager.Link{Server: "s", Epoch: uint64(i + 1)}, ping())})
		}
		synctest.Wait()
		if n := runtime.NumGoroutine() - before; n > many+10 { // of the runtime
			t.Errorf("%d goroutines for %d connections", n, many)
		}
	})
}
