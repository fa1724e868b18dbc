package remote

import "time"

// promises is how many posts may be promised to goroutines before they take them.
const promises = 256

// keep is how long a goroutine waits for another message after it has sent one. Its stack has already grown
// to the size that net/http needs.
const keep = 50 * time.Millisecond

// launch sends a post on a waiting goroutine, or on a new one, with the lock held.
func (t *transport) launch(p runner) {
	if t.workers.idle > 0 && len(t.workers.hand) < promises { // hand grows only here
		t.workers.idle--
		t.workers.hand <- p
		return
	}
	t.runs.Go(func() { t.work(p) })
}

// work sends a post, and those that follow soon.
func (t *transport) work(p runner) {
	timer := time.NewTimer(keep)
	defer timer.Stop()
	for p != nil {
		p.run()
		p = nil // do not hold it while waiting
		timer.Reset(keep)
		p = t.await(timer)
	}
}

// await returns the next post for a goroutine; nil if none comes.
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
