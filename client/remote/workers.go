package remote

import "time"

// promises is how many posts are promised to goroutines before the sender waits for one of them to run.
const promises = 256

// keep is how often goroutines that wait for a message and were not needed since are ended: one waits twice as
// long at most. Its
// stack has already grown to the size that net/http needs.
const keep = 50 * time.Millisecond

// launch sends a post on a waiting goroutine, or on a new one, with the lock held.
func (t *transport) launch(p runner) {
	if w := &t.workers; w.idle > 0 {
		w.give(p)
		w.least = min(w.least, w.idle)
		return
	}
	t.runs.Go(func() { t.work(p) })
}

// give passes a post, or nil, to a waiting goroutine, with the lock held. The goroutine receives it without
// the lock.
func (w *workers) give(p runner) {
	w.idle--
	w.hand <- p
}

// work sends a post, and those that follow soon.
func (t *transport) work(p runner) {
	for p != nil {
		p.run()
		p = nil // do not hold it while waiting
		p = t.await()
	}
}

// await returns the next post for a goroutine; nil if none comes. A goroutine that waits has no timer of its
// own, because setting it would cost each message more than waiting does.
func (t *transport) await() runner {
	w := &t.workers
	t.mu.Lock()
	if t.ctx.Err() != nil {
		t.mu.Unlock()
		return nil
	}
	if w.idle++; !w.timed {
		w.least = 0
		w.rest(t)
	}
	t.mu.Unlock()
	return <-w.hand
}

// rest sets the timer, with the lock held.
func (w *workers) rest(t *transport) {
	if w.timed = true; w.timer == nil {
		w.timer = time.AfterFunc(keep, t.retire)
		return
	}
	w.timer.Reset(keep)
}

// retire ends the goroutines that had nothing to do since the timer was set.
func (t *transport) retire() {
	w := &t.workers
	t.mu.Lock()
	defer t.mu.Unlock()
	for range min(w.least, w.idle) {
		w.give(nil)
	}
	w.least, w.timed = w.idle, false
	if w.idle > 0 {
		w.rest(t)
	}
}

// dismiss ends all goroutines that wait, after the context of the Transport has ended.
func (t *transport) dismiss() {
	w := &t.workers
	t.mu.Lock()
	defer t.mu.Unlock()
	for w.idle > 0 {
		w.give(nil)
	}
	if w.timer != nil {
		w.timer.Stop()
	}
}
