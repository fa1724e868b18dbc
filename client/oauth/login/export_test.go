package login

// Waiting returns how many requests wait for the run that is under way.
func (r *Runner) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil {
		return 0
	}
	return r.now.waiting
}
