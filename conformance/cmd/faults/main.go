// Command faults breaks the rows of a sample, one at a time, by the patches in
// conformance/faults, and sees which cases fail: a case that bears the row has to, and no
// case may that bears neither it nor a row which the patch names as dependent. It exits
// non-zero if one of them does not hold.
//
//	go run ./conformance/cmd/faults                # all of them
//	go run ./conformance/cmd/faults -only TIME-008
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
	"sync/atomic"

	"github.com/sansmcp/mcp/conformance/coverage"
	"github.com/sansmcp/mcp/conformance/faults"
)

func main() {
	only := flag.String("only", "", "these rows, separated by commas")
	jobs := flag.Int("j", runtime.GOMAXPROCS(0), "so many at a time")
	flag.Parse()
	if err := run(*only, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(only string, jobs int) error {
	root, err := coverage.Root()
	if err != nil {
		return err
	}
	patches, err := faults.Read(filepath.Join(root, "conformance", "faults"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sansmcp-faults-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := faults.Overlay(root, dir, patches)
	if err != nil {
		return err
	}
	suite, err := faults.Build(root, dir, overlay)
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
		if only == "" || strings.Contains(","+only+",", ","+p.Row+",") {
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
	var next atomic.Int64
	for range min(max(jobs, 1), len(numbers)) {
		go func() {
			for i := int(next.Add(1)) - 1; i < len(numbers); i = int(next.Add(1)) - 1 {
				failures, err := suite.Run(context.Background(), numbers[i]+1)
				verdicts[i] <- verdict{patches[numbers[i]].Judge(failures), err}
			}
		}()
	}
	bad := 0
	for i, number := range numbers { // in order, whoever is done first
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
	return nil
}

// verdict is what came of a patch, or why nothing did.
type verdict struct {
	faults.Verdict
	err error
}
