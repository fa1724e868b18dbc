package worlds_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/audit/trial"
)

// plant is a fault to be put into the product: in one function, old text and new.
type plant struct {
	scope string // where it is found
	steps int    // of the shortest trace
	file  string // in the module
	says  string // part of what is reported
	old   string // in one place of the file
	new   string // what takes its place
}

// Name returns where the plant is.
func (p plant) Name() string { return p.file + ", " + p.scope }

// Files returns the file of the plant.
func (p plant) Files() []string { return []string{p.file} }

// Apply returns the text of the file with the plant in it.
func (p plant) Apply(_, text string) (string, error) {
	if n := strings.Count(text, p.old); n != 1 || p.old == "" {
		return "", fmt.Errorf("%s: %d places read\n%s", p.Name(), n, p.old)
	}
	return strings.Replace(text, p.old, p.new, 1), nil
}

// head is the line with which the plant begins in a file of plants.
func (p plant) head() string {
	return fmt.Sprintf("@ %s %d %s: %s\n", p.scope, p.steps, p.file, p.says)
}

// readPlants reads plants: a line "@ SCOPE STEPS FILE: SAYS", then the lines of the old text after
// "-", then those of the new after "+".
func readPlants(t *testing.T, text string) (list []plant) {
	t.Helper()
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		var p plant
		switch _, err := fmt.Sscanf(line, "@ %s %d %s", &p.scope, &p.steps, &p.file); {
		case err == nil:
			_, p.says, _ = strings.Cut(line, ": ")
			p.file = strings.TrimSuffix(p.file, ":")
			list = append(list, p)
		case line[0] == '-' && len(list) > 0:
			list[len(list)-1].old += line[1:] + "\n"
		case line[0] == '+' && len(list) > 0:
			list[len(list)-1].new += line[1:] + "\n"
		default:
			t.Fatalf("line %d of the plants: %q", n+1, line)
		}
	}
	return list
}

// TestPlants puts the plants into the product and looks for each, with -plants. Without, it only
// looks whether they still fit.
func TestPlants(t *testing.T) {
	text, err := os.ReadFile("testdata/plants.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := readPlants(t, string(text))
	root, err := coverage.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay, err := trial.Overlay(root, dir, list)
	if err != nil {
		t.Fatal(err)
	}
	if !*plants {
		return
	}
	program := filepath.Join(dir, "explore")
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "../cmd/explore").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, p := range list {
		if !strings.HasPrefix(p.scope, *in) {
			continue
		}
		cmd := exec.Command(program, "-stop", "-world", p.scope)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", trial.Variable, i+1))
		out, _ := cmd.Output() // what it prints is looked at
		found := regexp.MustCompile(`FAULT .*` + regexp.QuoteMeta(p.says) + `.*; (\d+) steps: `).FindStringSubmatch(string(out))
		switch {
		case found == nil:
			t.Errorf("plant %d, %s, in %s: want %q in %d steps; got %s", i+1, p.file, p.scope, p.says, p.steps, out)
		case found[1] != fmt.Sprint(p.steps):
			t.Errorf("plant %d, %s, in %s: %s steps, pinned are %d", i+1, p.file, p.scope, found[1], p.steps)
			was := p.head()
			_, _ = fmt.Sscan(found[1], &p.steps)
			text = []byte(strings.Replace(string(text), was, p.head(), 1))
		}
	}
	if *update {
		if err := os.WriteFile("testdata/plants.txt", text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
