package gateway

import (
	"cmp"
	"slices"

	"github.com/sansmcp/mcp/client/relay"
)

// learn takes in how long servers took to start in a session, for the lists of later sessions, and which
// have sessions. It reports whether the first is known of all.
func (g *Gateway) learn(r relay.Relay) (all bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	servers := slices.Clone(g.servers) // others have the old ones
	all = true
	for i := range servers {
		servers[i].Options.Handshake = r.Handshake(servers[i].Name)
		if d := r.Startup(servers[i].Name); d != 0 {
			servers[i].Startup = d
		} else {
			all = false
		}
	}
	g.servers = servers
	return all
}

// carried returns servers with what is known of those that stay.
func carried(old, servers []relay.Server) []relay.Server {
	servers = slices.Clone(servers)
	for i := range servers {
		sv := &servers[i]
		same := func(o relay.Server) bool { return o.Name == sv.Name && o.Definition == sv.Definition }
		at := slices.IndexFunc(old, same)
		if at < 0 {
			continue
		}
		sv.Startup = cmp.Or(sv.Startup, old[at].Startup)
		sv.Options.Handshake = sv.Options.Handshake || old[at].Options.Handshake
	}
	return servers
}
