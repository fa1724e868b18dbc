// Command explore searches all states of a world, or replays a trace: see docs/proof.md.
//
// It exits with 0 if everything holds, with 1 for a violation, and with 2 for invalid
// arguments.
package main

import (
	"cmp"
	"errors"
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
	world, revision, replay          string
	plant                            string   // a file
	others                           []string // all flags but -plant
	nightly, compare, folds, reached bool
	walk                             time.Duration
	seed                             uint64
	length                           int
	lim                              explore.Limits
}

// longest is the limit of a step; a millisecond is already slow.
const longest = 30 * time.Second

// run is the command; it returns the exit code.
func run(args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2 // parse has reported it
	}
	if o.plant != "" {
		return o.look(out, errs)
	}
	list, err := o.scopes()
	o.lim.Watch = explore.NewWatch(longest, func(scope string, f *explore.Fault) {
		show(out, scope, &explore.Report{Faults: map[string]*explore.Fault{f.What: f}}, false)
		os.Exit(1)
	})
	defer o.lim.Watch.Stop()
	faults := 0
	for _, s := range list {
		n, wrong := o.explore(s, out)
		faults, err = faults+n, cmp.Or(err, wrong)
	}
	switch {
	case err != nil:
		say(errs, "%v\n", err)
		return 2
	case faults > 0:
		return 1
	}
	return 0
}

// explore replays a trace, searches a world, walks in it, or compares its forms. It returns the
// number of faults.
func (o *options) explore(s worlds.Scope, out io.Writer) (faults int, err error) {
	var w explore.Any
	o.lim.Watch.Do(s.Name, func() { w = s.New(o.revision) })
	var r *explore.Report
	switch {
	case o.replay != "":
		text, faults, err := w.Show(o.replay, o.lim)
		say(out, "%s", text)
		return faults, err
	case o.walk > 0:
		o.lim.Time = o.walk
		r = w.Walk(o.seed, o.length, o.lim)
		say(out, "%s -walk %v -seed %d -length %d -revision %q: %d steps in %d walks\n", s.Name, o.walk, o.seed, o.length, o.revision, r.States, r.Depth)
		return show(out, s.Name, r, o.reached), nil
	case o.compare:
		var apart []string
		apart, r = w.Compare(o.lim)
		for _, a := range apart {
			say(out, "the form takes for one what snapshots tell apart: %s\n", a)
		}
		faults = len(apart)
	case o.folds:
		var apart []string
		apart, r = w.Folds(o.lim)
		for _, a := range apart {
			say(out, "taken for one, and they go on differently: %s\n", a)
		}
		faults = len(apart)
		say(out, "%d states are taken for %d\n", r.States, r.Folded)
	default:
		r = w.Search(o.lim)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	say(out, "%-24s %9d states %10d transitions, depth %d, whole %v, %v, %d MB\n", s.Name, r.States, r.Transitions, r.Depth, r.Empty, r.Took.Round(time.Millisecond), mem.HeapSys>>20)
	return faults + show(out, s.Name, r, o.reached), nil
}

// scopes returns the scopes that the flags choose.
func (o *options) scopes() (list []worlds.Scope, err error) {
	var all []string
	for _, s := range worlds.Scopes() {
		all = append(all, s.Name)
		if s.Name == o.world || (o.world == "" || strings.HasPrefix(s.Name, o.world+"/")) && (o.nightly || !s.Nightly) {
			list = append(list, s)
		}
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("explore: -world %s: there is no such world or scope; there are %s", o.world, strings.Join(all, ", "))
	case o.replay != "" && len(list) > 1:
		return nil, fmt.Errorf("explore: -replay wants one scope, as -world %s", list[0].Name)
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
		say(out, "FAULT %s, %d times; %d steps: -world %s -replay '%s'\n", f.What, f.Count, f.Steps, scope, f.Trace)
	}
	if reached {
		var list []string
		for what, n := range r.Reached { // sorted below
			list = append(list, fmt.Sprintf("%s x%d", what, n))
		}
		slices.Sort(list)
		say(out, "  %s\n", strings.Join(list, "\n  "))
	}
	return len(list)
}

// say writes a text, and ignores write errors.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
