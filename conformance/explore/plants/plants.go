// Package plants inserts faults into the product, one at a time, and checks whether the exploration finds them:
// see docs/proof.md.
package plants

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/trial"
)

// A Plant is a fault to insert into the product: in one function, old text and new.
type Plant struct {
	Scope string // where it is found
	Steps int    // of the shortest trace
	File  string // in the module
	Says  string // part of what is reported
	Old   string // occurs once in the file
	New   string // replaces Old
}

// Name returns the name of the plant in errors.
func (p Plant) Name() string { return p.File + ", " + p.Scope }

// Files returns the file of the plant.
func (p Plant) Files() []string { return []string{p.File} }

// Apply returns the text of the file with the plant.
func (p Plant) Apply(_, text string) (string, error) {
	if n := strings.Count(text, p.Old); n != 1 || p.Old == "" {
		return "", fmt.Errorf("plants: %s: %d places read\n%s", p.Name(), n, p.Old)
	}
	return strings.Replace(text, p.Old, p.New, 1), nil
}

// Head returns the first line of the plant in a file of plants.
func (p Plant) Head() string {
	return fmt.Sprintf("@ %s %d %s: %s\n", p.Scope, p.Steps, p.File, p.Says)
}

// Read reads plants: a line "@ SCOPE STEPS FILE: SAYS", then the lines of the old text after "-", then those of the
// new text after "+". It ignores empty lines and those after "#".
func Read(text string) (list []Plant, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		var p Plant
		switch _, err := fmt.Sscanf(line, "@ %s %d %s", &p.Scope, &p.Steps, &p.File); {
		case err == nil:
			_, p.Says, _ = strings.Cut(line, ": ")
			p.File = strings.TrimSuffix(p.File, ":")
			list = append(list, p)
		case line[0] == '-' && len(list) > 0:
			list[len(list)-1].Old += line[1:] + "\n"
		case line[0] == '+' && len(list) > 0:
			list[len(list)-1].New += line[1:] + "\n"
		default:
			return nil, fmt.Errorf("plants: line %d, %q: want \"@ SCOPE STEPS FILE: WORDS\", then lines of the old text after \"-\" and of the new after \"+\"", n+1, line)
		}
	}
	return list, nil
}

// Build builds the command explore with all plants in it into dir. root is the folder of the module.
func Build(root, dir string, list []Plant) (program string, err error) {
	overlay, err := trial.Overlay(root, dir, list)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "explore")
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", program, "./conformance/explore/cmd/explore")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("plants: %w\n%s", err, out)
	}
	return program, nil
}

// A Find is a fault that a scope reports.
type Find struct {
	What  string // is violated
	Scope string // where
	Steps int    // of the shortest trace
	Trace string // the shortest way there
}

var reported = regexp.MustCompile(`(?m)^FAULT (.*), \d+ times; (\d+) steps: -world (\S+) -replay '(.*)'$`)

// Look runs a program of Build with a plant, by its number from 1, and returns what it finds and all its output.
func Look(program string, number int, args ...string) (list []Find, out string) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", trial.Variable, number))
	text, _ := cmd.CombinedOutput() // the output tells
	for _, m := range reported.FindAllStringSubmatch(string(text), -1) {
		steps, _ := strconv.Atoi(m[2])
		list = append(list, Find{m[1], m[3], steps, m[4]})
	}
	return list, string(text)
}
