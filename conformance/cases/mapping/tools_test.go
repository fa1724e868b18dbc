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

// qualified is a name with its package.
var qualified = regexp.MustCompile(`^[a-z]+\.[A-Z]\w*(\.\w+)?$`)

// rowsPage is a page with rows of four cells: the name of a row, what there is elsewhere,
// what is here, and the tests that prove it, each of which names the row in its comment.
type rowsPage struct {
	file  string
	rows  []string       // in this order
	row   *regexp.Regexp // the name of a row
	known []string       // the packages that it names things of
}

// check returns what is wrong with the page: rows that are missing or prove nothing, names
// of nothing, tests that do not exist or do not name the row, code that stands nowhere.
func (p rowsPage) check(r *tree, text string) (faults []string) {
	known := r.identifiers(p.known...)
	var names []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name := strings.TrimSpace(cells[0])
		if !p.row.MatchString(name) {
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
	if !slices.Equal(names, p.rows) {
		faults = append(faults, fmt.Sprintf("the rows are %v", names))
	}
	for _, m := range span.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		if qualified.MatchString(m[1]) && !known[m[1]] {
			faults = append(faults, "there is no "+m[1])
		}
	}
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		if _, err := os.Stat(r.at("docs/" + m[1])); err != nil && !strings.Contains(m[1], "://") {
			faults = append(faults, err.Error())
		}
	}
	quotes := quoted.FindAllStringSubmatch(text, -1)
	if n := strings.Count(text, "```go"); n != len(quotes) {
		faults = append(faults, fmt.Sprintf("%d blocks of Go, %d say where they are from", n, len(quotes)))
	}
	for _, q := range quotes {
		if source, err := os.ReadFile(r.at(q[1])); err != nil || !strings.Contains(plain(string(source)), plain(q[2])) {
			faults = append(faults, fmt.Sprintf("%s does not have %q", q[1], q[2]))
		}
	}
	return faults
}

// hold holds the page against the tree, and a damaged copy of it against what has to be
// found in it.
func (p rowsPage) hold(t *testing.T, damage *strings.Replacer, found ...string) {
	t.Helper()
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(p.file))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.check(tree, string(text)) {
		t.Errorf("%s: %s", p.file, f)
	}
	faults := strings.Join(p.check(tree, damage.Replace(string(text))), "\n")
	for _, want := range found {
		if !strings.Contains(faults, want) {
			t.Errorf("of a damaged page it finds %q, without %q", faults, want)
		}
	}
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
	rowsPage{
		file: "docs/tools.md", rows: wantedOfTools, row: regexp.MustCompile(`^[AD][0-9]+$`),
		known: []string{"protocol/schema", "protocol/schema/build", "protocol/schema/provider", "protocol/toolerror", "server",
			"jsonrpc", "lifecycle", "protocol", "server/host", "server/nethttp", "server/registry", "server/stdio", "server/typed"},
	}.hold(t,
		strings.NewReplacer("| A17 |", "| A77 |", "`schema.Place.Text`", "`schema.Place.Words`", "toolerror TestKinds`", "toolerror TestSorts`",
			"| `protocol/schema TestRequire` |", "| `protocol/schema TestPaths` |", "schema.CheckArguments(schema.Basic{}", "schema.CheckArguments(schema.None{}",
			"| `protocol/schema TestPlacesShareWithMembers` |", "| - |"),
		"the rows are", "no schema.Place.Words", "no case protocol/toolerror TestSorts", "D33: no test says", "does not have", "D34: names nothing")
}
