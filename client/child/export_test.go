package child

// Written is closed when nothing is written to the server any more.
func Written(c *Child) <-chan struct{} { return c.w.Done() }
