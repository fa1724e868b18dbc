package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/audit/trial"
)

func main() {
	var opt options
	flag.StringVar(&opt.only, "only", "", "these rows, separated by commas")
	flag.IntVar(&opt.jobs, "j", runtime.GOMAXPROCS(0), "so many at a time")
	flag.IntVar(&opt.sample, "sample", 0, "only rows of a sample of so many")
	flag.Uint64Var(&opt.seed, "seed", coverage.Week(time.Now()), "the seed of the sample; if not given, that of this week")
	flag.BoolVar(&opt.single, "single", false, "list the rows that rest on a single case and have no patch")
	flag.Parse()
	if err := run(opt); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	only         string
	jobs, sample int
	seed         uint64
	single       bool
}

func run(opt options) error {
	root, err := coverage.Root()
	if err != nil {
		return err
	}
	patches, err := Read(filepath.Join(root, "conformance", "audit", "faults"))
	if err != nil {
		return err
	}
	lacking := 0
	if opt.single || opt.sample > 0 {
		results, err := coverage.Results(root)
		if err != nil {
			return err
		}
		rows := coverage.Single(results)
		if !opt.single {
			rows = coverage.Sample(results, opt.sample, opt.seed)
			fmt.Printf("%d rows of seed %d\n", len(rows), opt.seed)
		}
		lacking = list(rows, patches)
		if opt.single {
			return nil
		}
		if patches = Among(patches, rows); len(patches) == 0 {
			return errors.New("no patch for any of them")
		}
	}
	dir, err := os.MkdirTemp("", "sansmcp-faults-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := trial.Overlay(root, dir, patches)
	if err != nil {
		return err
	}
	suite, err := Build(root, dir, overlay)
	if err != nil {
		return err
	}
	sound, err := suite.Run(context.Background(), 0)
	if err != nil {
		return err
	}
	if len(sound) > 0 {
		return fmt.Errorf("%s fails without any patch", sound[0].Case)
	}

	var numbers []int
	for i, p := range patches {
		if opt.only == "" || strings.Contains(","+opt.only+",", ","+p.Row+",") {
			numbers = append(numbers, i)
		}
	}
	if len(numbers) == 0 {
		return errors.New("no such patch")
	}
	verdicts := make([]chan verdict, len(numbers))
	for i := range verdicts {
		verdicts[i] = make(chan verdict, 1)
	}
	go func() {
		_ = trial.Each(len(numbers), opt.jobs, func(i int) error {
			failures, err := suite.Run(context.Background(), numbers[i]+1)
			verdicts[i] <- verdict{patches[numbers[i]].Judge(failures), err}
			return nil
		})
	}()
	bad := 0
	for i, number := range numbers { // in order of the numbers
		v := <-verdicts[i]
		mark, text := "ok  ", v.String()
		if v.err != nil || !v.Good() {
			mark = "FAIL"
			bad++
		}
		if v.err != nil {
			text = v.err.Error()
		}
		fmt.Printf("%s %s\t%s\n\t%s\n", mark, patches[number].Row, patches[number].Text, text)
	}
	fmt.Printf("%d of %d patches were caught by a case of their row and by nothing unrelated\n", len(numbers)-bad, len(numbers))
	if bad > 0 {
		return fmt.Errorf("%d patches were not", bad)
	}
	if lacking > 0 {
		return fmt.Errorf("%d rows of the sample have no patch", lacking)
	}
	return nil
}

// list prints the rows without a patch, and their number.
func list(rows []coverage.Result, patches []Patch) int {
	lacking := Lacking(rows, patches)
	for _, r := range lacking {
		fmt.Printf("no patch %s\t%s\n\t%s\n", r.ID, r.Text, strings.Join(r.Names(), ", "))
	}
	fmt.Printf("%d of %d rows have no patch\n", len(lacking), len(rows))
	return len(lacking)
}

// verdict is the result of a patch, or an error.
type verdict struct {
	Verdict
	err error
}
