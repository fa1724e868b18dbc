// Command explore goes through all states of a world, or replays a trace: see docs/proof.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/explore/worlds"
)

func main() {
	world := flag.String("world", "", "a world, as pair, or a scope, as pair/call; all that are meant for each change if empty")
	nightly := flag.Bool("nightly", false, "the large scopes too")
	revision := flag.String("revision", "", "the revision that the clients speak")
	replay := flag.String("replay", "", "a trace to replay in the scope")
	walk := flag.Duration("walk", 0, "walk at random for so long instead")
	seed := flag.Uint64("seed", 1, "the seed of walks")
	length := flag.Int("length", 300, "the steps of a walk")
	compare := flag.Bool("compare", false, "hold the form against that of snapshots")
	reached := flag.Bool("reached", false, "list what was reached")
	lim := explore.Limits{}
	flag.Uint64Var(&lim.States, "states", 0, "stop after so many states")
	flag.DurationVar(&lim.Time, "time", 0, "stop after so long")
	flag.BoolVar(&lim.Stop, "stop", false, "stop at the first fault")
	flag.Parse()
	faults, found := 0, false
	for _, s := range worlds.Scopes() {
		if s.Name != *world && (!strings.HasPrefix(s.Name, *world) || *world != "" && !strings.HasPrefix(s.Name, *world+"/") || s.Nightly && !*nightly) {
			continue
		}
		found = true
		w := s.New(*revision)
		if *replay != "" {
			text, err := w.Show(*replay)
			fmt.Print(text)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
		var r *explore.Report
		switch {
		case *walk > 0:
			lim.Time = *walk
			r = w.Walk(*seed, *length, lim)
			fmt.Printf("%s -walk %v -seed %d -length %d -revision %q: %d steps in %d walks\n", s.Name, *walk, *seed, *length, *revision, r.States, r.Depth)
		case *compare:
			var apart []string
			apart, r = w.Compare(lim)
			for _, a := range apart {
				fmt.Println("the form takes for one what snapshots tell apart:", a)
			}
			faults += len(apart)
			fallthrough
		default:
			if r == nil {
				r = w.Search(lim)
			}
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			fmt.Printf("%-24s %9d states %10d transitions, depth %d, whole %v, %v, %d MB\n", s.Name, r.States, r.Transitions, r.Depth, r.Empty, r.Took.Round(time.Millisecond), mem.HeapSys>>20)
		}
		faults += show(s.Name, r, *reached)
	}
	if !found {
		fmt.Fprintf(os.Stderr, "no scope %s\n", *world)
		os.Exit(2)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// show prints the faults, and what was reached.
func show(scope string, r *explore.Report, reached bool) int {
	var list []*explore.Fault
	for _, f := range r.Faults { // sorted below
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *explore.Fault) int { return strings.Compare(a.What, b.What) })
	for _, f := range list {
		fmt.Printf("FAULT %s, %d times; %d steps: -world %s -replay '%s'\n", f.What, f.Count, f.Steps, scope, f.Trace)
	}
	if reached {
		var list []string
		for what, n := range r.Reached { // sorted below
			list = append(list, fmt.Sprintf("%s x%d", what, n))
		}
		slices.Sort(list)
		fmt.Println("  " + strings.Join(list, "\n  "))
	}
	return len(list)
}
