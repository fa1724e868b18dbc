package remote

import "time"

// promises is how many posts may be promised to goroutines and not yet taken.
const promises = 256

// keep is how long a goroutine that has carried a message out waits for the next one. Its stack has grown to
// what net/http needs, which a new one's has to do anew.
const keep = 50 * time.Millisecond

// launch carries a post out on a goroutine that waits for one, or on a new one, with the lock held.
func (t *transport) launch(p runner) {
	if t.workers.idle > 0 && len(t.workers.hand) < promises { // only here it grows
		t.workers.idle--
		t.workers.hand <- p
		return
	}
	t.runs.Go(func() { t.work(p) })
}

// work carries a post out, and those that follow soon.
func (t *transport) work(p runner) {
	timer := time.NewTimer(keep)
	defer timer.Stop()
	for p != nil {
		p.run()
		p = nil // not held while it waits
		timer.Reset(keep)
		p = t.await(timer)
	}
}

// await returns the next post of a goroutine, nil if none comes.
func (t *transport) await(timer *time.Timer) runner {
	t.mu.Lock()
	t.workers.idle++
	t.mu.Unlock()
	select {
	case p := <-t.workers.hand:
		return p
	case <-timer.C:
	case <-t.ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case p := <-t.workers.hand: // promised at the last moment
		return p
	default:
		t.workers.idle--
		return nil
	}
}
