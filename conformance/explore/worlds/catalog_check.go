package worlds

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/protocol"
)

// catalogScope limits the world of a Catalog.
type catalogScope struct {
	ops    string      // letters, see catalogLetters
	with   []string    // the sets of servers; the letters of the tools that a server's Filter hides follow a "-"
	lists  [2][]string // the possible lists of the servers a and b, a letter for each tool
	hidden bool        // of two tools with one name the second is not listed
	keep   bool        // the tools of a lost server are listed
	omit   bool        // tools whose list could not be read are not
	quick  bool        // a list is read again as soon as its change is announced
	calm   bool        // the server b is never lost, and answers before time passes
	renew  bool        // a list is read again when it is stale

	on      [catalogOps]bool
	cfg     catalog.Config
	net     manager.Config
	servers []string
	sets    [][]catalog.Source
	hides   []map[string]string // of each set, by server
	form    *explore.Form
	end     string // what remains after the end
}

func catalogLinks(ops ...uint8) []uint8 { return linksFrom(copLinks, ops) }

var catalogLetters = map[rune][]uint8{
	'S': {copSet}, 'r': {copRefresh}, 'i': {copInvalidate}, 'X': {copClose}, 'c': {copChange}, 'T': {copTime},
	'o': catalogLinks(mopOpened, mopShake), 'O': catalogLinks(mopOpenFailed), 'L': catalogLinks(mopLost), 'C': catalogLinks(mopClosed),
	'E': catalogLinks(mopReply), 'e': catalogLinks(mopError), 'p': catalogLinks(mopMore),
}

// twoLists are the lists of the servers in most scopes: one tool; the same with another definition and another tool; none.
var twoLists = [2][]string{{"t", "Tu", ""}, {"t", "u"}}

var catalogScopes = []struct {
	name    string
	scope   catalogScope
	nightly bool
}{
	{"read", catalogScope{ops: "oEepcT", with: []string{"a"}, lists: twoLists}, false},
	{"lost", catalogScope{ops: "oEcLT", with: []string{"a"}, lists: [2][]string{{"t", "Tu"}}}, false},
	{"omit", catalogScope{ops: "oEecT", with: []string{"a"}, lists: twoLists, omit: true, keep: true}, false},
	{"renew", catalogScope{ops: "oEecT", with: []string{"a"}, lists: twoLists, renew: true}, false},
	{"again", catalogScope{ops: "oEcriT", with: []string{"a"}, lists: [2][]string{{"t", "Tu"}}}, false},
	{"filter", catalogScope{ops: "oEcS", with: []string{"a", "a-t", "a-u", ""}, lists: twoLists, quick: true}, false},
	{"names", catalogScope{ops: "oEc", with: []string{"a b"}, lists: [2][]string{{"t", "Tu", ""}, {"t", "tu"}}, quick: true}, false},
	{"hidden", catalogScope{ops: "oEcLT", with: []string{"a b"}, lists: [2][]string{{"t", ""}, {"t"}}, quick: true, calm: true, hidden: true}, false},
	{"set", catalogScope{ops: "oEcS", with: []string{"a b", "b a-t", "b"}, lists: [2][]string{{"m", "tm"}, {"t"}}, quick: true}, false},
	{"close", catalogScope{ops: "oEeLXT", with: []string{"a"}, lists: twoLists}, false},
	{"two", catalogScope{ops: "oEcLT", with: []string{"a b"}, lists: [2][]string{{"t", ""}, {"t"}}, hidden: true, keep: true}, true},
	{"all", catalogScope{ops: "oOEepcriSLT", with: []string{"a", "a-t", "a-u", ""}, lists: twoLists}, true},
	{"all-2", catalogScope{ops: "oEepcriSLXT", with: []string{"a b", "b a-t", "b"}, lists: [2][]string{{"t", "Tm", ""}, {"t", "u"}}}, true},
}

// newCatalog returns the world of a scope.
func newCatalog(name string, x catalogScope, revision string) *explore.World[catalogued] {
	for _, letter := range x.ops {
		for _, op := range catalogLetters[letter] {
			x.on[op] = true
		}
	}
	x.servers = []string{"a", "b"}[:min(2, len(strings.Fields(x.with[0])))]
	for _, set := range x.with {
		var list []catalog.Source
		hides := map[string]string{}
		for _, text := range strings.Fields(set) {
			server, hidden, _ := strings.Cut(text, "-")
			s := catalog.Source{Name: server}
			for i := range hidden {
				s.Filter.Deny = append(s.Filter.Deny, catalog.Rule{Name: keyOf(hidden[i])})
			}
			list, hides[server] = append(list, s), hidden
		}
		x.sets, x.hides = append(x.sets, list), append(x.hides, hides)
	}
	x.net = manager.Config{
		Client:    client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}},
		Timeouts:  manager.Timeouts{Connect: 2 * unit, Request: 2 * unit, Maximum: 4 * unit, Ping: unit, Close: unit},
		Health:    manager.Health{Interval: lifecycle.NoTimeout},
		Backoff:   backoff.Policy{Base: unit, Cap: unit},
		StableFor: unit,
	}
	x.cfg = catalog.Config{
		Kinds: []*protocol.List{protocol.ToolList}, Naming: naming.Policy{Names: naming.Plain}, Total: 3 * unit, MinInterval: unit,
		Retry: backoff.Policy{Base: unit, Cap: unit}, Renew: x.renew, Limits: catalog.Limits{Sources: 2},
	}
	if x.hidden {
		x.cfg.Naming.OnConflict = naming.Hidden
	}
	if x.keep {
		x.cfg.Naming.OnLoss = naming.Keep
	}
	if x.omit {
		x.cfg.Stale = catalog.Omit
	}
	if x.quick {
		x.cfg.MinInterval = lifecycle.NoTimeout
	}
	if x.renew {
		x.cfg.TTL = 2 * unit
	}
	if revision != "" {
		x.net.Client.Revisions = []protocol.Revision{protocol.Revisions()[0], revisionOf(revision)}
	}
	times := freshRules
	if x.renew {
		times = staleRules
	}
	x.form = explore.NewForm(origin, engineRules, managerRules, catalogRules, catalogWorldRules, times)
	cfg := x.cfg
	cfg.Sources = x.sets[0]
	w := catalogued{net: managed{now: origin, m: must(manager.New(x.net, origin))}, c: must(catalog.New(cfg, origin))}
	w.arrange(x.sets[0])
	calm := x
	calm.on[copLinks], calm.on[copLinks+mopShake-mopOpened] = true, true
	for _, server := range x.servers {
		m, e, err := w.net.m.Connect(origin, server, manager.Options{Endpoint: "x", Supervise: true})
		w.net.ops = append(w.net.ops, mop{seq: e.Op.Seq(), kind: mopConnect, from: origin})
		w = calm.handed(w, must(m, err), e, quiet)
		for range 2 { // to open and initialize it
			acts := calm.actions(nil, &w)
			w, _ = calm.step(w, acts[slices.IndexFunc(acts, func(a explore.Action) bool { return a.Op == copLinks || a.Op == copLinks+mopShake-mopOpened })], quiet)
		}
	}
	x.end = x.ended(w, quiet)
	return &explore.World[catalogued]{
		Name: "catalog/" + name, Root: w, Ops: catalogNames, Actions: x.actions, Step: x.step, Check: x.check, Rules: x.form,
		Form:  func(w *catalogued) []byte { return x.form.Append(w.net.now, w) },
		Other: func(w *catalogued) string { return outline(w.c.Snapshot()) },
	}
}

// shows returns the tools of a server in the Catalog, a letter for each.
func (x *catalogScope) shows(w *catalogued, server string) string {
	hides := x.hides[w.set][server]
	return strings.Map(func(tool rune) rune {
		if strings.ContainsFunc(hides, func(h rune) bool { return keyOf(byte(h)) == keyOf(byte(tool)) }) {
			return -1
		}
		return tool
	}, w.read[slices.Index(x.servers, server)].list)
}

// listed returns the tool with a name of a server in the Catalog, or "".
func (x *catalogScope) listed(w *catalogued, server, key string) string {
	list := x.shows(w, server)
	if i := strings.IndexFunc(list, func(tool rune) bool { return keyOf(byte(tool)) == key }); i >= 0 {
		return list[i : i+1]
	}
	return ""
}

// reserved reports whether a name is the qualified one of a present server.
func (w *catalogued) reserved(key string) bool {
	return key == keys[2] && strings.Contains(w.order, "b")
}

// own records the server of each plain name: the former one as long as it lists it, then the
// first in order, but none if the name is the qualified one of a server.
func (x *catalogScope) own(w *catalogued) {
	for i, key := range keys {
		if has := w.names[i]; has != "" && strings.Contains(w.order, has) && x.listed(w, has, key) != "" {
			continue
		}
		w.names[i] = ""
		for _, server := range strings.Split(w.order, "") {
			if w.names[i] == "" && !w.reserved(key) && x.listed(w, server, key) != "" {
				w.names[i] = server
			}
		}
	}
}

// leads returns the tool and server of a name, by the records; "" without one.
func (x *catalogScope) leads(w *catalogued, name string) string {
	i := slices.Index(keys[:], name)
	if rest, ok := strings.CutPrefix(name, "mcp."); ok {
		if server, key := rest[:1], rest[2:]; strings.Contains(w.order, server) {
			if i >= 0 && w.names[i] != "" {
				return "" // it was a plain name before
			}
			return toolAt(server, x.listed(w, server, key))
		}
	}
	if i < 0 || w.names[i] == "" {
		return ""
	}
	return toolAt(w.names[i], x.listed(w, w.names[i], name))
}

// toolAt returns a tool with its server.
func toolAt(server, tool string) string {
	if tool == "" {
		return ""
	}
	return server + "." + tool
}

// offers returns what the Catalog should list, by the records: names, and their tools.
func (x *catalogScope) offers(w *catalogued) (list []string) {
	for _, server := range strings.Split(w.order, "") {
		if server == "" || !w.read[slices.Index(x.servers, server)].since && !x.keep {
			continue // its list is from an old link
		}
		for _, tool := range strings.Split(x.shows(w, server), "") {
			if tool == "" {
				continue
			}
			key := keyOf(tool[0])
			name := key
			if w.names[slices.Index(keys[:], key)] != server || w.reserved(key) {
				if name = "mcp." + server + "." + key; x.hidden && !w.reserved(key) || x.leads(w, name) == "" {
					continue
				}
			}
			list = append(list, name+" "+toolAt(server, tool))
		}
	}
	return list
}
