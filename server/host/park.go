package host

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
	w.ran(j.c, -1)
	w.parked++
	w.start()
}

// unpark gives a function a place again, before any call of its session that waits for its turn.
// It waits for one unless the call has ended, for then the function is about to return.
func (w *Work) unpark(j *job) {
	w.mu.Lock()
	j.asks--
	if j.asks > 0 || !j.parked { // several goroutines of the function ask, or it has returned
		w.mu.Unlock()
		return
	}
	if w.place(j.c) || j.ctx.Err() != nil {
		w.unparked(j)
		w.mu.Unlock()
		return
	}
	place := make(chan struct{}) // closed when it has one
	j.back = place
	w.queue(j)
	w.pressed()
	w.mu.Unlock()
	select {
	case <-place:
		return
	case <-j.ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.back == place { // not at the last moment
		w.unqueue(j)
		j.back = nil
		w.unparked(j)
	}
}
