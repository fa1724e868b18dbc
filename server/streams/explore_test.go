package streams_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// branch returns a pair that goes its own way.
func (p *pair) branch() *pair {
	q := *p
	q.m.all = nil
	for _, l := range p.m.all {
		c := *l
		c.kept, c.calls = slices.Clone(l.kept), slices.Clone(l.calls)
		q.m.all = append(q.m.all, &c)
	}
	q.seen = slices.Clip(slices.Clone(p.seen))
	return &q
}

// move is one thing that may happen in a small session; it reports false where it cannot.
type move struct {
	name string
	most int // how often it may happen; 0: no limit
	do   func(p *pair) bool
}

// callOf returns the open call of a wire id.
func (p *pair) callOf(id string) (call server.Call, ok bool) {
	for _, c := range p.inbound() {
		if c.ID.String() == id {
			return c.Call, true
		}
	}
	return call, false
}

func smallMoves(conns int) []move {
	list := []move{
		{"listen", 1, func(p *pair) bool { _, ok := p.listen(); return ok }},
		{"log", 1, func(p *pair) bool {
			p.does(p.s.Notify(p.m.now, protocol.LoggingMessageParams{Level: "info", Data: jsonrpc.Raw(`"log"`)}, server.Call{}))
			return true
		}},
		{"wait", 1, func(p *pair) bool { p.tick(2 * time.Minute); return true }},
	}
	for _, id := range []string{"1", "2"} {
		list = append(list, move{"post " + id, 1, func(p *pair) bool {
			p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"wait","_meta":{"progressToken":%s}}}`, id, id))
			return true
		}})
		within := func(name string, most int, do func(p *pair, call server.Call)) {
			list = append(list, move{name + " " + id, most, func(p *pair) bool {
				call, ok := p.callOf(id)
				if ok {
					do(p, call)
				}
				return ok
			}})
		}
		within("respond", 1, func(p *pair, call server.Call) { p.does(p.s.Respond(p.m.now, call, text("x"))) })
		if id == "2" {
			continue
		}
		within("progress", 1, func(p *pair, call server.Call) { p.does(p.s.Progress(p.m.now, call, progress(1))) })
		within("cancel", 1, func(p *pair, _ server.Call) {
			p.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		})
		within("hang up", 1, func(p *pair, call server.Call) { p.hangUp(call, 0) })
	}
	for i := range conns {
		on := func(name string, most int, do func(p *pair, c streams.Conn, l *line) bool) {
			list = append(list, move{fmt.Sprint(name, " ", i), most, func(p *pair) bool {
				if i >= len(p.seen) || p.m.of(p.seen[i]) == nil {
					return false
				}
				return do(p, p.seen[i], p.m.of(p.seen[i]))
			}})
		}
		on("begin", 0, func(p *pair, c streams.Conn, l *line) bool {
			if l.begun || !l.on {
				return false
			}
			p.begin(c)
			return true
		})
		on("write", 0, func(p *pair, c streams.Conn, l *line) bool {
			if l.written == l.last || !l.on {
				return false
			}
			p.wrote(c, l.last)
			return true
		})
		on("cut", 0, func(p *pair, c streams.Conn, l *line) bool {
			if !l.on && !l.hung {
				return false
			}
			p.detach(c)
			return true
		})
		on("come back", 2, func(p *pair, c streams.Conn, l *line) bool {
			if !l.begun {
				return false
			}
			_, _, err := p.resume(fmt.Sprintf("%d-%d", c.Stream, l.written))
			return err == nil
		})
		on("answer", 0, func(p *pair, c streams.Conn, _ *line) bool {
			if _, ok := p.x.Answer(c); !ok {
				return false
			}
			p.answered(c)
			return true
		})
	}
	return list
}

// scopes are small sessions: what may happen in them, of the moves of so many connections.
var scopes = []struct {
	name     string
	conns    int
	without  []string
	revision string
	long     bool // not in a short run
}{
	{"a call that is resumed", 4, []string{"listen", "log", "post 2", "respond 2", "hang up 1"}, "2025-11-25", false},
	{"a call that is hung up", 3, []string{"listen", "log", "post 2", "respond 2", "cancel 1"}, "2025-11-25", false},
	{"GET streams", 3, []string{"post 2", "respond 2", "progress 1", "cancel 1", "hang up 1", "answer 0"}, "2025-11-25", true},
	{"before 2025-11-25", 2, []string{"post 2", "respond 2", "cancel 1"}, "2025-06-18", true},
	{"two calls", 3, []string{"listen", "log", "hang up 1", "wait"}, "2025-11-25", true},
	{"two calls and a GET stream", 2, []string{"hang up 1", "wait", "progress 1"}, "2025-11-25", true},
}

// TestExplore tries every order of what can happen in small sessions, until nothing new is
// found. Each state is held against the twin, and read again after its snapshot.
func TestExplore(t *testing.T) {
	for _, scope := range scopes {
		t.Run(scope.name, func(t *testing.T) {
			if scope.long && testing.Short() {
				t.Skip("it takes seconds")
			}
			moves := slices.DeleteFunc(smallMoves(scope.conns), func(m move) bool { return slices.Contains(scope.without, m.name) })
			states, edges := explore(t, newPair(t, scope.revision, false, streams.Options{}), moves)
			t.Logf("%d states, %d edges", states, edges)
			if states < 200 {
				t.Errorf("only %d states", states)
			}
		})
	}
}

// explore goes every way from a pair until the frontier is empty.
func explore(t *testing.T, first *pair, moves []move) (states, edges int) {
	type node struct {
		p    *pair
		done [64]uint8
	}
	frontier, seen := []node{{p: first}}, map[string]bool{}
	for len(frontier) > 0 {
		n := frontier[len(frontier)-1]
		frontier = frontier[:len(frontier)-1]
		for i, m := range moves {
			if m.most > 0 && int(n.done[i]) >= m.most {
				continue
			}
			next := node{p: n.p.branch(), done: n.done}
			if !m.do(next.p) {
				continue
			}
			edges++
			if m.most > 0 {
				next.done[i]++
			}
			var open []string
			for _, c := range next.p.inbound() {
				open = append(open, c.ID.String())
			}
			key := fmt.Sprint(string(next.p.x.Snapshot()), next.done, open, next.p.seen)
			if seen[key] {
				continue
			}
			seen[key] = true
			next.p.branch().restore()
			frontier = append(frontier, next)
		}
	}
	return len(seen), edges
}
