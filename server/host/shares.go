package host

// fits reports whether one more is within the share of a session, which has mine, and of its owner,
// which has all; free is what is left. The owner may have less than three times what is free, and
// the session less than how many more the owner may have: (3×free − all) / 4, because each one more
// leaves one less free.
func fits(free, all, mine int) bool { return 4*mine < 3*free-all }

// place reports whether a function of the session may run.
func (w *Work) place(c *Calls) bool {
	free := w.opt.MaxRunning - w.running
	return free > 0 && (w.opt.NoShares || fits(free, c.owner.running, c.running))
}

// ran notes that n more functions of the session run.
func (w *Work) ran(c *Calls, n int) {
	w.running += n
	c.running += n
	c.owner.running += n
}

// hold finds the owner of a session that is about to have a job.
func (w *Work) hold(c *Calls) {
	switch {
	case c.owner != nil:
		return
	case c.name == "":
		c.owner = &c.self
		return
	}
	o := w.owners[c.name]
	if o == nil {
		if o, w.spare = w.spare, nil; o == nil {
			o = new(owner)
		}
		o.name = c.name
		w.owners[c.name] = o
	}
	c.owner = o
}

// release drops the owner of a session that has no job any more.
func (w *Work) release(c *Calls) {
	o := c.owner
	if c.held > 0 || o == nil {
		return
	}
	c.owner = nil
	if o.held == 0 && o != &c.self {
		delete(w.owners, o.name)
		w.spare = o
	}
}
