// Package explore goes through all states of values and what joins them, and says by the
// shortest way what does not hold. docs/proof.md says what is proved with it and how.
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

// A World is what is explored: nodes, which are values, and what can happen in each.
type World[N any] struct {
	// Name is WORLD/SCOPE.
	Name string
	// Root is where it begins.
	Root N
	// Ops are the names of the operations; Action.Op counts them.
	Ops []string
	// Actions appends what can happen in n.
	Actions func(dst []Action, n *N) []Action
	// Step returns the node that n becomes, or false where the action is refused.
	Step func(n N, a Action, r *Report) (N, bool)
	// Check looks at a node that is seen for the first time.
	Check func(n *N, r *Report)
	// Rules is the Form of the nodes, for Fields.
	Rules *Form
	// Form returns the canonical text of n, which holds until the next call.
	Form func(n *N) []byte
	// Whole returns a longer text of n, where Form takes nodes for one that differ in what has no effect; else nil.
	Whole func(n *N) []byte
	// Other returns a second text for Compare, made another way; nil where there is none.
	Other func(n *N) string
	// Print returns what a person wants to read of a trace; nil where there is nothing more.
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

// A Report is what a search comes upon.
type Report struct {
	States      uint64            // nodes that are different
	Transitions uint64            // steps that were taken
	Depth       int               // of the node that is farthest
	Empty       bool              // whether the frontier is: every state was seen
	Took        time.Duration     // by the clock
	Faults      map[string]*Fault // by what they are
	Reached     map[string]int    // how often each thing was
	Folded      uint64            // of Folds: nodes that Form tells apart

	trace func() string
	depth int
	every bool // whether each state is one of every n
}

// A Fault is something that does not hold, with the shortest way there.
type Fault struct {
	What  string // does not hold
	Trace string // the shortest way there
	Steps int    // of the trace
	Count int    // ways that were found
}

// Fail notes that something does not hold.
func (r *Report) Fail(format string, args ...any) {
	if r.trace == nil { // nobody reads it
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

// Reach notes that the search came by something.
func (r *Report) Reach(what string) { r.Reached[what]++ }

// Every reports whether this state is one of every n, or of the first hundred, since a scope may have few. All are in a
// replay, so that it shows what a search found.
func (r *Report) Every(n uint64) bool { return r.every || r.States <= 100 || r.States%n == 0 }

// First returns the fault with the shortest trace, nil if there is none.
func (r *Report) First() (first *Fault) {
	for _, f := range r.Faults { // in any order: the shortest, and of those the first by its text
		if first == nil || f.Steps < first.Steps || f.Steps == first.Steps && f.What < first.What {
			first = f
		}
	}
	return first
}

func newReport() *Report { return &Report{Faults: map[string]*Fault{}, Reached: map[string]int{}} }

// Limits end a search before it has seen everything. Zero is without limit.
type Limits struct {
	States uint64        // nodes; of a walk, steps
	Time   time.Duration // by the clock
	Stop   bool          // at the first fault
	Watch  *Watch        // tells of steps that do not return; may be nil
}

func (l *Limits) over(r *Report, start time.Time) bool {
	return l.States > 0 && r.States >= l.States || l.Stop && len(r.Faults) > 0 ||
		l.Time > 0 && r.Transitions&255 == 0 && time.Since(start) > l.Time
}

type key [2]uint64

// keys makes keys of texts.
type keys [2]maphash.Seed

func newKeys() keys { return keys{maphash.MakeSeed(), maphash.MakeSeed()} }

func (k keys) of(text []byte) key { return key{maphash.Bytes(k[0], text), maphash.Bytes(k[1], text)} }

// Search goes through all nodes of a world, the nearest first.
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
