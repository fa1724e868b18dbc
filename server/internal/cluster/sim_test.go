package cluster_test

import (
	"container/heap"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// sim runs nodes on a store in virtual time, one event after the other, as its seed says: what a node asks is done and
// answered later, late, or not at all; nodes die and sleep between any two events.
type sim struct {
	rnd    *rand.Rand
	now    time.Time
	queue  events
	n      int // events that were made
	store  store
	nodes  []*node
	plant  string // the fault that is planted
	quiet  bool   // nothing goes wrong any more
	fault  string // the first invariant that did not hold
	starts map[uint64]int
	posts  []*post
	turns  uint64

	steps    map[stepOf]cluster.TurnID // what was stored as which step of an epoch
	named    map[stepOf]cluster.TurnID // the turn that gave a number which clients see
	turned   map[string]time.Time      // the last turn of each session
	callers  map[part]*post            // of each call
	answered map[part]time.Time        // when the call of a dead process was answered
}

// L is the lease.
const L = 3 * time.Second

// event is something that happens at a time; of a node, once it is awake.
type event struct {
	at time.Time
	n  int
	of *node
	do func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at.Before(q[j].at) || q[i].at.Equal(q[j].at) && q[i].n < q[j].n
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	e := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return e
}

func newSim(seed uint64, plant string) *sim {
	s := &sim{rnd: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1, 0), plant: plant, starts: map[uint64]int{}}
	s.steps, s.named, s.turned, s.answered = map[stepOf]cluster.TurnID{}, map[stepOf]cluster.TurnID{}, map[string]time.Time{}, map[part]time.Time{}
	s.callers = map[part]*post{}
	s.store = store{sim: s, branch: 1, records: map[string]record{}, known: map[string]*leaseOf{}, ended: map[string]time.Time{}, stored: map[cluster.TurnID]uint64{}}
	return s
}

func (s *sim) after(d time.Duration, of *node, do func()) {
	s.n++
	heap.Push(&s.queue, event{s.now.Add(d), s.n, of, do})
}

// run lets time pass.
func (s *sim) run(d time.Duration) {
	end := s.now.Add(d)
	for len(s.queue) > 0 && !s.queue[0].at.After(end) && s.fault == "" {
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		switch {
		case e.of == nil:
			e.do()
		case e.of.dead:
		case s.now.Before(e.of.asleep):
			e.at = e.of.asleep.Add(s.some(time.Millisecond)) // what is due meanwhile comes in any order
			heap.Push(&s.queue, e)
		default:
			e.do()
		}
	}
	s.now = end
}

// some returns a time up to d, short ones more often.
func (s *sim) some(d time.Duration) time.Duration {
	x := s.rnd.Float64()
	return time.Duration(x * x * x * float64(d))
}

func (s *sim) chance(percent int) bool { return s.rnd.IntN(100) < percent }

// task is one line of execution of a node.
type task struct {
	*node
	yield  func(wait) bool
	next   func() (wait, bool)
	answer any
	err    error
}

// wait is what a task waits for: an operation of the store, or a time.
type wait struct {
	op    func() (any, error)
	sleep time.Duration
}

// crashed is what a task that is dropped panics with.
type crashed struct{}

// spawn begins a task.
func (n *node) spawn(f func(t *task)) {
	t := &task{node: n}
	next, stop := iter.Pull(func(yield func(wait) bool) {
		defer func() {
			if v := recover(); v != nil && v != (crashed{}) {
				panic(v)
			}
		}()
		t.yield = yield
		f(t)
	})
	n.tasks = append(n.tasks, stop)
	t.next = next
	n.sim.step(t)
}

// step runs a task until it waits.
func (s *sim) step(t *task) {
	w, ok := t.next()
	switch {
	case !ok:
	case w.op == nil:
		s.after(w.sleep, t.node, func() { s.step(t) })
	default:
		s.ask(t, w.op)
	}
}

// ask has an operation done and answered: soon, late, or never. The task hears of it after a third of a lease.
func (s *sim) ask(t *task, op func() (any, error)) {
	if t.drowsy > 0 {
		t.asleep, t.drowsy = s.now.Add(t.drowsy), 0
	}
	if n := t.node; n.doomed {
		n.doomed = false
		s.after(time.Millisecond, nil, func() {
			n.kill()
			s.start()
		})
	}
	there, back, lost := s.some(20*time.Millisecond), s.some(20*time.Millisecond), false
	if !s.quiet {
		switch x := s.rnd.IntN(100); {
		case x < 3: // never done
			there, lost = -1, true
		case x < 6: // the answer is lost
			lost = true
		case x < 10:
			there = s.some(3 * L)
		case x < 13:
			back = s.some(2 * L)
		}
	}
	over := false
	end := func(v any, err error) func() {
		return func() {
			if !over {
				over = true
				t.answer, t.err = v, err
				s.step(t)
			}
		}
	}
	if there >= 0 {
		s.after(there, nil, func() {
			v, err := op()
			if !lost {
				s.after(back, t.node, end(v, err))
			}
		})
	}
	s.after(L/3, t.node, end(nil, errLost))
}
