package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sansmcp/mcp/conformance/audit/trial"
)

// unfit are tests that the rewriting breaks: those of allocations, costs, sizes, quoted code and places in the source.
const unfit = "Alloc|Cost$|^TestCostOf|^TestSizes$|^TestPagesForPeople$|^TestPlantsAreFound$|^TestInvariants$"

const rapid = "pgregory.net/rapid"

// judge is the tests of a package.
type judge struct {
	*trial.Tests
	pkg  string
	lit  map[int]bool  // the mutants that could affect it
	took time.Duration // without a mutant
}

// prepare builds the tests against a copy of the module with the mutants in it, and runs
// them with none on to see that they pass and which mutants they reach.
func (mod *module) prepare(w printer, work string, chosen []*mutant, opt options) ([]*judge, error) {
	root := filepath.Join(work, "module")
	if err := mod.copyTo(root); err != nil {
		return nil, err
	}
	if err := mod.rewriteIn(root, chosen); err != nil {
		return nil, err
	}
	build := exec.Command("go", append([]string{"build"}, patterns...)...)
	build.Dir, build.Env = root, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("some mutants do not build: %w\n%s", err, out)
	}
	pkgs, err := mod.judging()
	if err != nil {
		return nil, err
	}
	pkgs = slices.DeleteFunc(pkgs, func(p listed) bool {
		if opt.by == own {
			return !slices.ContainsFunc(chosen, func(m *mutant) bool { return m.pkg() == p.Dir })
		}
		return !among(opt.by, p.Dir)
	})
	args := []string{"-test.skip=" + unfit}
	if !opt.idle {
		args = append(args, "-test.failfast")
	}
	start := time.Now()
	judges := make([]*judge, len(pkgs))
	err = trial.Each(len(pkgs), opt.parallel, func(i int) error {
		p := pkgs[i]
		tests, err := trial.Build(filepath.Join(root, p.Dir), filepath.Join(work, fmt.Sprintf("%d.test", i)), slices.Contains(p.Deps, rapid),
			nil, args)
		judges[i] = &judge{Tests: tests, pkg: p.Dir}
		return err
	})
	if err != nil {
		return nil, err
	}
	w.printf("built the tests of %d packages in %v\n", len(judges), time.Since(start).Round(time.Second))
	bad := make([]error, len(judges))
	err = trial.Each(len(judges), opt.parallel, func(i int) (err error) {
		j, list := judges[i], filepath.Join(work, fmt.Sprintf("%d.list", i))
		for range 2 { // a single failure may come from load on the machine
			var v verdict
			var out string
			start := time.Now()
			// A number without a mutant: the switch is as active as in the real runs.
			v, out, err = j.run(fmt.Sprintf("%d,%s", len(chosen)+1, list), 5*time.Minute)
			if j.took = time.Since(start); err != nil {
				return err
			}
			if bad[i] = nil; v == survived || opt.idle { // a test that fails with all mutants compiled in still reaches them
				break
			}
			bad[i] = fmt.Errorf("%s fails without a mutant:\n%s", j.pkg, out)
		}
		j.lit, err = readList(list)
		return err
	})
	if err = errors.Join(append(bad, err)...); err != nil {
		return nil, err
	}
	for _, m := range chosen {
		if opt.by == own {
			for _, j := range judges {
				j.lit[m.n] = j.lit[m.n] && j.pkg == m.pkg()
			}
		}
		m.idle = !slices.ContainsFunc(judges, func(j *judge) bool { return j.lit[m.n] })
	}
	return judges, nil
}

// readList reads the numbers that the switch wrote. A missing file means none.
func readList(name string) (map[int]bool, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list := map[int]bool{}
	for word := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		list[n] = true
	}
	return list, nil
}

// rewriteIn puts the mutants into the copy of the module.
func (mod *module) rewriteIn(root string, chosen []*mutant) error {
	dir := filepath.Join(root, filepath.FromSlash(switchPath))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, switchName+".go"), []byte(switchSource), 0o644); err != nil {
		return err
	}
	byFile := map[string][]*mutant{}
	for _, m := range chosen {
		byFile[m.file] = append(byFile[m.file], m)
	}
	for _, t := range mod.targets {
		for _, f := range t.files {
			name, err := filepath.Rel(mod.dir, t.fset.File(f.Pos()).Name())
			if err != nil {
				return err
			}
			list := byFile[filepath.ToSlash(name)]
			if list == nil {
				continue
			}
			text := rewrite(t.text[f], t.fset.Position(f.Name.End()).Offset, mod.path, list)
			if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs the tests with the switch set to value.
func (j *judge) run(value string, deadline time.Duration) (verdict, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	code, out, err := j.Run(ctx, switchEnv, value)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return hung, out, nil
	case err != nil:
		return survived, "", err
	case code != 0:
		return killed, out, nil
	}
	return survived, out, nil
}

// patience is how long the tests may take with a mutant before it counts as hung.
func (j *judge) patience() time.Duration { return 10*time.Second + 10*j.took }

// try runs the judges against each mutant until one fails, and records the verdicts. It
// prints a survivor at once, because an interrupted run has no report. It runs in the order
// of the ids, which spreads the slow ones.
func try(w printer, chosen []*mutant, judges []*judge, opt options) error {
	list := slices.SortedFunc(slices.Values(chosen), func(a, b *mutant) int { return strings.Compare(a.id, b.id) })
	c := court{judges: judges, record: map[[2]string]history{}}
	start, last, done, left := time.Now(), time.Now(), 0, 0
	err := trial.Each(len(list), opt.parallel, func(i int) error {
		m := list[i]
		begun, able := time.Now(), c.order(m)
		for i, j := range able {
			start := time.Now()
			if opt.budget > 0 && start.Sub(begun) >= opt.budget {
				m.untried = len(able) - i
				break
			}
			v, _, err := j.run(strconv.Itoa(m.n), j.patience())
			if err != nil {
				return err
			}
			c.note(m, j, v, time.Since(start))
			if m.verdict = v; v != survived {
				m.by = j.pkg
				break
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if done++; m.verdict == survived {
			left++
		}
		if opt.verbose || m.verdict == survived {
			w.printf("%v %s: %v\n", m.verdict, m.by, m)
		}
		if time.Since(last) > time.Minute {
			last = time.Now()
			w.printf("%d of %d after %v, %d survived\n", done, len(list), time.Since(start).Round(time.Second), left)
		}
		return nil
	})
	w.printf("ran %d mutants in %v\n", len(list), time.Since(start).Round(time.Second))
	return err
}

// court knows which judges kill fastest. The order changes only the duration of a
// run.
type court struct {
	judges []*judge
	mu     sync.Mutex
	record map[[2]string]history // by file and package of the judge
}

// history is the record of a judge with the mutants of one file.
type history struct {
	killed int
	spent  time.Duration
}

func (c *court) note(m *mutant, j *judge, v verdict, spent time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.record[[2]string{m.file, j.pkg}]
	if h.spent += spent; v != survived {
		h.killed++
	}
	c.record[[2]string{m.file, j.pkg}] = h
}

// order returns the judges that the mutant could affect, those with the most kills for their
// time first. The tests of its own package start with a
// lead.
func (c *court) order(m *mutant) []*judge {
	c.mu.Lock()
	defer c.mu.Unlock()
	worth := func(j *judge) float64 {
		h := c.record[[2]string{m.file, j.pkg}]
		lead := 0.3
		if j.pkg == m.pkg() {
			lead = 3
		}
		return (float64(h.killed) + lead) / (h.spent + j.took).Seconds()
	}
	able := slices.DeleteFunc(slices.Clone(c.judges), func(j *judge) bool { return !j.lit[m.n] })
	slices.SortFunc(able, func(a, b *judge) int { return cmp.Compare(worth(b), worth(a)) })
	return able
}

// show runs one mutant and prints the output of the tests.
func show(w printer, m *mutant, judges []*judge) error {
	w.printf("%v\n", m)
	for _, j := range judges {
		if !j.lit[m.n] {
			continue
		}
		v, out, err := j.run(strconv.Itoa(m.n), j.patience())
		switch {
		case err != nil:
			return err
		case v == hung:
			w.printf("killed by the deadline in %s\n%s", j.pkg, out)
			return nil
		case v == killed:
			w.printf("killed by %s\n%s", j.pkg, out)
			return nil
		}
		w.printf("survived %s\n", j.pkg)
	}
	return errors.New("survived")
}
