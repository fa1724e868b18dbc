// Command coverage prints which requirement rows have a case that proves them, for each
// revision of the protocol. It exits non-zero if a row has none in a revision that must be
// complete.
//
//	go run ./conformance/cmd/coverage                      # tables by revision and by area
//	go run ./conformance/cmd/coverage -missing             # the rows that lack a case
//	go run ./conformance/cmd/coverage -revision 2025-11-25 # of one revision, with or without -missing
//	go run ./conformance/cmd/coverage -w                   # write docs/spec-coverage.md
//	go run ./conformance/cmd/coverage -sample 60           # other rows each week
//	go run ./conformance/cmd/coverage -sample 60 -seed 1
package main

//go:generate go run . -w

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

type options struct {
	missing, write bool
	revision       string
	sample         int
	seed           uint64
}

func main() {
	var opt options
	flag.BoolVar(&opt.missing, "missing", false, "list the rows that lack a case, of all revisions that are to be complete or of -revision")
	flag.BoolVar(&opt.write, "w", false, "write docs/spec-coverage.md")
	flag.StringVar(&opt.revision, "revision", "", "one revision only, which then is to be complete")
	flag.IntVar(&opt.sample, "sample", 0, "pick so many rows that have a case")
	flag.Uint64Var(&opt.seed, "seed", coverage.Week(time.Now()), "the seed of the sample; if not given, that of this week")
	flag.Parse()
	if err := run(opt); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run(opt options) error {
	shown, complete := coverage.Revisions, coverage.Complete
	if opt.revision != "" {
		if !slices.Contains(shown, opt.revision) {
			return fmt.Errorf("the catalogue knows no revision %q", opt.revision)
		}
		shown, complete = []string{opt.revision}, []string{opt.revision}
	}
	root, err := coverage.Root()
	if err != nil {
		return err
	}
	results, err := coverage.Results(root)
	if err != nil {
		return err
	}
	switch {
	case opt.sample > 0:
		fmt.Printf("seed %d\n", opt.seed)
		for _, r := range coverage.Sample(results, opt.sample, opt.seed) {
			fmt.Printf("%s\t%s\n\t%s\n", r.ID, r.Text, strings.Join(r.Names(), ", "))
		}
		return nil
	case opt.write:
		return os.WriteFile(filepath.Join(root, "docs", "spec-coverage.md"), page(results), 0o644)
	case !opt.missing:
		fmt.Print(string(summary(results, shown)))
	}
	lacking := 0
	for _, r := range results {
		lacks := r.Lacks(complete)
		if lacking += len(lacks); opt.missing && len(lacks) > 0 {
			fmt.Printf("%s\t%s\t%s\t%s\n", r.ID, strings.Join(lacks, " "), r.Text, r.Test)
		}
	}
	if lacking > 0 {
		return fmt.Errorf("%d times a row lacks a case in a revision", lacking)
	}
	return nil
}
