package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Walk takes steps at random from the root, in walks of at most length steps, until a limit.
// States and Depth of the Report count steps and walks. The same seed takes the same walks.
func (w *World[N]) Walk(seed uint64, length int, lim Limits) *Report {
	start, r := time.Now(), newReport()
	var taken []Action
	r.trace = func() string { return w.Trace(taken) }
	defer lim.Watch.watch(w.Name, func() (string, int) { return r.trace(), r.depth })()
	for n := uint64(0); !lim.over(r, start); n++ {
		rnd := rand.New(rand.NewPCG(seed, n))
		node := w.Root
		var acts []Action
		r.Depth++
		for lim.Watch.next(func() { taken = taken[:0] }); len(taken) < length && !lim.over(r, start); {
			if acts = w.Actions(acts[:0], &node); len(acts) == 0 {
				break
			}
			// First the operation, then its argument, so that operations with many arguments are not more frequent.
			var ops []uint8
			for _, a := range acts {
				if len(ops) == 0 || ops[len(ops)-1] != a.Op {
					ops = append(ops, a.Op)
				}
			}
			op := ops[rnd.IntN(len(ops))]
			var of []Action
			for _, a := range acts {
				if a.Op == op {
					of = append(of, a)
				}
			}
			a := of[rnd.IntN(len(of))]
			lim.Watch.next(func() { taken = append(taken, a); r.depth = len(taken) })
			next, ok := w.try(node, a, r)
			if r.Transitions++; !ok {
				lim.Watch.next(func() { taken = taken[:len(taken)-1] })
				continue
			}
			node = next
			r.States++
			w.Check(&node, r)
		}
	}
	r.Took = time.Since(start)
	return r
}

// Replay takes the steps of a trace and returns what a search would have reported. Of the limits it uses only the Watch.
func (w *World[N]) Replay(trace string, lim Limits) (*Report, error) {
	list, err := w.Parse(trace)
	if err != nil {
		return nil, err
	}
	r, node := newReport(), w.Root
	r.every = true
	r.trace = func() string { return w.Trace(list[:r.depth]) }
	defer lim.Watch.watch(w.Name, func() (string, int) { return r.trace(), r.depth })()
	for i, a := range list {
		lim.Watch.next(func() { r.depth = i + 1 })
		if !slices.Contains(w.Actions(nil, &node), a) {
			return r, fmt.Errorf("explore: step %d of the trace, %q, cannot happen there; what can: %s", i+1, w.Text(a), w.Trace(w.Actions(nil, &node)))
		}
		next, ok := w.try(node, a, r)
		if r.Transitions++; !ok {
			return r, nil
		}
		node = next
		r.States++
		w.Check(&node, r)
	}
	return r, nil
}

// Compare searches, and returns traces of nodes that Whole, or Form without it, merges and Other distinguishes: Other knows
// something that it omits.
func (w *World[N]) Compare(lim Limits) (apart []string, r *Report) {
	others, hash, both := map[key]string{}, newKeys(), *w
	if w.Whole != nil {
		both.Form = w.Whole
	}
	both.Step = func(n N, a Action, r *Report) (N, bool) {
		next, ok := w.Step(n, a, r)
		if ok {
			k, other := hash.of(both.Form(&next)), w.Other(&next)
			if was, seen := others[k]; !seen {
				others[k] = other
			} else if was != other && len(apart) < 10 {
				apart = append(apart, r.trace()+":\n"+was+"\n"+other)
			}
		}
		return next, ok
	}
	r = both.Search(lim)
	return apart, r
}

// Folds searches by Whole, and returns traces of nodes that Form merges with another node that has other actions,
// or steps to other nodes. Without any, a search by Form sees what one by Whole would.
func (w *World[N]) Folds(lim Limits) (apart []string, r *Report) {
	seen, way, hash, both := map[key]string{}, map[key]string{}, newKeys(), *w
	both.Form = w.Whole
	both.Check = func(n *N, r *Report) {
		w.Check(n, r)
		var b strings.Builder
		for _, a := range w.Actions(nil, n) {
			if next, ok := w.try(*n, a, &Report{Faults: map[string]*Fault{}, Reached: map[string]int{}}); ok {
				k := hash.of(w.Form(&next))
				fmt.Fprintf(&b, "%s %x; ", w.Text(a), k[0])
			}
		}
		k := hash.of(w.Form(n))
		if was, ok := seen[k]; !ok {
			seen[k], way[k] = b.String(), r.trace()
		} else if was != b.String() && len(apart) < 10 {
			apart = append(apart, way[k]+": "+was+"\n"+r.trace()+": "+b.String())
		}
	}
	r = both.Search(lim)
	r.Folded = uint64(len(seen))
	return apart, r
}

// Any is a world with nodes of any type.
type Any interface {
	// Search is World.Search.
	Search(lim Limits) *Report
	// Walk is World.Walk.
	Walk(seed uint64, length int, lim Limits) *Report
	// Compare is World.Compare.
	Compare(lim Limits) (apart []string, r *Report)
	// Folds is World.Folds.
	Folds(lim Limits) (apart []string, r *Report)
	// Show is World.Show.
	Show(trace string, lim Limits) (text string, faults int, err error)
	// Fields is World.Fields.
	Fields() (lines, unused []string)
}

// Show replays a trace and returns the output of World.Print, and the faults with their number.
func (w *World[N]) Show(trace string, lim Limits) (text string, faults int, err error) {
	r, err := w.Replay(trace, lim)
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	if w.Print != nil {
		b.WriteString(w.Print(w, trace))
	}
	for _, what := range slices.Sorted(maps.Keys(r.Faults)) {
		fmt.Fprintln(&b, what)
	}
	return b.String(), len(r.Faults), nil
}

// Fields returns what the Form writes and how, one line for each field, and the unused rules.
func (w *World[N]) Fields() (lines, unused []string) { return w.Rules.Fields() }
