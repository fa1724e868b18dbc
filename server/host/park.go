package host

// back is a function that has waited for its client, and waits for a place.
type back struct {
	j     *job
	place chan struct{} // closed when it has one
}

// park frees the place of a function that waits for its client, who may never answer: it costs
// a goroutine and no work, and would keep the functions of other sessions from running. It
// goes on counting for MaxWaiting.
func (w *Work) park(j *job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j.asks++
	if j.parked || j.over {
		return
	}
	j.parked = true
	w.running--
	w.parked++
	w.start()
}

// unpark gives a function a place again, before any call that waits for its turn. It waits
// for one unless the call has ended, for then the function is about to return.
func (w *Work) unpark(j *job) {
	w.mu.Lock()
	j.asks--
	if j.asks > 0 || !j.parked { // several goroutines of the function ask, or it has returned
		w.mu.Unlock()
		return
	}
	if w.running < w.opt.MaxRunning || j.ctx.Err() != nil {
		w.unparked(j)
		w.mu.Unlock()
		return
	}
	b := back{j, make(chan struct{})}
	at := w.back.PushBack(b)
	w.mu.Unlock()
	select {
	case <-b.place:
		return
	case <-j.ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-b.place: // at the last moment
	default:
		w.back.Remove(at)
		w.unparked(j)
	}
}

func (w *Work) unparked(j *job) {
	if j.parked {
		j.parked = false
		w.parked--
		w.running++
	}
}

// resume gives places to functions that have their answers.
func (w *Work) resume() {
	for w.running < w.opt.MaxRunning && w.back.Len() > 0 {
		b := w.back.Remove(w.back.Front()).(back)
		w.unparked(b.j)
		close(b.place)
	}
}
