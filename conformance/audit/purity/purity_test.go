package purity_test

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/conformance/audit/purity"
)

// wanted reads the expected findings of the files below dir, from comments of
// the form "want rule rule", as "file:line rule".
func wanted(t *testing.T, dir string) []string {
	t.Helper()
	var want []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			_, rules, _ := strings.Cut(lines.Text(), "// want ")
			for _, rule := range strings.Fields(rules) {
				want = append(want, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), n, rule))
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func found(fs []purity.Finding) []string {
	var got []string
	for _, f := range fs {
		got = append(got, fmt.Sprintf("%s:%d %s", f.Pos.Filename, f.Pos.Line, f.Rule))
	}
	return got
}

func TestOffendersAreFound(t *testing.T) {
	const dir = "testdata/bad"
	rules := purity.Default()
	rules.Packages = []string{"./..."}
	rules.Skip = []string{"skipped"}
	rules.Drivers = []string{"driver"}
	rules.Standard = map[string][]string{
		".":       {"cmp", "context", "errors", "fmt", "maps", "slices", "strings", "time"},
		"allowed": {"reflect", "slices", "strings"},
	}
	const revision = "github.com/sansmcp/mcp/conformance/audit/purity/testdata/bad/revision."
	rules.Unordered = []string{revision + "Revision", revision + "Flag"}
	findings, err := purity.Check(dir, rules)
	if err != nil {
		t.Fatal(err)
	}
	want := append(wanted(t, dir),
		"broken:0 load", // go list says so too
		"build/build.go:8 directive",
		"driver/driver.go:30 directive",
		"build/empty.s:0 build",
		"build/other.go:0 build",
	)
	got := found(findings)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
		for _, f := range findings {
			t.Log(f)
		}
	}
}

func TestArrows(t *testing.T) {
	findings, err := purity.Check("testdata/arrow", purity.Rules{Layers: []purity.Layer{
		{Dir: "low"},
		{Dir: "high", Imports: []string{"low"}},
		{Dir: "side", Imports: []string{"low"}},
		{Dir: "high/joint", Imports: []string{"low", "high", "side"}},
		{Dir: "low/driver", Imports: []string{"low"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
	}
	want := []string{
		"high: arrow: high may not import low/driver",
		"low: arrow: low may not import high",
		"side: arrow: side may not import high",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A rule about something that does not exist checks nothing, so it is itself a finding.
func TestRulesThatNameNothing(t *testing.T) {
	const module = "github.com/sansmcp/mcp/conformance/audit/purity/testdata/bad/"
	rules := purity.Default()
	rules.Packages = []string{"./revision", "./skipped/deep"}
	rules.Skip = []string{"skipped", "skip"}
	rules.Drivers = []string{"driver", "diver"}
	rules.Standard = map[string][]string{".": nil, "skipped/deep": nil, "revision/old": nil}
	rules.Layers = []purity.Layer{{Dir: "revision", Imports: []string{"skipped", "later"}}, {Dir: "skipped"}, {Dir: "gone"}}
	rules.Unordered = []string{module + "revision.Revision", module + "revision.Version", module + "order.june", "Revision"}
	findings, err := purity.Check("testdata/bad", rules)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
	}
	want := []string{
		"Revision: rules: Unordered names a type of a package that is not checked",
		"diver: rules: Drivers names a directory without a package",
		module + "order.june: rules: Unordered names a type of a package that is not checked",
		module + "revision.Version: rules: Unordered names a type that is not there",
		"gone: rules: Layers names a directory without a package",
		"revision: rules: Layers lets it import later, which is no layer",
		"revision/old: rules: Standard names a directory without a package",
		"skip: rules: Skip names a directory without a package",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestNoDirectory(t *testing.T) {
	rules := purity.Default()
	rules.Packages = []string{"./..."}
	if _, err := purity.Check("testdata/none", rules); err == nil {
		t.Error("Check of a directory that is not there gave no error")
	}
}
