package host

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
)

// accompany asks for the Companion.
func (d *Host) accompany() {
	if d.ask != nil {
		d.c = d.ask(server.Peer{})
	}
}

// receive takes in a message, after the session has got the catalog of the Companion.
func (d *Host) receive(m jsonrpc.Message) (out server.Output) {
	now := time.Now()
	if d.c != nil {
		if h := d.c.Handlers(); h != d.own {
			out = d.offer(now, h)
		}
	}
	if out.IsZero() {
		d.s, out = d.s.Receive(now, m)
		return out
	}
	s, more := d.s.Receive(now, m)
	d.s = s
	out.Merge(more)
	return out
}

// offer gives the session the catalog of the Companion's functions, or of those of the Host if it
// has none. One that cannot be made offers nothing.
func (d *Host) offer(now time.Time, h *server.Handlers) (out server.Output) {
	d.own = h
	if h == nil {
		h = d.h
	}
	catalog, err := h.Catalog()
	if err != nil {
		catalog = nil
	}
	s, out, err := d.s.SetCatalog(now, catalog.Only(d.s.Capabilities()))
	if err == nil {
		d.s = s
	}
	return out
}

// functions returns those that answer calls.
func (d *Host) functions() *server.Handlers {
	if d.c != nil {
		if h := d.c.Handlers(); h != nil {
			return h
		}
	}
	return d.h
}

// StepNow has the Companion make a step, because something has come for it from elsewhere. Errors:
// lifecycle.ErrGone after the end.
func (d *Host) StepNow() error {
	return d.Turn(func(s server.State, _ time.Time) (server.State, server.Output, error) {
		return s, server.Output{}, nil
	})
}
