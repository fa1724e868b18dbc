// Command corpus keeps inputs for the fuzz targets in fuzz/testdata/fuzz, from which every
// run starts and which plain go test tries too.
//
//	go run ./conformance/cmd/corpus                            # half a minute for each target
//	go run ./conformance/cmd/corpus -time 5m -target FuzzServer
//
// It fuzzes each target for a while, beginning with what is kept already, and measures
// which statements of the product packages each input that was found runs, and roughly how
// often. Of these it adds, greedily, the inputs that show most of what neither the seeds
// nor the kept inputs show, until -max are kept. What is kept is never taken away: it may
// have failed once. To choose anew, delete the files first.
//
// An input that fails ends the command; the file is left where go test -fuzz leaves it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
)

// product are the packages whose statements count.
const product = "./jsonrpc/...,./protocol/...,./lifecycle/...,./server/...,./client/..."

// options are the flags.
type options struct {
	time, target string
	max, size    int
}

func main() {
	var opt options
	flag.StringVar(&opt.time, "time", "30s", "how long to fuzz each target")
	flag.StringVar(&opt.target, "target", "", "this target alone")
	flag.IntVar(&opt.max, "max", 100, "how many inputs to keep for a target")
	flag.IntVar(&opt.size, "size", 4096, "the largest input to keep, in bytes")
	flag.Parse()
	if err := run(opt); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(opt options) error {
	root, err := coverage.Root()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sansmcp-corpus-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	fuzzer, meter := filepath.Join(work, "fuzz.test"), filepath.Join(work, "cover.test")
	if err := command(root, "go", "test", "-c", "-fuzz=Fuzz", "-o", fuzzer, "./fuzz"); err != nil {
		return err
	}
	if err := command(root, "go", "test", "-c", "-covermode=count", "-coverpkg="+product, "-o", meter, "./fuzz"); err != nil {
		return err
	}
	dir := filepath.Join(root, "fuzz")
	targets, err := targetsIn(dir)
	if err != nil {
		return err
	}
	for _, target := range targets {
		if opt.target != "" && opt.target != target {
			continue
		}
		if err := keep(dir, work, fuzzer, meter, target, opt); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	return nil
}

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targetsIn returns the fuzz targets of a package.
func targetsIn(dir string) (list []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			list = append(list, string(m[1]))
		}
	}
	slices.Sort(list)
	return list, nil
}

// keep fuzzes a target and adds inputs to those that are kept for it.
func keep(dir, work, fuzzer, meter, target string, opt options) error {
	kept := filepath.Join(dir, "testdata", "fuzz", target)
	cache := filepath.Join(work, "cache")
	if err := command(dir, fuzzer, "-test.run=^$", "-test.fuzz=^"+target+"$", "-test.fuzztime="+opt.time,
		"-test.fuzzminimizetime=5x", "-test.fuzzcachedir="+cache); err != nil {
		return err
	}
	base, err := measure(dir, work, meter, target)
	if err != nil {
		return err
	}
	there, err := inputs(kept, 1<<30)
	if err != nil {
		return err
	}
	found, err := inputs(filepath.Join(cache, target), opt.size)
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].shows, err = found[i].measure(work, meter, target); err != nil {
			return err
		}
	}
	chosen := choose(base, found, opt.max-len(there))
	if err := os.MkdirAll(kept, 0o755); err != nil {
		return err
	}
	size := 0
	for _, in := range slices.Concat(there, chosen) {
		size += len(in.text)
		if err := os.WriteFile(filepath.Join(kept, in.name), in.text, 0o644); err != nil {
			return err
		}
	}
	after, err := measure(dir, work, meter, target)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %4d found, %3d of them added, %3d kept, %6d bytes; %d statement blocks before and %d after\n",
		target, len(found), len(chosen), len(there)+len(chosen), size, base.blocks(), after.blocks())
	return nil
}

// command runs a command and returns what it printed if it fails.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{filepath.Base(name)}, args...), " "), err, out.Bytes())
	}
	return nil
}
