// Command bench measures workload by library and prints a Markdown table with ratios to
// the floor and to the best released peer:
//
//	go run ./cmd/bench                                  # all, about three minutes
//	go run ./cmd/bench -workloads 'call|ping' -rounds 9
//	go run ./cmd/bench -libraries 'floor-api|sansmcp'
//	go run ./cmd/bench -rounds 7 -check                 # fails if a bound is exceeded
//
// Each round runs every benchmark once, each in its own process, so that slow drift
// of the machine affects all libraries equally and none pays for another's garbage. The table
// has the minimum of the rounds, which other load disturbs least. Run it in the module's
// folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/bench"
)

func main() {
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 3, "how often every benchmark runs")
	flag.DurationVar(&o.time, "time", 100*time.Millisecond, "how long each run measures at least")
	flag.DurationVar(&o.limit, "limit", 2*time.Minute, "how long a run may take")
	flag.Func("workloads", "regular expression for the names of workloads", match(&o.workloads))
	flag.Func("libraries", "regular expression for the names of libraries", match(&o.libraries))
	flag.BoolVar(&o.check, "check", false, "fail if a bound is not kept to, which needs a machine that does little else")
	flag.Parse()
	if flag.NArg() > 0 || o.rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := o.run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func match(to **regexp.Regexp) func(string) error {
	return func(s string) (err error) {
		*to, err = regexp.Compile(s)
		return err
	}
}

type options struct {
	rounds               int
	time, limit          time.Duration
	workloads, libraries *regexp.Regexp // nil for all
	check                bool           // against bounds
}

// job is one benchmark.
type job struct {
	workload bench.Workload
	library  string
}

// run measures and writes the table to out, and its progress to log.
func (o options) run(out, log io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "bench.test")
	if text, err := exec.Command("go", "test", "-c", "-o", binary, "github.com/sansmcp/mcp/conformance/bench").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	jobs, err := o.jobs(binary)
	if err != nil {
		return err
	}
	from, results := load(), results{}
	for round := range o.rounds {
		fmt.Fprintf(log, "round %d of %d, %d benchmarks, load %s\n", round+1, o.rounds, len(jobs), load())
		for _, j := range jobs {
			if j.workload.Unit != bench.CPU && round > 0 {
				continue // sizes do not depend on the load
			}
			if err := o.measure(binary, j, &results); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%s, %s, %s; %d rounds of %v; load %s to %s\n\n",
		time.Now().Format(time.DateOnly), runtime.Version(), processor(), o.rounds, o.time, from, load())
	if err := results.write(out); err != nil || !o.check {
		return err
	}
	return results.check()
}

// jobs returns the benchmarks to run, in the order of the table: the requested ones, and
// the workloads that they are compared with.
func (o options) jobs(binary string) ([]job, error) {
	text, err := exec.Command(binary, "-list").Output()
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, w := range bench.Workloads {
		if o.workloads == nil || o.workloads.MatchString(w.Name) {
			wanted[w.Name], wanted[w.Base] = true, true
		}
	}
	var jobs []job
	for _, w := range bench.Workloads {
		for line := range strings.Lines(string(text)) {
			name, library, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == w.Name && wanted[name] && (o.libraries == nil || o.libraries.MatchString(library)) {
				jobs = append(jobs, job{w, library})
			}
		}
	}
	if len(jobs) == 0 {
		return nil, errors.New("no such benchmark")
	}
	return jobs, nil
}

// measure runs one benchmark in its own process, on one core.
func (o options) measure(binary string, j job, to *results) error {
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	span := o.time.String()
	if j.workload.Unit != bench.CPU {
		span = "1x"
	}
	pattern := "^BenchmarkWorkloads$/^" + regexp.QuoteMeta(j.workload.Name) + "$/^" + regexp.QuoteMeta(j.library) + "$"
	text, err := exec.CommandContext(ctx, binary, "-test.run", "^$", "-test.cpu", "1", "-test.benchtime", span, "-test.bench", pattern).CombinedOutput()
	if err == nil {
		err = to.add(j, string(text))
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w\n%s", j.workload.Name, j.library, err, text)
	}
	return nil
}

// load returns the load of the last minute, if the system reports it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// processor returns the model of the processor, if the system reports it.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return fmt.Sprintf("%s, %d cores", strings.TrimSpace(model), runtime.NumCPU())
		}
	}
	return runtime.GOARCH
}
