package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/audit/coverage"
	"github.com/sansmcp/mcp/conformance/audit/trial"
	"github.com/sansmcp/mcp/conformance/transcript"
)

// Suite is all tests with the id of a row, compiled with an overlay.
type Suite struct {
	root        string
	packages    []pack
	transcripts map[string][]string // the rows of each transcript, by its name without .txt
	http        map[string]bool     // whether they run over HTTP
}

// pack is the tests of one package.
type pack struct {
	*trial.Tests
	dir  string              // relative to the root
	rows map[string][]string // of each test; none for the test that runs transcripts
}

// transcripts is the package that runs the transcripts: in memory, and those with
// wire over HTTP.
const transcripts, transcriptTest, overHTTP = "conformance/transcript", "TestTranscripts", "TestOverHTTP"

// Build compiles the tests.
func Build(root, dir, overlay string) (*Suite, error) {
	cases, err := coverage.Cases(root)
	if err != nil {
		return nil, err
	}
	files, err := transcript.All()
	if err != nil {
		return nil, err
	}
	s := &Suite{root: root, transcripts: map[string][]string{}, http: map[string]bool{}}
	for _, f := range files {
		s.http[strings.TrimSuffix(strings.TrimPrefix(f.Path, "testdata/"), ".txt")] = f.HTTP
	}
	tests := map[string]map[string][]string{transcripts: {transcriptTest: nil, overHTTP: nil}}
	for _, row := range slices.Sorted(maps.Keys(cases)) {
		for _, c := range cases[row] {
			file, test, ok := strings.Cut(c.Name, " ")
			if !ok {
				name := strings.TrimSuffix(file, ".txt")
				s.transcripts[name] = append(s.transcripts[name], row)
				continue
			}
			in := path.Dir(file)
			if tests[in] == nil {
				tests[in] = map[string][]string{}
			}
			tests[in][test] = append(tests[in][test], row)
		}
	}
	for _, in := range slices.Sorted(maps.Keys(tests)) {
		rapid, err := usesRapid(filepath.Join(root, in))
		if err != nil {
			return nil, err
		}
		p := pack{dir: in, rows: tests[in]}
		p.Tests, err = trial.Build(filepath.Join(root, in), filepath.Join(dir, strings.ReplaceAll(in, "/", "_")+".test"), rapid,
			[]string{"-vet=off", "-overlay", overlay},
			[]string{"-test.timeout=2m", "-test.run=^(" + strings.Join(slices.Sorted(maps.Keys(p.rows)), "|") + ")$"})
		if err != nil {
			return nil, err
		}
		s.packages = append(s.packages, p)
	}
	return s, nil
}

func usesRapid(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, e := os.ReadFile(file)
		if err = errors.Join(err, e); strings.Contains(string(text), `"pgregory.net/rapid"`) {
			return true, err
		}
	}
	return false, err
}

// Failure is a case that failed.
type Failure struct {
	Case string   // a transcript, or the folder of a package and a test of it
	Rows []string // its rows
	// Whole reports that the case goes through a transport and all code below it.
	Whole bool
}

// Run runs all tests with the patch of a number, 0 for none, and returns the failed
// cases. The error is for a run that does not finish.
func (s *Suite) Run(ctx context.Context, number int) ([]Failure, error) {
	var list []Failure
	for _, p := range s.packages {
		code, out, err := p.Run(ctx, trial.Variable, strconv.Itoa(number))
		switch {
		case err != nil:
			return list, fmt.Errorf("the tests of %s: %w", p.dir, err)
		case code == 0:
			continue
		case code != 1:
			return list, fmt.Errorf("the tests of %s do not end: exit code %d\n%.3000s", p.dir, code, out)
		}
		list = append(list, s.failures(&p, out)...)
	}
	return list, nil
}

var (
	failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	rowID  = regexp.MustCompile(`[A-Z]+-[0-9]{3}`)
)

// failures reads which tests failed. Of a test with subtests only the failed subtests
// count.
func (s *Suite) failures(p *pack, out string) []Failure {
	var names []string
	for _, m := range failed.FindAllStringSubmatch(out, -1) {
		names = append(names, m[1])
	}
	var list []Failure
	for _, name := range names {
		if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name+"/") }) {
			continue
		}
		f := s.bears(p, name)
		if len(f.Rows) == 0 || slices.ContainsFunc(list, func(o Failure) bool { return o.Case == f.Case }) {
			continue
		}
		list = append(list, f)
	}
	return list
}

// bears returns the case of a failed test with its rows: those of the transcript, of
// the name of a subtest, or of the comment.
func (s *Suite) bears(p *pack, name string) Failure {
	steps := strings.Split(name, "/")
	if p.dir == transcripts && (steps[0] == transcriptTest || steps[0] == overHTTP) {
		file := strings.Join(steps[1:min(3, len(steps))], "/")
		f := Failure{Case: file, Rows: s.transcripts[file], Whole: s.http[file]}
		if steps[0] == overHTTP {
			f.Case += " over HTTP"
		}
		return f
	}
	rows := p.rows[steps[0]]
	for _, step := range steps[1:] {
		ids := rowID.FindAllString(step, -1)
		switch {
		case step == "other": // see cases.Findings
			return Failure{}
		case len(ids) > 0 && strings.HasPrefix(step, ids[0]):
			return Failure{p.dir + " " + steps[0] + "/" + strings.Join(ids, "_"), ids, carries(p.dir)}
		}
	}
	return Failure{p.dir + " " + steps[0], rows, carries(p.dir)}
}
