package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// tally counts mutants.
type tally struct{ all, killed int }

func (t *tally) add(m *mutant) {
	t.all++
	if m.verdict != survived {
		t.killed++
	}
}

func (t *tally) percent() float64 {
	if t.all == 0 {
		return 100
	}
	return 100 * float64(t.killed) / float64(t.all)
}

// report prints the survivors and the totals. It returns an error if the result is not good
// enough. all are all mutants, chosen those that ran.
func report(w printer, all, chosen []*mutant, known map[string]explanation, opt options) error {
	unexplained, vital, hangs := survivors(w, chosen, known)
	stale := staleOnes(w, all, chosen, known)
	totals(w, chosen)

	var total, gates tally
	for _, m := range chosen {
		total.add(m)
		if m.vital != "" {
			gates.add(m)
		}
	}
	for _, seed := range opt.seeds {
		if of := (tally{}); len(opt.seeds) > 1 {
			for _, m := range chosen {
				if slices.Contains(m.seeds, seed) {
					of.add(m)
				}
			}
			w.printf("\nseed %d: %d of %d killed, %.1f %%", seed, of.killed, of.all, of.percent())
		}
	}
	left := total.all - total.killed
	w.printf("\n%d of %d killed, %.1f %%; %d of them by the deadline\n", total.killed, total.all, total.percent(), hangs)
	w.printf("%d of %d gates, emissions and members killed; of the others %d are explained and %d not\n",
		gates.killed, gates.all, gates.all-gates.killed-vital, vital)
	w.printf("%d survived: %d explained, %d not\n", left, left-unexplained, unexplained)

	var errs []error
	if total.percent() < opt.min {
		errs = append(errs, fmt.Errorf("%.1f %% killed, at least %g %%", total.percent(), opt.min))
	}
	if vital > 0 {
		errs = append(errs, fmt.Errorf("%d gates, emissions or members survived without an explanation", vital))
	}
	if stale > 0 {
		errs = append(errs, fmt.Errorf("%d stale explanations", stale))
	}
	return errors.Join(errs...)
}

// survivors prints them, the explained ones with the reason.
func survivors(w printer, chosen []*mutant, known map[string]explanation) (unexplained, vital, hangs int) {
	for _, m := range chosen {
		switch e, explained := known[m.key()]; {
		case m.verdict == hung:
			hangs++
		case m.verdict == killed:
		case explained:
			w.printf("survived, explained: %v\n\t%s\n", m, e.reason)
		default:
			switch {
			case m.idle:
				w.printf("SURVIVED, no test comes by: %v\n", m)
			case m.untried > 0:
				w.printf("SURVIVED, tests of %d packages untried: %v\n", m.untried, m)
			default:
				w.printf("SURVIVED: %v\n", m)
			}
			if unexplained++; m.vital != "" {
				vital++
			}
		}
	}
	return unexplained, vital, hangs
}

// staleOnes prints explanations whose mutant is killed or no longer exists.
func staleOnes(w printer, all, chosen []*mutant, known map[string]explanation) (stale int) {
	there, dead := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		there[m.key()] = true
	}
	for _, m := range chosen {
		dead[m.key()] = m.verdict != survived
	}
	for _, key := range slices.SortedFunc(maps.Keys(known), func(a, b string) int { return known[a].line - known[b].line }) {
		switch {
		case !there[key]:
			w.printf("STALE: survivors.txt:%d: no longer there: %s\n", known[key].line, key)
		case dead[key]:
			w.printf("STALE: survivors.txt:%d: is killed now: %s\n", known[key].line, key)
		default:
			continue
		}
		stale++
	}
	return stale
}

// totals prints a table of packages and kinds.
func totals(w printer, chosen []*mutant) {
	counts := map[string]map[string]*tally{}
	for _, m := range chosen {
		for _, pkg := range []string{m.pkg(), "all"} {
			if counts[pkg] == nil {
				counts[pkg] = map[string]*tally{}
				for _, kind := range append([]string{"all"}, kinds...) {
					counts[pkg][kind] = &tally{}
				}
			}
			counts[pkg]["all"].add(m)
			counts[pkg][m.kind].add(m)
		}
	}
	w.printf("\n%-20s", "killed")
	columns := append(slices.Clone(kinds), "all")
	for _, kind := range columns {
		w.printf(" %10s", kind)
	}
	w.printf("\n")
	rows := slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(pkg string) bool { return pkg == "all" })
	for _, pkg := range append(rows, "all") {
		w.printf("%-20s", pkg)
		for _, kind := range columns {
			c, cell := counts[pkg][kind], "-"
			if c.all > 0 {
				cell = fmt.Sprintf("%d/%d", c.killed, c.all)
			}
			w.printf(" %10s", cell)
		}
		w.printf("\n")
	}
}
