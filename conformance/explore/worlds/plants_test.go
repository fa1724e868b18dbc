package worlds_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/audit/trial"
	"github.com/sansmcp/mcp/conformance/explore/plants"
)

// readPlants reads testdata/plants.txt.
func readPlants(t *testing.T) (list []plants.Plant, text string) {
	t.Helper()
	b, err := os.ReadFile("testdata/plants.txt")
	if err != nil {
		t.Fatal(err)
	}
	if list, err = plants.Read(string(b)); err != nil {
		t.Fatal(err)
	}
	return list, string(b)
}

// TestPlantsAreFound inserts the plants into the product and searches for each, with -plants: the fault of its line must be among the first
// violations. Without -plants, it only checks that they still fit.
func TestPlantsAreFound(t *testing.T) {
	list, text := readPlants(t)
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if !*planted {
		if _, err := trial.Overlay(root, dir, list); err != nil {
			t.Fatal(err)
		}
		return
	}
	program, err := plants.Build(root, dir, list)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		if !strings.HasPrefix(p.Scope, *in) {
			continue
		}
		finds, out := plants.Look(program, i+1, "-stop", "-time", "60s", "-world", p.Scope)
		steps, least := 0, slices.MinFunc(append(finds, plants.Find{Steps: 1 << 30}), func(a, b plants.Find) int { return a.Steps - b.Steps })
		for _, f := range finds {
			if strings.Contains(f.What, p.Says) && f.Steps == least.Steps {
				steps = f.Steps
			}
		}
		switch {
		case steps == 0:
			t.Errorf("plant %d, %s, in %s: want %q in %d steps; got %s", i+1, p.File, p.Scope, p.Says, p.Steps, out)
		case steps != p.Steps:
			t.Errorf("plant %d, %s, in %s: %d steps, pinned are %d", i+1, p.File, p.Scope, steps, p.Steps)
			was := p.Head()
			p.Steps = steps
			text = strings.Replace(text, was, p.Head(), 1)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/plants.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fails finds the invariants in the source: the texts of Fail and of its callers, except those that pass an
// error on.
var fails = regexp.MustCompile(`\b(?:r\.Fail|fail)\("((?:[^"\\]|\\.)*)"(.*)`)

// TestInvariants checks that each invariant is the first that some plant violates, in a scope of its world: otherwise
// another one always finds its faults. testdata/invariants.txt says how many plants each has.
func TestInvariants(t *testing.T) {
	list, _ := readPlants(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	verb, counts := regexp.MustCompile(`%[a-z]`), map[string]int{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		world, _, _ := strings.Cut(strings.TrimSuffix(name, ".go"), "_")
		if name == "manager_steps.go" || name == "stateless.go" { // other worlds have these too
			world = ""
		}
		for _, m := range fails.FindAllStringSubmatch(string(text), -1) {
			if strings.HasSuffix(m[2], "err)") || strings.HasSuffix(m[2], "err2))") || m[1] == "%s: %s" {
				continue
			}
			line := name + ": " + m[1]
			counts[line] = 0
			for _, p := range list {
				if strings.HasPrefix(p.Scope, world) && slices.ContainsFunc(verb.Split(m[1], -1), func(part string) bool {
					part = strings.Trim(part, ": ")
					return part != "" && (strings.Contains(part, p.Says) || strings.Contains(p.Says, part))
				}) {
					counts[line]++
				}
			}
			if counts[line] == 0 {
				t.Errorf("no plant breaks it first: %s", line)
			}
		}
	}
	table := ""
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		table += fmt.Sprintf("%d %s\n", counts[line], line)
	}
	golden(t, "invariants.txt", table)
}

// An invalid plant is reported with its line.
func TestReadPlants(t *testing.T) {
	for _, text := range []string{"-old\n", "@ pair/call FILE: x\n", "@ pair/call 1 a.go: x\nold\n"} {
		if _, err := plants.Read(text); err == nil || !strings.Contains(err.Error(), fmt.Sprint("line ", strings.Count(text, "\n"))) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
