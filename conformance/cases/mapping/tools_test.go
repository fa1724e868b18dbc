package mapping_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wantedOfTools are the rows that the page about tools has to have, in this order.
var wantedOfTools = []string{
	"D14", "D28", "D29", "D30", "D31", "D32", "D33", "D34",
	"D17", "D18", "D19", "D20", "D21", "D22", "D23", "D24", "D25", "D26",
	"D35", "D36", "D37", "A16", "A17", "A18", "A19", "D16",
}

// checkTools returns what is wrong with the page about tools: rows that are missing or prove
// nothing, names of nothing, tests that do not exist or do not name the row, code that stands nowhere.
func (r *tree) checkTools(text string) (faults []string) {
	known := r.identifiers("protocol/schema", "protocol/schema/build", "protocol/schema/provider", "protocol/toolerror", "server")
	row := regexp.MustCompile(`^[AD][0-9]+$`)
	var names []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(cells[0])
		if !row.MatchString(name) {
			continue
		}
		names = append(names, name)
		if len(cells) != 4 {
			faults = append(faults, fmt.Sprintf("%s has %d cells", name, len(cells)))
			continue
		}
		named := 0
		for _, m := range span.FindAllStringSubmatch(cells[2], -1) {
			named++
			if !known[m[1]] {
				faults = append(faults, name+": there is no "+m[1])
			}
		}
		cases, says := span.FindAllStringSubmatch(cells[3], -1), false
		for _, m := range cases {
			dir, test, _ := strings.Cut(m[1], " ")
			if !r.hasTest(dir, test) {
				faults = append(faults, name+": there is no case "+m[1])
			}
			says = says || r.testNames(dir, test, name)
		}
		if named == 0 || len(cases) == 0 {
			faults = append(faults, name+": names nothing")
		}
		if !says {
			faults = append(faults, name+": no test says that it is about it")
		}
	}
	if !slices.Equal(names, wantedOfTools) {
		faults = append(faults, fmt.Sprintf("the rows are %v", names))
	}
	for _, q := range quoted.FindAllStringSubmatch(text, -1) {
		if source, err := os.ReadFile(r.at(q[1])); err != nil || !strings.Contains(plain(string(source)), plain(q[2])) {
			faults = append(faults, fmt.Sprintf("%s does not have %q", q[1], q[2]))
		}
	}
	return faults
}

// testNames reports whether the comment of a test has the name of a row.
func (r *tree) testNames(dir, test, row string) bool {
	list, _ := os.ReadDir(r.at(dir))
	comment := regexp.MustCompile(`(?m)((?:^//.*\n)+)func ` + regexp.QuoteMeta(test) + `\(`)
	name := regexp.MustCompile(`\b` + row + `\b`)
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := os.ReadFile(r.at(dir + "/" + e.Name()))
		if err != nil {
			r.t.Fatal(err)
		}
		if m := comment.FindSubmatch(source); m != nil && name.Match(m[1]) {
			return true
		}
	}
	return false
}

// What the page about tools names is there, and each row has a test that says so.
func TestPageOfTools(t *testing.T) {
	const page = "docs/tools.md"
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.checkTools(string(text)) {
		t.Errorf("%s: %s", page, f)
	}
	damaged := strings.NewReplacer("| A17 |", "| A77 |", "`schema.Place.Text`", "`schema.Place.Words`", "toolerror TestKinds`", "toolerror TestSorts`",
		"| `protocol/schema TestRequire` |", "| `protocol/schema TestPaths` |", "schema.CheckArguments(schema.Basic{}", "schema.CheckArguments(schema.None{}",
		"| `protocol/schema TestPlacesShareWithMembers` |", "| - |").Replace(string(text))
	faults := strings.Join(tree.checkTools(damaged), "\n")
	for _, want := range []string{"the rows are", "no schema.Place.Words", "no case protocol/toolerror TestSorts", "D33: no test says", "does not have", "D34: names nothing"} {
		if !strings.Contains(faults, want) {
			t.Errorf("of a damaged page it finds %q, without %q", faults, want)
		}
	}
}
