package worlds

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// pairScope limits the world of a pair.
type pairScope struct {
	ops         string // letters, see pairLetters
	calls, asks int    // open requests of the client; of the server within each
	room        int    // messages on a link before applications wait
	doubles     uint8  // messages that may be repeated
	keepalive   bool
	patience    time.Duration // Timeouts.Inbound
	every       uint64

	on       [pairOps]bool
	config   [2]verbs.Config
	items    [2]server.Items
	catalogs [2]*server.Catalog
	root     pair
	form     *explore.Form // of whole nodes, for the checks
	short    *explore.Form // with folds, for the search
	fold     folding
}

// pairLetters are operations that go together.
var pairLetters = map[rune][]uint8{
	'I': {opOpen}, 'r': {opCall}, 'p': {opCallProgress, opProgress}, 'R': {opCallPatient, opProgress}, 'c': {opCancel}, 'n': {opRoots},
	's': {opEnd}, 'S': {opEndGrace}, 'D': {opDouble}, 'C': {opCut, opLose, opInputEnds, opGone}, 'T': {opTime}, 't': {opTick, opAdvance},
	'a': {opRespond}, 'f': {opFail}, 'm': {opAsk, opAnswer}, 'M': {opWithdraw, opRefuse}, 'L': {opCatalog}, 'A': {opAbort}, 'b': {opAbandon},
	'z': {opReset}, 'F': {opNotSent},
}

// pairScopes are the scopes of the world.
var pairScopes = []struct {
	name    string
	scope   pairScope
	nightly bool
}{
	{"handshake", pairScope{ops: "IsSCtA", calls: 1, room: 2}, false},
	{"handshake-reset", pairScope{ops: "IsSCTAz", calls: 1, room: 2}, false},
	{"call", pairScope{ops: "IrRcafTp", calls: 1, room: 2}, false},
	{"calls", pairScope{ops: "Irpca", calls: 2, room: 2}, false},
	{"asks", pairScope{ops: "IrcamMT", calls: 1, asks: 1, room: 2}, false},
	{"end", pairScope{ops: "IrpcasSCT", calls: 1, room: 2}, false},
	{"extended", pairScope{ops: "IRaLT", calls: 1, room: 2}, false},
	{"lists", pairScope{ops: "IrcanLT", calls: 1, room: 2}, false},
	{"lists-end", pairScope{ops: "ILSCTz", calls: 1, room: 2}, false},
	{"doubled", pairScope{ops: "IrcaDp", calls: 1, room: 2, doubles: 1}, false},
	{"keepalive", pairScope{ops: "IrcaT", calls: 1, room: 2, keepalive: true}, false},
	{"inbound", pairScope{ops: "IrcamT", calls: 1, asks: 1, room: 2, patience: unit}, false},
	{"odd", pairScope{ops: "IrcabFAT", calls: 1, room: 2}, false},
	{"all-1", pairScope{ops: "IrpcafmMnLsSCT", calls: 1, asks: 1, room: 1}, true},
	{"keepalive-end", pairScope{ops: "IrcasSCT", calls: 1, room: 2, keepalive: true}, true},
	{"end-asks", pairScope{ops: "IrcamMSsCT", calls: 1, asks: 1, room: 2}, true},
	{"all", pairScope{ops: "IrpcafmMnLsSCT", calls: 1, asks: 1, room: 2}, true},
	{"all-2", pairScope{ops: "IrpcafmMnLsSCTRtDAbFz", calls: 2, asks: 1, room: 2, doubles: 1, keepalive: true}, true},
}

// quiet receives reports that are not read.
var quiet = &explore.Report{Faults: map[string]*explore.Fault{}, Reached: map[string]int{}}

// newPair returns the world of a scope.
func newPair(name string, x pairScope, revision string) *explore.World[pair] {
	for _, letter := range x.ops {
		for _, op := range pairLetters[letter] {
			x.on[op] = true
		}
	}
	x.on[opDeliver] = true
	if x.every == 0 {
		x.every = 61
	}
	object := jsonrpc.Raw(`{"type":"object"}`)
	x.items[0].Tools = []protocol.Tool{{Name: "t", InputSchema: object}}
	x.items[1].Tools = append(x.items[1].Tools, x.items[0].Tools[0], protocol.Tool{Name: "u", InputSchema: object})
	for i := range x.items {
		x.catalogs[i] = must(server.NewCatalog(x.items[i]))
	}
	to := lifecycle.Timeouts{Initialize: 2 * unit, Request: 2 * unit, Human: unit, Ping: unit, Maximum: 3 * unit, Inbound: x.patience}
	var keep lifecycle.Keepalive
	if x.keepalive {
		keep = lifecycle.Keepalive{Interval: 2 * unit, Misses: 2}
	}
	x.config = [2]verbs.Config{
		{Party: lifecycle.Client, Client: client.Config{
			Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"},
			Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, Timeouts: to, Keepalive: keep,
		}},
		{Party: lifecycle.Server, Server: server.Config{
			Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: x.catalogs[0], Serve: []string{"tools/call"},
			ListChanged: protocol.CapToolsListChanged, ChangeDelay: unit, Timeouts: to, Keepalive: keep,
		}},
	}
	if revision != "" {
		x.config[0].Client.Revisions = []protocol.Revision{revisionOf(revision)}
	}
	x.root.now, x.root.at = origin, [2]time.Time{origin, origin}
	for i := range 2 {
		x.root.end[i] = must(x.config[i].New(origin))
	}
	x.form = explore.NewForm(origin, engineRules, pairRules)
	x.short = explore.NewForm(origin, instead(slices.Concat(engineRules, pairRules), x.folds()))
	return &explore.World[pair]{
		Name: "pair/" + name, Root: x.root, Ops: pairNames[:], Actions: x.actions, Step: x.step, Check: x.check,
		Rules: x.short, Form: x.folded, Whole: func(n *pair) []byte { return x.form.Append(n.now, n) },
		Other: x.snapshots,
		Print: x.print,
	}
}

// print returns the transcripts of both ends.
func (x *pairScope) print(w *explore.World[pair], trace string) string {
	revision := protocol.Revisions()[0]
	if list := x.config[0].Client.Revisions; len(list) > 0 {
		revision = list[0]
	}
	recs := [2]*transcript.Recorder{
		transcript.NewRecorder(lifecycle.Client, transcript.ClientOptions(x.config[0].Client), revision, origin),
		transcript.NewRecorder(lifecycle.Server, transcript.ServerOptions(x.config[1].Server, x.items[0]), revision, origin),
	}
	recorded := *w
	recorded.Root.rec = recs
	recorded.Check = func(*pair, *explore.Report) {} // which takes steps of its own
	_, _ = recorded.Replay(trace, explore.Limits{})
	var b strings.Builder
	for i, rec := range recs {
		fmt.Fprintf(&b, "-- %s --\n%s\n", sides[i], rec.File("A trace of "+w.Name+".").Text())
	}
	return b.String()
}

// snapshots returns the text of a node made of the snapshots of its States, at the time of the node.
func (x *pairScope) snapshots(n *pair) string {
	var b strings.Builder
	for _, m := range n.end {
		m, _ = m.Tick(n.now)
		b.Write(renamed(m.Snapshot()))
	}
	return b.String()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
