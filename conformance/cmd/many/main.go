// Command many runs package many for any length of time:
//
//	go run ./conformance/cmd/many                             # every set-up, 100 runs each
//	go run ./conformance/cmd/many -for 10m -seed 1            # as many runs as fit into ten minutes
//	go run ./conformance/cmd/many -setup relay -seed 4711 -runs 1
//	go run ./conformance/cmd/many -eras                       # servers and clients with sessions, without, or both
//	go run ./conformance/cmd/many -alike                      # restored or not, with silent servers or without
//
// It prints counts, and exits non-zero with the first violation:
// what, when, and the command that repeats the run.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/many"
)

func main() {
	var opt many.Options
	setup := flag.String("setup", "all", "all, or one of "+strings.Join(many.Setups(), ", "))
	runs := flag.Int("runs", 100, "so many runs of each set-up")
	length := flag.Duration("for", 0, "for so long, instead of -runs")
	alike := flag.Bool("alike", false, "compare runs that have to be alike")
	flag.Uint64Var(&opt.Seed, "seed", 1, "the first seed")
	flag.IntVar(&opt.Servers, "servers", 0, "servers, 0 for a usual number")
	flag.DurationVar(&opt.Length, "length", 0, "virtual time of a run, 0 for a usual one")
	flag.IntVar(&opt.Restore, "restore", 0, "restore after one in so many steps, 0 for never")
	flag.BoolVar(&opt.Eras, "eras", false, "draw the eras of the servers and of the client")
	trace := flag.String("trace", "", "print what happened to this server in a single run")
	flag.Parse()
	if *trace != "" {
		opt.Trace = true
		r, err := many.Run(*setup, opt)
		fmt.Println(strings.Join(r.Trace[*trace], "\n"))
		if err != nil {
			fmt.Fprintln(os.Stderr, "many:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(opt, *setup, *runs, *length, *alike); err != nil {
		fmt.Fprintln(os.Stderr, "many:", err)
		os.Exit(1)
	}
}

func run(opt many.Options, setup string, runs int, length time.Duration, alike bool) error {
	setups := many.Setups()
	if setup != "all" {
		if !slices.Contains(setups, setup) {
			return fmt.Errorf("no set-up %q", setup)
		}
		setups = []string{setup}
	}
	began, totals, first := time.Now(), map[string]*many.Report{}, opt.Seed
	n := 0
	for ; length == 0 && n < runs || length > 0 && time.Since(began) < length; n++ {
		opt.Seed = first + uint64(n)
		for _, setup := range setups {
			var r many.Report
			var err error
			if alike {
				r, err = many.Alike(setup, opt)
			} else {
				r, err = many.Run(setup, opt)
			}
			if err != nil {
				return err
			}
			if totals[setup] == nil {
				totals[setup] = &many.Report{}
			}
			totals[setup].Add(r)
		}
	}
	for _, setup := range setups {
		if totals[setup] != nil {
			fmt.Printf("%s, %d runs from seed %d: %s\n", setup, n, first, totals[setup])
		}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	fmt.Printf("%v, %.1f MB of memory\n", time.Since(began).Round(time.Millisecond), float64(mem.Sys)/1e6)
	return nil
}
