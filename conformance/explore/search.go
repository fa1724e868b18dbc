// Package explore searches all states of joined values, and reports each violation with the
// shortest trace to it. docs/proof.md says what it proves and how.
package explore

import (
	"fmt"
	"hash/maphash"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A World is explored: it has nodes, which are values, and the actions in each.
type World[N any] struct {
	// Name is WORLD/SCOPE.
	Name string
	// Root is the first node.
	Root N
	// Ops are the names of the operations; Action.Op counts them.
	Ops []string
	// Actions appends the actions that are possible in n.
	Actions func(dst []Action, n *N) []Action
	// Step returns the next node, or false if the action is refused.
	Step func(n N, a Action, r *Report) (N, bool)
	// Check checks a node that is seen for the first time.
	Check func(n *N, r *Report)
	// Rules is the Form of the nodes, for Fields.
	Rules *Form
	// Form returns the canonical text of n, valid until the next call.
	Form func(n *N) []byte
	// Whole returns a longer text of n, if Form merges nodes that differ without effect; otherwise nil.
	Whole func(n *N) []byte
	// Other returns a second text for Compare, made in another way; nil without one.
	Other func(n *N) string
	// Print returns a readable form of a trace; nil without one.
	Print func(w *World[N], trace string) string
}

// An Action is an operation with its argument.
type Action struct {
	Op  uint8 // an index of World.Ops
	Arg uint8 // which of several
}

// Text returns the action by name, with its argument unless that is 0.
func (w *World[N]) Text(a Action) string {
	if a.Arg == 0 {
		return w.Ops[a.Op]
	}
	return w.Ops[a.Op] + " " + strconv.Itoa(int(a.Arg))
}

// Parse reads actions as Trace writes them.
func (w *World[N]) Parse(trace string) (list []Action, err error) {
	for text := range strings.SplitSeq(trace, "; ") {
		op, arg := slices.Index(w.Ops, text), uint64(0)
		if i := strings.LastIndexByte(text, ' '); op < 0 && i > 0 {
			op = slices.Index(w.Ops, text[:i])
			arg, err = strconv.ParseUint(text[i+1:], 10, 8)
		}
		if op < 0 || err != nil {
			return nil, fmt.Errorf("explore: %q is no action of %s; its actions, with \"; \" between them and a number behind, are %s", text, w.Name, strings.Join(w.Ops, ", "))
		}
		list = append(list, Action{uint8(op), uint8(arg)})
	}
	return list, nil
}

// Trace returns actions as a text.
func (w *World[N]) Trace(list []Action) string {
	var texts []string
	for _, a := range list {
		texts = append(texts, w.Text(a))
	}
	return strings.Join(texts, "; ")
}

// A Report is the result of a search.
type Report struct {
	States      uint64            // distinct nodes
	Transitions uint64            // steps taken
	Depth       int               // of the farthest node
	Empty       bool              // whether the frontier is empty: every state was seen
	Took        time.Duration     // by the clock
	Faults      map[string]*Fault // by their texts
	Reached     map[string]int    // how often each point was reached
	Folded      uint64            // of Folds: nodes that Form distinguishes

	trace func() string
	depth int
	every bool // Every always reports true
}

// A Fault is a violation, with the shortest trace to it.
type Fault struct {
	What  string // is violated
	Trace string // the shortest trace to it
	Steps int    // of the trace
	Count int    // how many traces were found
}

// Fail records a violation.
func (r *Report) Fail(format string, args ...any) {
	if r.trace == nil { // it is not used
		return
	}
	what := fmt.Sprintf(format, args...)
	f := r.Faults[what]
	if f == nil {
		f = &Fault{What: what, Steps: r.depth + 1}
		r.Faults[what] = f
	}
	if f.Count++; f.Trace == "" || r.depth < f.Steps {
		f.Trace, f.Steps = r.trace(), r.depth
	}
}

// Reach records that the search reached a point.
func (r *Report) Reach(what string) { r.Reached[what]++ }

// Every reports whether this state is one of every n, or of the first hundred, since a scope may have few. In a replay
// it always does, so that the replay shows what a search found.
func (r *Report) Every(n uint64) bool { return r.every || r.States <= 100 || r.States%n == 0 }

// First returns the fault with the shortest trace, nil if there is none.
func (r *Report) First() (first *Fault) {
	for _, f := range r.Faults { // in any order: the shortest, then by text
		if first == nil || f.Steps < first.Steps || f.Steps == first.Steps && f.What < first.What {
			first = f
		}
	}
	return first
}

func newReport() *Report { return &Report{Faults: map[string]*Fault{}, Reached: map[string]int{}} }

// Limits end a search early. Zero means no limit.
type Limits struct {
	States uint64        // nodes; of a walk, steps
	Time   time.Duration // by the clock
	Stop   bool          // at the first fault
	Watch  *Watch        // reports steps that do not return; may be nil
}

func (l *Limits) over(r *Report, start time.Time) bool {
	return l.States > 0 && r.States >= l.States || l.Stop && len(r.Faults) > 0 ||
		l.Time > 0 && r.Transitions&255 == 0 && time.Since(start) > l.Time
}

type key [2]uint64

// keys hashes texts to keys.
type keys [2]maphash.Seed

func newKeys() keys { return keys{maphash.MakeSeed(), maphash.MakeSeed()} }

func (k keys) of(text []byte) key { return key{maphash.Bytes(k[0], text), maphash.Bytes(k[1], text)} }

// Search visits all nodes of a world, the nearest first.
func (w *World[N]) Search(lim Limits) *Report {
	type item struct {
		n  N
		id uint32
	}
	start, r, hash := time.Now(), newReport(), newKeys()
	seen := map[key]struct{}{hash.of(w.Form(&w.Root)): {}}
	parent, by := []uint32{0}, []Action{{}}
	var cur uint32
	var last Action
	r.trace = func() string {
		list := []Action{last}
		for i := cur; i != 0; i = parent[i] {
			list = append(list, by[i])
		}
		slices.Reverse(list)
		return w.Trace(list)
	}
	defer lim.Watch.watch(w.Name, func() (string, int) { return r.trace(), r.depth })()
	r.States = 1
	frontier := []item{{w.Root, 0}}
	var acts []Action
	for len(frontier) > 0 {
		var next []item
		lim.Watch.next(func() { r.Depth++; r.depth = r.Depth })
		for i := range frontier {
			it := &frontier[i]
			acts = w.Actions(acts[:0], &it.n)
			for _, a := range acts {
				lim.Watch.next(func() { cur, last = it.id, a })
				n, ok := w.try(it.n, a, r)
				if !ok {
					continue
				}
				r.Transitions++
				k := hash.of(w.Form(&n))
				if _, ok := seen[k]; ok {
					continue
				}
				seen[k] = struct{}{}
				r.States++
				w.Check(&n, r)
				lim.Watch.next(func() { parent, by = append(parent, cur), append(by, a) })
				next = append(next, item{n, uint32(len(by) - 1)})
			}
			*it = item{}
			if lim.over(r, start) {
				r.Took = time.Since(start)
				return r
			}
		}
		frontier = next
	}
	r.Empty, r.Took = true, time.Since(start)
	return r
}

// try takes a step. A panic is a fault.
func (w *World[N]) try(n N, a Action, r *Report) (next N, ok bool) {
	defer func() {
		if x := recover(); x != nil {
			r.Fail("panic: %v %s", x, where(string(debug.Stack())))
			ok = false
		}
	}()
	return w.Step(n, a, r)
}
