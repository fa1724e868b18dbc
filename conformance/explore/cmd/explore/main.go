// Command explore goes through all states of a world, or replays a trace: see docs/proof.md.
//
// It exits with 0 if everything holds, with 1 if something does not, and with 2 for arguments that
// make no sense.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/conformance/explore/worlds"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	world, revision, replay            string
	nightly, compare, reached, replays bool
	walk                               time.Duration
	seed                               uint64
	length                             int
	lim                                explore.Limits
}

// run is the command; it returns the exit code.
func run(args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if err != nil {
		if err != flag.ErrHelp {
			return 2 // which parse has said
		}
		return 0
	}
	list, err := o.scopes()
	if err != nil {
		fmt.Fprintln(errs, "explore:", err)
		return 2
	}
	for _, s := range list {
		if o.compare && !s.New(o.revision).Compares() {
			fmt.Fprintf(errs, "explore: -compare: there is nothing to compare with in %s; take -world pair, or a scope of it\n", s.Name)
			return 2
		}
	}
	faults := 0
	for _, s := range list {
		w := s.New(o.revision)
		if o.replays {
			n, err := replay(w, o.replay, out)
			if err != nil {
				fmt.Fprintln(errs, err)
				return 2
			}
			faults += n
			continue
		}
		r := o.explore(s.Name, w, out, &faults)
		faults += show(out, s.Name, r, o.reached)
	}
	if faults > 0 {
		return 1
	}
	return 0
}

// explore searches a world, walks in it, or compares its forms.
func (o *options) explore(name string, w explore.Any, out io.Writer, faults *int) (r *explore.Report) {
	if o.walk > 0 {
		lim := o.lim
		lim.Time = o.walk
		r = w.Walk(o.seed, o.length, lim)
		fmt.Fprintf(out, "%s -walk %v -seed %d -length %d -revision %q: %d steps in %d walks\n", name, o.walk, o.seed, o.length, o.revision, r.States, r.Depth)
		return r
	}
	if o.compare {
		var apart []string
		apart, r = w.Compare(o.lim)
		for _, a := range apart {
			fmt.Fprintln(out, "the form takes for one what snapshots tell apart:", a)
		}
		*faults += len(apart)
	} else {
		r = w.Search(o.lim)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	fmt.Fprintf(out, "%-24s %9d states %10d transitions, depth %d, whole %v, %v, %d MB\n", name, r.States, r.Transitions, r.Depth, r.Empty, r.Took.Round(time.Millisecond), mem.HeapSys>>20)
	return r
}

// replay prints what there is to read of a trace, and returns how many faults it came to.
func replay(w explore.Any, trace string, out io.Writer) (int, error) {
	r, err := w.Replay(trace)
	if err != nil {
		return 0, err
	}
	text, err := w.Show(trace)
	fmt.Fprint(out, text)
	return len(r.Faults), err
}

// scopes returns the scopes that the flags choose.
func (o *options) scopes() (list []worlds.Scope, err error) {
	var of, all []string
	for _, s := range worlds.Scopes() {
		world, _, _ := strings.Cut(s.Name, "/")
		if s.Name == o.world {
			return []worlds.Scope{s}, nil
		}
		if o.world == "" || o.world == world {
			of = append(of, s.Name)
			if !s.Nightly || o.nightly {
				list = append(list, s)
			}
		}
		if !slices.Contains(all, world) {
			all = append(all, world)
		}
	}
	switch {
	case len(of) == 0:
		world, _, _ := strings.Cut(o.world, "/")
		if !slices.Contains(all, world) {
			return nil, fmt.Errorf("-world %s: there is no such world; there are %s", o.world, strings.Join(all, ", "))
		}
		for _, s := range worlds.Scopes() {
			if strings.HasPrefix(s.Name, world+"/") {
				of = append(of, s.Name)
			}
		}
		return nil, fmt.Errorf("-world %s: there is no such scope; there are %s", o.world, strings.Join(of, ", "))
	case o.replays:
		return nil, fmt.Errorf("-replay wants one scope, as -world %s", of[0])
	}
	return list, nil
}

// show prints the faults, and what was reached.
func show(out io.Writer, scope string, r *explore.Report, reached bool) int {
	var list []*explore.Fault
	for _, f := range r.Faults { // sorted below
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *explore.Fault) int { return strings.Compare(a.What, b.What) })
	for _, f := range list {
		fmt.Fprintf(out, "FAULT %s, %d times; %d steps: -world %s -replay '%s'\n", f.What, f.Count, f.Steps, scope, f.Trace)
	}
	if reached {
		var list []string
		for what, n := range r.Reached { // sorted below
			list = append(list, fmt.Sprintf("%s x%d", what, n))
		}
		slices.Sort(list)
		fmt.Fprintln(out, "  "+strings.Join(list, "\n  "))
	}
	return len(list)
}
