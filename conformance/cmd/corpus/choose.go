package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// feature is a block of statements that runs, and how often: once, some times, many times.
type feature struct {
	block string
	often int
}

// features are what a run shows.
type features map[feature]bool

func (f features) blocks() int {
	seen := map[string]bool{}
	for x := range f {
		seen[x.block] = true
	}
	return len(seen)
}

// parse reads a cover profile. A block that runs often has run once, too.
func parse(profile string) features {
	f := features{}
	for line := range strings.Lines(profile) {
		cells := strings.Fields(line)
		if len(cells) != 3 {
			continue
		}
		n, err := strconv.Atoi(cells[2])
		if err != nil {
			continue
		}
		for often := range min(3, (bits.Len(uint(n))+1)/2) {
			f[feature{cells[0], often}] = true
		}
	}
	return f
}

// input is a file of a corpus.
type input struct {
	name  string
	text  []byte
	shows features
}

// inputs reads the inputs of a folder that are not larger than size, in the order of
// their names; none if there is no folder.
func inputs(dir string, size int) (list []input, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if len(text) <= size {
			list = append(list, input{name: e.Name(), text: text})
		}
	}
	return list, nil
}

// measure runs all seeds and kept inputs of a target.
func measure(dir, work, meter, target string) (features, error) {
	profile := filepath.Join(work, "profile")
	if err := command(dir, meter, "-test.run=^"+target+"$", "-test.coverprofile="+profile); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	return parse(string(text)), err
}

// measure runs the input alone, in a folder of its own.
func (in input) measure(work, meter, target string) (features, error) {
	alone := filepath.Join(work, "alone")
	corpus := filepath.Join(alone, "testdata", "fuzz", target)
	if err := errors.Join(os.RemoveAll(alone), os.MkdirAll(corpus, 0o755), os.WriteFile(filepath.Join(corpus, in.name), in.text, 0o644)); err != nil {
		return nil, err
	}
	return measure(alone, work, meter, target+"$/^"+in.name)
}

// choose picks up to most of the inputs: each time the one that shows most of what has not
// been shown, of two that show as much the smaller one, and none that shows nothing new.
func choose(base features, list []input, most int) (chosen []input) {
	shown := maps.Clone(base)
	left := slices.Clone(list)
	gain := func(in input) (n int) {
		for f := range in.shows {
			if !shown[f] {
				n++
			}
		}
		return n
	}
	for len(chosen) < most && len(left) > 0 {
		best := slices.MaxFunc(left, func(a, b input) int {
			return cmp.Or(cmp.Compare(gain(a), gain(b)), cmp.Compare(len(b.text), len(a.text)), strings.Compare(b.name, a.name))
		})
		if gain(best) == 0 {
			return chosen
		}
		maps.Copy(shown, best.shows)
		chosen = append(chosen, best)
		left = slices.DeleteFunc(left, func(in input) bool { return in.name == best.name })
	}
	return chosen
}
