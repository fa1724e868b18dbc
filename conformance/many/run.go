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

// Options determine a run.
type Options struct {
	// Seed determines all random choices: the same Options give the same run.
	Seed uint64
	// Servers is the number of servers; zero means 8.
	Servers int
	// Length is how long new work begins, in virtual time; zero means 20 s. After that
	// everything must end.
	Length time.Duration
	// Restore replaces the machine by its restored snapshot after one in so many
	// steps; zero: never.
	Restore int
	// Extra are further servers of a kind, "silent" or "hushed". They must change
	// nothing for the others.
	Extra string
	// Eras draws whether each server, and the client of a Relay, has sessions, none or both. Machines then support
	// both; otherwise all have sessions.
	Eras bool
	// Exact omits everything that servers share: jitter, and work on all of them.
	Exact bool
	// Trace adds the events of each server to the Report.
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

// Report is the result of a run.
type Report struct {
	Steps   int                 // transitions of machines
	Elapsed time.Duration       // of virtual time
	Counts  map[string]int      // of events, by name
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

// Add adds the counts of another run.
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

// Failure is a violation in a run.
type Failure struct {
	Setup   string        // the set-up
	Options Options       // of the run
	At      time.Duration // since Origin
	Text    string        // the violation
	Last    []string      // the last events
}

// Error returns the failure, with the command that repeats it.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s\n%s, seed %d, at %v: %s\nto see it again: go run ./conformance/cmd/many -setup %s -seed %d -servers %d -length %v -restore %d -eras=%v -runs 1",
		strings.Join(f.Last, "\n"), f.Setup, f.Options.Seed, f.At, f.Text, f.Setup, f.Options.Seed, f.Options.Servers, f.Options.Length, f.Options.Restore, f.Options.Eras)
}

// run is the common part of all set-ups.
type run struct {
	opt    Options
	setup  string
	clock  *clock
	dice   dice // for what concerns all servers
	breaks dice // for when the machine is restored
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
		r.names = append([]string{name}, r.names...) // first, so that it could delay the others
		r.kinds[name] = map[string]temper{"silent": silent, "hushed": hushed}[opt.Extra]
	}
	return r
}

// fail records a violation; the run ends with the first.
func (r *run) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Failure{r.setup, r.opt, r.clock.now.Sub(Origin), fmt.Sprintf(format, args...), slices.Clone(r.last)}
	}
}

// note records an event of a server.
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

// restores reports whether to restore the machine after this step.
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

// maxTasks bounds the tasks of a run: an endless loop is a failure.
const maxTasks = 3_000_000

// until lets time pass until then.
func (r *run) until(end time.Time) {
	r.drain(end)
	if r.err == nil {
		r.clock.now = end
	}
}

// drain lets time pass until no task before a time is left.
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

// done returns the result of the run.
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
		if server == "" { // this takes as long as the slowest
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
