package gateway

import "github.com/sansmcp/mcp/jsonrpc"

// deliver queues a message from the home. It is safe for concurrent use.
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

// waits reports whether messages wait; if none do, work must end.
func (v *visitor) waits() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waking = !v.over && len(v.inbox) > 0
	return v.waking
}

// work runs steps until nothing waits.
func (v *visitor) work() {
	for v.waits() {
		if v.wake(v.g.ctx) != nil { // its State is in this process and has ended
			v.mu.Lock()
			v.over = true
			v.mu.Unlock()
		}
	}
}

// tool returns a tool as the clients of a principal see it; false if unknown.
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
	if x == nil { // its clients have seen no tools
		return "", false
	}
	x.mu.Lock()
	r := x.relay
	x.mu.Unlock()
	return r.Tool(name)
}
