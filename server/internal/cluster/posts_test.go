package cluster_test

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// post is a request of a client, and what came of it.
type post struct {
	id      uint64
	sim     *sim
	at      *node
	session string
	call    uint64
	conn    int    // the connection that its client has, by number
	begun   bool   // its client may come back
	outcome string // "result", "lost", "unknown", "retry", "cut", "gone"
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// end says what the client was told: once.
func (p *post) end(outcome string) {
	if p.outcome != "" {
		p.sim.broken("P3: post %d is told %s after %s", p.id, outcome, p.outcome)
	}
	p.outcome = outcome
}

// cut says that the connection broke.
func (p *post) cut() {
	p.conn++
	if !p.begun {
		p.end("cut")
		return
	}
	p.sim.after(p.sim.some(L)+time.Millisecond, nil, p.resume)
}

func (s *sim) post(n *node, session string) {
	p := &post{id: uint64(len(s.posts) + 1), sim: s, at: n, session: session}
	s.posts = append(s.posts, p)
	n.spawn(func(t *task) {
		as, epoch := "", uint64(0)
		err := t.turn(session, func(x *turn) error {
			if x.over {
				return errGone
			}
			epoch = x.epoch
			if as = t.lease.Process; !t.alive(as) {
				return errLost
			}
			x.last++
			p.call, x.opened, x.as = x.last, x.last, as
			x.calls[x.last] = true
			x.streams[x.last] = stream{gen: 1, attached: true}
			x.commit = func(late bool) {
				t.sim.callers[part{session: session, call: x.opened}] = p
				t.has[part{session: session, stream: x.opened, gen: 1}] = true
				t.call(p, x.opened, x.as)
				if late {
					call := x.opened
					t.spawn(func(t *task) { t.leave(session, call, 1) })
				}
			}
			return nil
		})
		switch {
		case errors.Is(err, errUnknown):
			p.end("unknown")
		case err != nil:
			p.end("retry")
		default:
			t.await(p, as, 1, epoch)
		}
	})
}

// call runs the function of a call: P2.
func (n *node) call(p *post, call uint64, as string) {
	s := n.sim
	if !n.alive(as) {
		return // others answer it
	}
	if s.starts[p.id]++; s.starts[p.id] > 1 {
		s.broken("P2: post %d runs twice", p.id)
	}
	n.has[part{session: p.session, call: call}] = true
	n.spawn(func(t *task) {
		defer delete(t.has, part{session: p.session, call: call})
		t.pause(s.some(2 * L))
		if s.chance(40) {
			t.ask(p, call, as)
		}
		for {
			err := t.turn(p.session, func(x *turn) error {
				if s.plant != "finish without entry" && (!t.alive(as) || !x.owners.May(as, call)) || !x.calls[call] {
					return errGone
				}
				x.answer(call, "result")
				x.finished, x.by = call, t.lease.Process
				return nil
			})
			if err == nil || errors.Is(err, errGone) {
				return
			}
			t.pause(50 * time.Millisecond)
		}
	})
}

// ask has the function of a call ask its client, and wait for the answer for a while.
func (t *task) ask(p *post, call uint64, as string) {
	s := t.sim
	_ = t.turn(p.session, func(x *turn) error {
		if !t.alive(as) || !x.calls[call] {
			return errGone
		}
		x.asked++
		x.event++
		x.open[x.asked] = call
		id := x.asked
		x.commit = func(bool) { s.after(s.some(2*L)+time.Millisecond, nil, func() { s.reply(p, id) }) }
		return nil
	})
	t.pause(s.some(2 * L))
}

// reply has the client of a post answer a question within its call, at any node: P6.
func (s *sim) reply(p *post, id uint64) {
	s.someone().spawn(func(t *task) {
		_ = t.turn(p.session, func(x *turn) error {
			call, ok := x.open[id]
			if !ok {
				return errGone // it is late
			}
			delete(x.open, id)
			x.commit = func(bool) {
				if q := s.callers[part{session: p.session, call: call}]; q != p {
					s.broken("P6: the answer to question %d of post %d reaches that of post %d", id, p.id, q.id)
				}
			}
			return nil
		})
	})
}

// leave detaches a connection.
func (t *task) leave(session string, call uint64, gen uint32) {
	delete(t.has, part{session: session, stream: call, gen: gen})
	for range 3 {
		if t.turn(session, func(x *turn) error { x.detach(call, gen); return nil }) == nil {
			return
		}
		t.pause(time.Second)
	}
}

// await answers a post, as JSON or from some time on as a stream.
func (t *task) await(p *post, as string, gen uint32, epoch uint64) {
	defer delete(t.has, part{session: p.session, stream: p.call, gen: gen})
	conn := p.conn
	streams := t.sim.now.Add(t.sim.some(2 * L))
	if t.sim.chance(50) {
		streams = streams.Add(time.Hour)
	}
	for {
		t.pause(40 * time.Millisecond)
		r, err := ask(t, func(s *store) (record, error) { return s.records[p.session], nil })
		st, ok := r.streams[p.call]
		mine := ok && st.gen == gen
		over, passed := !t.alive(as), r.epoch != epoch || t.seen[p.session].Back(r.History, r.epoch)
		switch {
		case p.conn != conn || p.outcome != "": // its client is elsewhere
			t.leave(p.session, p.call, gen)
			return
		case err == nil && mine && st.answer != "":
			p.end(st.answer)
			_ = t.turn(p.session, func(x *turn) error {
				if st, ok := x.streams[p.call]; !ok || st.gen != gen {
					return errGone
				}
				delete(x.streams, p.call)
				return nil
			})
			return
		case p.begun && (over || err == nil && passed || err == nil && (!mine || !st.attached)): // the client comes back
			p.cut()
			t.leave(p.session, p.call, gen)
			return
		case over:
			if at, ok := t.sim.answered[part{session: p.session, call: p.call}]; ok && err == nil && !mine && t.sim.now.Sub(at) < 2*L && at.After(t.sim.store.lapse) {
				p.sim.broken("I9: the answer to post %d is dropped, and its client waits", p.id)
			}
			p.end("unknown")
			t.leave(p.session, p.call, gen)
			return
		}
		if !p.begun && (!t.sim.now.Before(streams) || err == nil && (!mine || !st.attached)) { // if its turn is lost, it is told
			switch err := t.turn(p.session, func(x *turn) error {
				st, ok := x.streams[p.call]
				if !ok || st.gen != gen || !st.attached {
					return errGone
				}
				st.begun = true
				x.streams[p.call] = st
				return nil
			}); {
			case err == nil:
				p.begun = true
			case t.sim.plant == "empty response" && errors.Is(err, errGone):
				p.sim.broken("I9: the response to post %d is empty", p.id)
				return
			default:
				p.end("unknown")
				t.leave(p.session, p.call, gen)
				return
			}
		}
	}
}

// someone returns a node that is there.
func (s *sim) someone() *node {
	var up []*node
	for _, n := range s.nodes {
		if !n.dead {
			up = append(up, n)
		}
	}
	return up[s.rnd.IntN(len(up))]
}

// resume has the client come back, at any node.
func (p *post) resume() {
	n := p.sim.someone()
	p.at = n
	n.spawn(func(t *task) {
		as, epoch := "", uint64(0)
		gen := uint32(0)
		err := t.turn(p.session, func(x *turn) error {
			st, ok := x.streams[p.call]
			if as = t.lease.Process; !ok {
				return errGone
			} else if !t.alive(as) {
				return errLost
			}
			st.gen, st.jump = st.gen+1+st.jump, 0
			st.attached = true
			x.streams[p.call], x.as, gen, epoch = st, as, st.gen, x.epoch
			x.commit = func(bool) { t.has[part{session: p.session, stream: p.call, gen: st.gen}] = true }
			return nil
		})
		switch {
		case p.outcome != "":
		case errors.Is(err, errGone):
			p.end("gone") // 410
		case err != nil:
			p.sim.after(100*time.Millisecond, nil, p.resume)
		default:
			p.conn++
			t.await(p, as, gen, epoch)
		}
	})
}

// finish looks at what there is once all is quiet for long: I7, I9, and that nothing was done of what clients were told
// to post again.
func (s *sim) finish() {
	for _, id := range sortedKeys(s.store.records) {
		r := s.store.records[id]
		for call, open := range r.calls {
			if open {
				s.broken("I7: call %d of %s is open, and nobody runs it: %v", call, id, r.owners)
			}
		}
		for _, e := range r.owners {
			if s.store.known[e.Process] == nil && (e.Call != 0 || e.Stream != 0) {
				s.broken("I7: %s has an entry of %s, which is gone", id, e.Process)
			}
		}
	}
	for _, p := range s.posts {
		switch {
		case p.outcome == "":
			s.broken("I9: post %d has no outcome", p.id)
		case p.outcome == "retry" && s.starts[p.id] > 0:
			s.broken("R3: post %d was told to be posted again, and its function ran", p.id)
		case p.outcome == "result" && s.starts[p.id] != 1:
			s.broken("P2: post %d has a result of %d functions", p.id, s.starts[p.id])
		}
	}
}

// schedule is one run: a time in which everything may go wrong, and one in which nothing does.
func schedule(seed uint64, plant string) *sim {
	s := newSim(seed, plant)
	sessions := []string{"x", "y"}
	for _, id := range sessions {
		s.store.records[id] = record{History: cluster.History{Step: 1, Last: cluster.TurnID{Process: 99, Turn: 1}}, epoch: 1, calls: map[uint64]bool{}, streams: map[uint64]stream{}, open: map[uint64]uint64{}}
	}
	for range 3 {
		s.start()
	}
	s.run(100 * time.Millisecond)
	for range 20 + s.rnd.IntN(20) {
		n := s.nodes[s.rnd.IntN(len(s.nodes))]
		session := sessions[s.rnd.IntN(len(sessions))]
		switch x := s.rnd.IntN(22); {
		case x >= 20:
			lose := s.rnd.IntN(behind)
			if plant == "lease from reply" { // a lost renewal is another matter
				lose = 0
			}
			s.store.promote(lose)
		case n.dead:
		case x < 12:
			s.post(n, session)
		case x < 14:
			if n.doomed = s.chance(50); n.doomed {
				s.post(n, session)
				break
			}
			n.kill()
			s.start()
		case x < 17:
			n.drowsy = L/2 + s.some(5*L)
			s.after(n.drowsy+s.some(L), n, func() { s.post(n, session) }) // soon after it wakes
		default:
			n.spawn(func(t *task) { _ = t.turn(session, func(*turn) error { return nil }) })
		}
		s.run(s.some(2 * L))
	}
	s.quiet = true
	s.run(20 * L)
	if s.fault == "" {
		s.finish()
	}
	for _, n := range s.nodes {
		for _, stop := range n.tasks {
			stop()
		}
	}
	return s
}
