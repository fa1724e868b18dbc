package tables

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server/nethttp"
)

// waitFor waits until a session has another step than the given one. Wait may return early. The test data
// have as many bytes as the step, or are invalid.
func waitFor(ctx context.Context, tab nethttp.Table, id string, step uint64) error {
	for {
		if err := tab.Wait(ctx, id, step); err != nil {
			return err
		}
		data, err := tab.Get(ctx, id)
		if errors.Is(err, nethttp.ErrNoSession) || err == nil && uint64(len(data)) != step {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Waiters wake soon: for a Put and a Delete of another process, and for an earlier one.
func wake(t *testing.T, s Store) {
	a, b, ctx := s.Table(t), s.Table(t), background(t)
	if err := waitFor(ctx, a, fresh(), 3); err != nil {
		t.Error("Wait for none:", err)
	}
	var wg sync.WaitGroup
	for range 20 { // sessions
		wg.Go(func() {
			id := fresh()
			if err := a.Put(ctx, id, []byte("1"), 1, time.Minute); err != nil {
				t.Error(err)
				return
			}
			for step := uint64(1); step <= 6; step++ {
				if err := watch(ctx, a, b, id, step); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// watch waits for a step at a and stores the next one at b, or for the sixth removes the entry.
func watch(ctx context.Context, a, b nethttp.Table, id string, step uint64) error {
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- waitFor(ctx, a, id, step) }()
	if step%2 == 0 { // so that the Put happens before or after Wait reads
		time.Sleep(5 * time.Millisecond)
	}
	began := time.Now()
	var err error
	if step == 6 {
		err = b.Delete(ctx, id)
	} else {
		err = b.Put(ctx, id, make([]byte, step+1), step+1, time.Minute)
	}
	if err != nil {
		return err
	}
	go func() { second <- waitFor(ctx, b, id, step) }()
	for _, c := range []chan error{first, second} {
		if err := <-c; err != nil {
			return fmt.Errorf("step %d: %w after %v", step, err, time.Since(began))
		}
	}
	return nil
}

// A call whose context ends returns, and leaves the Table unchanged.
func contexts(t *testing.T, s Store) {
	tab, ctx, id := s.Table(t), background(t), fresh()
	must(t, tab.Put(ctx, id, []byte("1"), 1, time.Minute))
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			short, cancel := context.WithTimeout(ctx, time.Duration(i)*4*time.Millisecond)
			defer cancel()
			if err := waitFor(short, tab, id, 1); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
				t.Errorf("Wait: %v", err)
			}
		})
	}
	wg.Wait()
	over, cancel := context.WithCancel(ctx)
	cancel()
	_ = tab.Put(over, id, make([]byte, 2), 2, time.Minute) // it may be stored
	_, _ = tab.Get(over, id)
	data, err := tab.Get(ctx, id)
	must(t, err)
	step := uint64(len(data))
	done := make(chan error, 1)
	go func() { done <- waitFor(ctx, tab, id, step) }()
	must(t, tab.Put(ctx, id, make([]byte, step+1), step+1, time.Minute))
	must(t, <-done)
}

// While a store is stopped its Table returns errors within a bounded time, and afterwards everything is unchanged.
func away(t *testing.T, s Store) {
	if s.Stop == nil {
		t.Skip("this store cannot be away")
	}
	tab, ctx, id := s.Table(t), background(t), fresh()
	must(t, tab.Put(ctx, id, []byte("1"), 1, time.Minute))
	woken := make(chan error, 1)
	go func() { woken <- waitAgain(ctx, tab, id, 1) }()
	s.Stop(t)
	began := time.Now()
	if _, err := tab.Get(ctx, id); err == nil || errors.Is(err, nethttp.ErrNoSession) {
		t.Errorf("Get of a store that is away: %v", err)
	}
	if err := tab.Put(ctx, id, make([]byte, 2), 2, time.Minute); err == nil || errors.Is(err, nethttp.ErrStep) {
		t.Errorf("Put to a store that is away: %v", err)
	}
	if err := tab.Delete(ctx, id); err == nil {
		t.Error("Delete in a store that is away succeeded")
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("it took %v to hear that the store is away", took)
	}
	s.Start(t)
	var data []byte
	for {
		var err error
		if data, err = tab.Get(ctx, id); err == nil {
			break
		}
		if errors.Is(err, nethttp.ErrNoSession) || ctx.Err() != nil {
			t.Fatal("after it came back: ", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(data) != 1 {
		t.Errorf("a Put that failed was stored %d bytes long after it", len(data))
	}
	must(t, s.Table(t).Put(ctx, id, make([]byte, 2), 2, time.Minute))
	must(t, <-woken)
}

// waitAgain is waitFor, and continues after errors of the store, as a Handler does.
func waitAgain(ctx context.Context, tab nethttp.Table, id string, step uint64) error {
	for {
		if err := waitFor(ctx, tab, id, step); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
