package many

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Options say what a run is.
type Options struct {
	// Seed gives all that is drawn: the same Options give the same run.
	Seed uint64
	// Servers is how many servers there are; zero means 8.
	Servers int
	// Length is how long new work begins, in virtual time; zero means 20 s. After that
	// everything comes to its end.
	Length time.Duration
	// Restore has the machine replaced by what its snapshot comes back as, after one in so many
	// steps; zero: never.
	Restore int
	// Extra are further servers of a kind, "silent" or "hushed", beside the others. They change
	// nothing for those.
	Extra string
	// Eras draws whether each server, and the client of a Relay, has sessions, none or both. Machines then speak
	// both; otherwise all have sessions.
	Eras bool
	// Exact leaves out what makes servers share anything: jitter, and work on all of them.
	Exact bool
	// Trace has the Report say what happened to each server.
	Trace bool
}

func (o Options) filled() Options {
	if o.Servers == 0 {
		o.Servers = 8
	}
	if o.Length == 0 {
		o.Length = 20 * time.Second
	}
	return o
}

// Report is what happened in a run.
type Report struct {
	Steps   int                 // transitions of machines
	Elapsed time.Duration       // of virtual time
	Counts  map[string]int      // of what happened, by name
	Trace   map[string][]string // by server, with Options.Trace
}

// String returns the counts, one a line.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d steps in %v\n", r.Steps, r.Elapsed)
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "%10d %s\n", r.Counts[name], name)
	}
	return b.String()
}

// Add adds the numbers of another run.
func (r *Report) Add(o Report) {
	if r.Counts == nil {
		r.Counts = map[string]int{}
	}
	r.Steps += o.Steps
	r.Elapsed += o.Elapsed
	for name, n := range o.Counts {
		r.Counts[name] += n
	}
}

// Failure is what did not hold in a run.
type Failure struct {
	Setup   string        // the set-up
	Options Options       // of the run
	At      time.Duration // since Origin
	Text    string        // what did not hold
	Last    []string      // the last things that happened
}

// Error returns all of it, with the command that shows it again.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s\n%s, seed %d, at %v: %s\nto see it again: go run ./conformance/cmd/many -setup %s -seed %d -servers %d -length %v -restore %d -eras=%v -runs 1",
		strings.Join(f.Last, "\n"), f.Setup, f.Options.Seed, f.At, f.Text, f.Setup, f.Options.Seed, f.Options.Servers, f.Options.Length, f.Options.Restore, f.Options.Eras)
}

// run is what all set-ups have in common.
type run struct {
	opt    Options
	setup  string
	clock  *clock
	dice   dice // of what concerns all servers
	breaks dice // of when the machine is restored
	report Report
	err    *Failure
	last   []string // the last lines
	names  []string // of the servers, in order
	kinds  map[string]temper
}

// keptLines is how many lines a Failure shows.
const keptLines = 60

func newRun(setup string, opt Options) *run {
	r := &run{opt: opt.filled(), setup: setup, clock: &clock{now: Origin}, kinds: map[string]temper{}}
	r.dice, r.breaks = newDice(opt.Seed, "run"), newDice(opt.Seed, "breaks")
	r.report = Report{Counts: map[string]int{}, Trace: map[string][]string{}}
	for i := range r.opt.Servers {
		name := fmt.Sprintf("s%d", i)
		r.names = append(r.names, name)
		if i == 0 {
			r.kinds[name] = tempers[0]
		} else {
			r.kinds[name] = pick(newDice(opt.Seed, "kind of "+name), tempers)
		}
	}
	if opt.Extra != "" {
		name := opt.Extra
		r.names = append([]string{name}, r.names...) // the first, so that it can stand in the way
		r.kinds[name] = map[string]temper{"silent": silent, "hushed": hushed}[opt.Extra]
	}
	return r
}

// fail notes what does not hold; the run ends with the first.
func (r *run) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Failure{r.setup, r.opt, r.clock.now.Sub(Origin), fmt.Sprintf(format, args...), slices.Clone(r.last)}
	}
}

// note writes down what happened to a server.
func (r *run) note(server, format string, args ...any) {
	line := fmt.Sprintf("%v %s", r.clock.now.Sub(Origin), fmt.Sprintf(format, args...))
	if r.opt.Trace {
		r.report.Trace[server] = append(r.report.Trace[server], line)
	}
	r.last = append(r.last, server+": "+line)
	if len(r.last) > 4*keptLines {
		r.last = append([]string(nil), r.last[len(r.last)-keptLines:]...)
	}
}

// restores reports whether the machine is to be restored after this step.
func (r *run) restores() bool { return r.opt.Restore > 0 && r.breaks.IntN(r.opt.Restore) == 0 }

// count counts something.
func (r *run) count(what string) { r.report.Counts[what]++ }

// network returns a network for a machine of the run.
func (r *run) network(party string, u user) *network {
	return &network{
		clock: r.clock, seed: r.opt.Seed, eras: r.eras(), party: party, tempers: r.kinds, links: map[manager.Link]*link{}, numbers: map[string]int{},
		user: u, fail: r.fail, note: func(server, text string) { r.note(server, "%s", text) }, counts: r.report.Counts,
		unsafe: map[mark]bool{}, served: map[mark]int{},
	}
}

// maxTasks bounds what may happen in a run: one that goes round in a circle is a failure.
const maxTasks = 3_000_000

// until lets time pass until then.
func (r *run) until(end time.Time) {
	r.drain(end)
	if r.err == nil {
		r.clock.now = end
	}
}

// drain lets time pass until nothing is to be done before a time.
func (r *run) drain(end time.Time) {
	for n := 0; r.err == nil; n++ {
		at, some := r.clock.next()
		if !some || at.After(end) {
			return
		}
		if n > maxTasks {
			r.fail("there is no end to it")
		}
		r.clock.step()
	}
}

// done returns what came of the run.
func (r *run) done() (Report, error) {
	r.report.Elapsed = r.clock.now.Sub(Origin)
	if r.err != nil {
		r.err.Last = r.err.Last[max(0, len(r.err.Last)-keptLines):]
		return r.report, r.err
	}
	return r.report, nil
}

// Compare returns where the traces of the same servers differ in two runs.
func Compare(a, b Report) error {
	for _, server := range slices.Sorted(maps.Keys(a.Trace)) {
		x, y := a.Trace[server], b.Trace[server]
		if server == "" { // what is about all of them takes as long as the slowest
			continue
		}
		for i := range max(len(x), len(y)) {
			switch {
			case i >= len(x):
				return fmt.Errorf("%s: only the second run goes on: %s", server, y[i])
			case i >= len(y):
				return fmt.Errorf("%s: only the first run goes on: %s", server, x[i])
			case x[i] != y[i]:
				return fmt.Errorf("%s: line %d is\n%s\nin one run and\n%s\nin the other, after\n%s", server, i, x[i], y[i], strings.Join(x[max(0, i-5):i], "\n"))
			}
		}
	}
	if len(a.Trace) == 0 {
		return errors.New("many: there is nothing to compare")
	}
	return nil
}
