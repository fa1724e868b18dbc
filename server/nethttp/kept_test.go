package nethttp_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// stuck is a Store that takes no record of one session.
type stuck struct {
	nethttp.Store
	id    atomic.Value // of that session; "" for none
	tried atomic.Int32
}

func (s *stuck) Put(ctx context.Context, id string, r nethttp.Record, step uint64) error {
	if id == s.id.Load() {
		s.tried.Add(1)
		return errors.New("no disk")
	}
	return s.Store.Put(ctx, id, r, step)
}

// keep makes a session whose client has left before the answer, of so many bytes, and returns its id.
func keep(b *bubble, bytes int) string {
	id := b.open("2025-11-25")
	r := b.serve("POST", id, "", callOf("gate", `{"x":"`+strings.Repeat("x", bytes)+`"}`), nil)
	<-b.k.begun
	time.Sleep(time.Second)
	r.cut()
	<-r.done
	b.k.free <- struct{}{}
	synctest.Wait()
	return id
}

// As many sessions give as it takes, however much comes at once.
func TestManyGive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 300_000
		b := newBubble(t, nethttp.Options{KeptBytes: most})
		defer b.close()
		for range 5 {
			keep(b, 40_000)
		}
		before := b.h.Kept()
		if before < 200_000 {
			t.Fatalf("%d bytes are kept at first", before)
		}
		keep(b, 250_000)
		if n := b.h.Kept(); n > most || n < 250_000 {
			t.Errorf("%d bytes are kept", n)
		}
	})
}

// Where the Store fails, no more is tried than once: the next turn tries again, and what is too much goes
// as soon as the Store is back.
func TestStoreFailsInShrinking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 100_000
		store := &stuck{Store: nethttp.NewMemory()}
		store.id.Store("")
		b := newBubble(t, nethttp.Options{KeptBytes: most, Store: store})
		defer b.close()
		store.id.Store(keep(b, 60_000))
		tried := store.tried.Load()
		keep(b, 60_000)
		if n := store.tried.Load() - tried; n == 0 || n > 20 {
			t.Errorf("tried %d times", n)
		}
		if n := b.h.Kept(); n <= most {
			t.Fatalf("%d bytes are kept: nothing was to be given", n)
		}
		store.id.Store("")
		b.open("2025-11-25")
		synctest.Wait()
		if n := b.h.Kept(); n > most {
			t.Errorf("%d bytes are kept once the store is back", n)
		}
	})
}
