package gating_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const everything = protocol.Capability(1)<<13 - 1

// offer is what the tested side declares.
type offer struct {
	name string
	caps protocol.Capability // of everything, if the role has any
	make func(t testing.TB, role protocol.Party, r protocol.Revision) verbs.Side
}

const (
	allOfServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}`
	allOfClient = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}}}`

	listChanges = protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged
)

var offers = []offer{
	{"all, answered by the application", everything, func(t testing.TB, role protocol.Party, r protocol.Revision) verbs.Side {
		list, _ := stated(r)
		var serve []string
		for _, m := range list {
			if m.Request && m.Sender == role.Peer() && m.Name != "initialize" {
				serve = append(serve, m.Name)
			}
		}
		if role == protocol.Server {
			return verbs.NewServer(t, server.Config{
				Revisions: []protocol.Revision{r}, Serve: serve, ListChanged: listChanges, Subscribe: true, Logging: true, ChangeDelay: -1,
			})
		}
		return verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{r}, Serve: serve, RootsListChanged: true})
	}},
	{"all, answered by the machine", everything, func(t testing.TB, role protocol.Party, r protocol.Revision) verbs.Side {
		if role == protocol.Client {
			serve := []string{"sampling/createMessage", "x/ask"}
			if list, _ := stated(r); slices.ContainsFunc(list, func(m method) bool { return m.Name == "elicitation/create" }) {
				serve = append(serve, "elicitation/create")
			}
			return verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{r}, Serve: serve, Roots: []protocol.Root{}, RootsListChanged: true})
		}
		catalog, err := server.NewCatalog(server.Items{
			Tools:             []protocol.Tool{{Name: "t"}},
			Resources:         []protocol.Resource{{URI: "a:b", Name: "b"}},
			ResourceTemplates: []protocol.ResourceTemplate{},
			Prompts:           []protocol.Prompt{{Name: "p"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return verbs.NewServer(t, server.Config{
			Revisions: []protocol.Revision{r}, Catalog: catalog, ListChanged: listChanges, Subscribe: true, Logging: true,
			Serve: []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/custom"},
		})
	}},
	{"nothing", 0, func(t testing.TB, role protocol.Party, r protocol.Revision) verbs.Side {
		if role == protocol.Server {
			return verbs.NewServer(t, server.Config{Revisions: []protocol.Revision{r}})
		}
		return verbs.NewClient(t, client.Config{Revisions: []protocol.Revision{r}})
	}},
}

// peerOffers are what the peer declares, as JSON.
func peerOffers(role protocol.Party) map[string]protocol.Capability {
	all := allOfServer
	if role == protocol.Server {
		all = allOfClient
	}
	return map[string]protocol.Capability{all: everything, `{}`: 0}
}

// place is a point in the life of a session.
type place struct {
	name   string
	phase  protocol.Phase
	closed bool // after the close action
	steps  int  // of the handshake
	then   []verbs.Verb
}

// walk brings a fresh side to the place.
func (p place) walk(x verbs.Side, r protocol.Revision, peer string) verbs.Side {
	x.T.Helper()
	if p.steps > 0 {
		x, _ = x.Begin(r, peer)
	}
	if p.steps > 1 {
		x, _ = x.Finish(r, peer)
	}
	return did(p.then...)(x)
}

var places = []place{
	{"fresh", protocol.Uninitialized, false, 0, nil},
	{"begun", protocol.Initializing, false, 1, nil},
	{"open", protocol.Ready, false, 2, nil},
	// It waits for the answer to its own ping before it ends.
	{"leaving", protocol.ShuttingDown, false, 2, []verbs.Verb{{Op: verbs.OpRequest, Params: protocol.PingParams{}}, {Op: verbs.OpShutdown, Grace: time.Hour}}},
	{"gone", protocol.ShuttingDown, true, 2, []verbs.Verb{{Op: verbs.OpShutdown}}},
	{"lost", protocol.Disconnected, false, 2, []verbs.Verb{{Op: verbs.OpDisconnected}}},
	{"failed", protocol.Failed, false, 2, []verbs.Verb{{Op: verbs.OpAbort}}},
}

// walk runs f in every revision, for both roles, with every offer of both sides, in every
// place.
func walk(t *testing.T, f func(t *testing.T, c situation)) {
	for _, r := range protocol.Revisions() {
		for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
			for _, o := range offers {
				for peer, peerCaps := range peerOffers(role) {
					for _, p := range places {
						t.Run(r.String()+"/"+role.String()+"/"+o.name+"/"+peer+"/"+p.name, func(t *testing.T) {
							x := p.walk(o.make(t, role, r), r, peer)
							if x.Phase() != p.phase {
								t.Fatalf("in %v, want %v", x.Phase(), p.phase)
							}
							f(t, situation{x: x, r: r, place: p, offer: o, peer: peerCaps})
						})
					}
				}
			}
		}
	}
}

// situation determines an answer.
type situation struct {
	x     verbs.Side
	r     protocol.Revision
	place place
	offer offer
	peer  protocol.Capability // what the peer declares, once it has spoken
}

// deaf: messages are neither accepted nor sent.
func (c situation) deaf() bool { return !c.place.phase.Live() || c.place.closed }

// served reports whether the tested side answers a method: custom ones only if named.
func (c situation) served(m method) bool {
	return c.offer.caps != 0 || !m.custom && m.Name != "completion/complete"
}
