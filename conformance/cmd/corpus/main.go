// Command corpus keeps inputs for the fuzz targets in fuzz/testdata/fuzz, from which every
// run starts and which plain go test also runs.
//
//	go run ./conformance/cmd/corpus                            # half a minute for each target
//	go run ./conformance/cmd/corpus -time 5m -target FuzzServer
//
// It fuzzes each target for a while, starting with the kept inputs, and measures
// which statements of the product packages each new input runs. Of these it
// adds, smallest first, those that run a statement that neither the seeds nor the kept inputs
// run, until -max are kept. It never removes kept inputs, because they may have failed once. To
// choose again, delete the files first.
//
// An input that fails ends the command; the file is left where go test -fuzz leaves it.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
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
	m := meter{work, filepath.Join(work, "cover.test")}
	fuzzer := filepath.Join(work, "fuzz.test")
	if err := command(root, "go", "test", "-c", "-fuzz=Fuzz", "-o", fuzzer, "./fuzz"); err != nil {
		return err
	}
	if err := command(root, "go", "test", "-c", "-covermode=set", "-coverpkg="+product, "-o", m.program, "./fuzz"); err != nil {
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
		if err := keep(dir, fuzzer, m, target, opt); err != nil {
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

// keep fuzzes a target and adds inputs to the kept ones.
func keep(dir, fuzzer string, m meter, target string, opt options) error {
	kept, cache := filepath.Join(dir, "testdata", "fuzz", target), filepath.Join(m.work, "cache")
	if err := command(dir, fuzzer, "-test.run=^$", "-test.fuzz=^"+target+"$", "-test.fuzztime="+opt.time,
		"-test.fuzzminimizetime=5x", "-test.fuzzcachedir="+cache); err != nil {
		return err
	}
	shown, err := m.blocks(dir, target)
	if err != nil {
		return err
	}
	there, err := inputs(kept)
	if err != nil {
		return err
	}
	found, err := inputs(filepath.Join(cache, target))
	if err != nil {
		return err
	}
	before, added := len(shown), 0
	for _, in := range found {
		if len(in.text) > opt.size || len(there)+added == opt.max {
			break
		}
		blocks, err := m.alone(target, in)
		if err != nil {
			return err
		}
		was := len(shown)
		if maps.Copy(shown, blocks); len(shown) == was {
			continue
		}
		added++
		if err := errors.Join(os.MkdirAll(kept, 0o755), os.WriteFile(filepath.Join(kept, in.name), in.text, 0o644)); err != nil {
			return err
		}
	}
	fmt.Printf("%-14s %4d found, %3d of them added, %3d kept; %d statement blocks before and %d after\n",
		target, len(found), added, len(there)+added, before, len(shown))
	return nil
}

// input is a file of a corpus.
type input struct {
	name string
	text []byte
}

// inputs reads the inputs of a folder, the smallest first; none if there is no folder.
func inputs(dir string) (list []input, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range paths {
		text, e := os.ReadFile(path)
		err = errors.Join(err, e)
		list = append(list, input{filepath.Base(path), text})
	}
	slices.SortStableFunc(list, func(a, b input) int { return len(a.text) - len(b.text) })
	return list, err
}

// meter is the measuring program, with a folder for its output.
type meter struct{ work, program string }

// blocks returns the blocks of statements that all seeds and inputs of a target run.
func (m meter) blocks(dir, target string) (map[string]bool, error) {
	profile := filepath.Join(m.work, "profile")
	if err := command(dir, m.program, "-test.run=^"+target+"$", "-test.coverprofile="+profile); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	blocks := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Fields(line); len(cells) == 3 && cells[2] == "1" {
			blocks[cells[0]] = true
		}
	}
	return blocks, err
}

// alone returns the blocks of one input, in its own folder.
func (m meter) alone(target string, in input) (map[string]bool, error) {
	alone := filepath.Join(m.work, "alone")
	corpus := filepath.Join(alone, "testdata", "fuzz", target)
	if err := errors.Join(os.RemoveAll(alone), os.MkdirAll(corpus, 0o755), os.WriteFile(filepath.Join(corpus, in.name), in.text, 0o644)); err != nil {
		return nil, err
	}
	return m.blocks(alone, target+"$/^"+in.name)
}

// command runs a command and returns its output if it fails.
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
