package host

// park frees the place of a function that waits for its client, which may never answer: the
// function costs a goroutine but no work, and would keep functions of other sessions from running.
// It still counts for MaxWaiting.
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

// unpark gives a function a place again, before any waiting call of its session. It waits for one
// unless the call has ended, because then the function is about to return.
func (w *Work) unpark(j *job) {
	w.mu.Lock()
	j.asks--
	if j.asks > 0 || !j.parked { // several goroutines of the function send requests, or it has returned
		w.mu.Unlock()
		return
	}
	if w.place(j.c) || j.ctx.Err() != nil {
		w.unparked(j)
		w.mu.Unlock()
		return
	}
	place := make(chan struct{}) // closed when it has a place
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
	if j.back == place { // it did not get a place at the last moment
		w.unqueue(j)
		j.back = nil
		w.unparked(j)
	}
}
