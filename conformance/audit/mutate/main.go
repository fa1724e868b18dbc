// Command mutate measures how much the tests of the library notice. It breaks the product
// packages in many small ways, one at a time, and runs the tests against each: a mutant
// that no test fails for has survived.
//
//	go run ./conformance/audit/mutate                  # 400 mutants, others each week
//	go run ./conformance/audit/mutate -seed 202548     # those of a week
//	go run ./conformance/audit/mutate -n 120 -seed 1,2,3   # several samples in one run
//	go run ./conformance/audit/mutate -in jsonrpc,protocol/schema
//	go run ./conformance/audit/mutate -n 0 -in jsonrpc -by jsonrpc   # what its own tests notice
//	go run ./conformance/audit/mutate -n 40 -each -by own  # 40 of each package, which its own tests should notice
//	go run ./conformance/audit/mutate -kind copy,limit # of these kinds alone
//	go run ./conformance/audit/mutate -n 0             # all of them
//	go run ./conformance/audit/mutate -n 0 -vital      # all gates and emissions
//	go run ./conformance/audit/mutate -list            # lists them without running
//	go run ./conformance/audit/mutate -n 0 -idle       # all that no test reaches
//	go run ./conformance/audit/mutate -only 1f3a09c2   # one of them, with what the tests print
//
// All mutants are compiled into one copy of the module and an environment variable switches
// them on, so that the tests are built once (mutant schemata). A first run without a mutant
// finds the tests that a mutant cannot affect, because they never reach it or only with values
// that both sides treat alike; these do not run again for it.
//
// # Kinds
//
//   - delete: a statement is omitted, or the body of an if or case is never entered;
//   - negate: a condition, or one side of && and ||, is negated;
//   - off-by-one: < for <= and the like, not after for before, or one more in a sum, an
//     index or a number;
//   - return: the other boolean, no error for an error or the reverse, a zero value;
//   - arguments: two arguments of one type swapped;
//   - constant: the next one of the same type or declaration, or one more;
//   - copy: the argument of strings.Clone, slices.Clip and the like instead of the copy;
//   - field: a field of a struct, an element of an array or slice omitted from a
//     literal;
//   - limit: one side of min or max omitted;
//   - order: two neighboring emissions swapped;
//   - stale: the receiver or the parameter returned as it was when the function began, or
//     one of several assigned values discarded.
//
// A limit that is not enforced, a table that is not cleared, a missing downgrade
// and a member missing from a snapshot are deleted statements and conditions.
//
// Generated files are not mutated, but their generator is. Capacities, which are hints,
// are not: the last argument of make, Grow and its argument, and whether something with
// just enough capacity is reallocated. No test of the library's behavior can detect those; the
// tests of allocations do, which do not run here. A bound on a capacity is mutated. A result is
// not replaced if it is a variable with its zero value, and a comparison is not moved if that
// only assigns an equal value, as in if a > b { a = b }.
//
// # Gates, emissions and members
//
// An emission is a deleted statement that passes a lifecycle.Output to a function or
// assigns to one. A gate is a deleted or negated condition, or one side of it, of an if or
// case whose body emits, returns an error, or leaves early in a function that has an
// Output; also such a deleted return, break or continue. A member is a deleted statement
// that writes one into a snapshot. All of them must be killed.
//
// # Survivors
//
// survivors.txt says why a mutant survives: because it has no observable effect.
// It still counts as a survivor. The command fails if less
// than -min percent are killed, if a gate, an emission or a member survives without an
// explanation, or if an explanation is stale: its mutant is killed, or no longer exists.
//
// The default seed is the ISO year and week: a later run looks at other
// mutants. survivors.txt explains mutants, not samples.
//
// # The tests that run
//
// Those of every package that depends on the mutated ones, in short mode and with a fixed
// seed for rapid, except for tests that read the source tree and tests of
// allocations and sizes, which the rewriting itself breaks.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// options are the flags.
type options struct {
	n        int
	seeds    []uint64
	min      float64
	only     string
	list     bool
	idle     bool
	parallel int
	budget   time.Duration
	verbose  bool
	vital    bool
	each     bool
	in       string
	by       string
	kind     string
}

func main() {
	var opt options
	flag.IntVar(&opt.n, "n", 400, "how many mutants; 0 means all")
	flag.Func("seed", "which ones: one seed or several, separated by commas; if not given, that of this week", func(text string) error {
		opt.seeds = nil
		for word := range strings.SplitSeq(text, ",") {
			seed, err := strconv.ParseUint(word, 10, 64)
			if err != nil {
				return err
			}
			opt.seeds = append(opt.seeds, seed)
		}
		return nil
	})
	flag.StringVar(&opt.in, "in", "", "only in these folders, separated by commas")
	flag.StringVar(&opt.by, "by", "", "run only the tests in these folders, separated by commas, or own: in the folder of the mutant; what they do not kill the others may")
	flag.StringVar(&opt.kind, "kind", "", "only of these kinds, separated by commas")
	flag.Float64Var(&opt.min, "min", 90, "fail if less than so many percent are killed")
	flag.StringVar(&opt.only, "only", "", "run the mutant of this id and show what the tests print, or those of several ids, separated by commas")
	flag.BoolVar(&opt.list, "list", false, "list the mutants and run nothing")
	flag.BoolVar(&opt.idle, "idle", false, "list the mutants that no test comes by, and run none")
	flag.IntVar(&opt.parallel, "p", min(2, runtime.NumCPU()), "how many to run at a time")
	flag.DurationVar(&opt.budget, "budget", 0, "give up a mutant after so long and count it as one that survived, although tests are left that could kill it; 0 means never")
	flag.BoolVar(&opt.each, "each", false, "choose so many of each package")
	flag.BoolVar(&opt.vital, "vital", false, "choose among gates, emissions and members alone")
	flag.BoolVar(&opt.verbose, "v", false, "tell of each mutant as soon as it is done, not of survivors alone")
	flag.Parse()
	if opt.seeds == nil {
		opt.seeds = []uint64{coverage.Week(time.Now())}
	}
	if err := run(printer{os.Stdout}, ".", opt); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// printer ignores write errors.
type printer struct{ io.Writer }

func (p printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p, format, args...) }

// own is the value of -by for the tests of the mutant's package.
const own = "own"

// among reports whether a comma-separated list is empty or contains the word.
func among(list, word string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), word)
}

// run runs the command with the options in the module of dir.
func run(w printer, dir string, opt options) error {
	mod, err := loadModule(dir)
	if err != nil {
		return err
	}
	all, err := mod.mutants()
	if err != nil {
		return err
	}
	known, err := readExplanations(filepath.Join(mod.dir, "conformance", "audit", "mutate", "survivors.txt"))
	if err != nil {
		return err
	}
	from := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool {
		return opt.vital && m.vital == "" || !among(opt.in, m.pkg()) || !among(opt.kind, m.kind)
	})
	var chosen []*mutant
	for _, seed := range opt.seeds {
		for _, m := range sample(from, opt.n, seed, opt.each) {
			if m.seeds == nil {
				chosen = append(chosen, m)
			}
			m.seeds = append(m.seeds, seed)
		}
	}
	slices.SortStableFunc(chosen, byPlace)
	if opt.only != "" {
		chosen = nil
		for id := range strings.SplitSeq(opt.only, ",") {
			m := withID(all, id)
			if m == nil {
				return fmt.Errorf("no mutant %s", id)
			}
			chosen = append(chosen, m...)
		}
	}
	number(chosen)
	if opt.list {
		for _, m := range chosen {
			w.printf("%v\n", m)
		}
		return nil
	}
	w.printf("%d of %d mutants, seed %s\n", len(chosen), len(from), strings.Trim(fmt.Sprint(opt.seeds), "[]"))

	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	judges, err := mod.prepare(w, work, chosen, opt)
	if err != nil {
		return err
	}
	if opt.idle {
		for _, m := range chosen {
			if m.idle {
				w.printf("%v\n", m)
			}
		}
		return nil
	}
	if opt.only != "" && len(chosen) == 1 {
		return show(w, chosen[0], judges)
	}
	if err := try(w, chosen, judges, opt); err != nil {
		return err
	}
	return report(w, all, chosen, known, opt)
}
