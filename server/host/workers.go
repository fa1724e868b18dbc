package host

import "time"

// linger is how long a goroutine that has run a function waits for the next one. Its stack has
// grown to what functions and turns need, which a new one's has to do anew: that costs more
// than all else about it.
const linger = 50 * time.Millisecond

// workers are the goroutines of a Work that run functions.
type workers struct {
	idle int           // that wait for a job and were promised none; guarded by Work.mu
	hand chan *job     // the jobs that were promised, no more than goroutines that wait
	none chan struct{} // closed by Close: no goroutine waits any longer
}

// promises is how many jobs may be promised and not yet taken.
const promises = 256

// Close ends the goroutines that wait for a call, which they do for 50 ms otherwise. Calls that run or
// wait go on, and those that come later run too: a goroutine ends with its function from now on. It may
// be called more than once.
func (w *Work) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.workers.none:
	default:
		close(w.workers.none)
	}
}

// launch runs a job on a goroutine that waits for one, or on a new one.
func (w *Work) launch(j *job) {
	if w.workers.idle > 0 && len(w.workers.hand) < promises { // only here it grows
		w.workers.idle--
		w.workers.hand <- j
		return
	}
	go w.work(j)
}

// work runs a job, and those that follow soon.
func (w *Work) work(j *job) {
	var timer *time.Timer
	for j != nil {
		j.c.run(j)
		j = nil // not held while it waits
		if timer == nil {
			timer = time.NewTimer(linger)
			defer timer.Stop()
		} else {
			timer.Reset(linger)
		}
		j = w.await(timer)
	}
}

// await returns the next job of a goroutine, nil if none comes.
func (w *Work) await(timer *time.Timer) *job {
	w.mu.Lock()
	w.workers.idle++
	w.mu.Unlock()
	select {
	case j := <-w.workers.hand:
		return j
	case <-timer.C:
	case <-w.workers.none:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case j := <-w.workers.hand: // promised at the last moment
		return j
	default:
		w.workers.idle--
		return nil
	}
}
