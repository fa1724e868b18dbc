package gateway

import "github.com/sansmcp/mcp/jsonrpc"

// deliver takes a message of the home. Any goroutine may call it.
func (v *visitor) deliver(d delivery) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return
	}
	v.inbox = append(v.inbox, d)
	if !v.waking {
		v.waking = true
		v.g.wg.Go(v.work)
	}
}

// waits reports whether there is something to take in, and says so no more if there is not.
func (v *visitor) waits() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waking = !v.over && len(v.inbox) > 0
	return v.waking
}

// work has steps made until nothing waits.
func (v *visitor) work() {
	for v.waits() {
		if v.wake(v.g.ctx) != nil { // its State is in this process: it is gone
			v.mu.Lock()
			v.over = true
			v.mu.Unlock()
		}
	}
}

// tool returns a tool as the clients of a principal see it.
func (g *Gateway) tool(principal, name string) (jsonrpc.Raw, bool) {
	g.homesMu.Lock()
	var x *session
	for key, h := range g.homes {
		if key.principal == principal {
			x = h.x
			break
		}
	}
	g.homesMu.Unlock()
	if x == nil { // its clients have seen none
		return "", false
	}
	x.mu.Lock()
	r := x.relay
	x.mu.Unlock()
	return r.Tool(name)
}
