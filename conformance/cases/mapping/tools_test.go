package mapping_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wantedOfTools are the rows of the page about tools, in order.
var wantedOfTools = []string{
	"D14", "D28", "D29", "D30", "D31", "D32", "D33", "D34",
	"D17", "D18", "D19", "D20", "D21", "D22", "D23", "D24", "D25", "D26",
	"D35", "D36", "D37", "A16", "A17", "A18", "A19", "D16",
}

// qualified is a name with its package.
var qualified = regexp.MustCompile(`^[a-z]+\.[A-Z]\w*(\.\w+)?$`)

// rowsPage is a page with rows of four cells: the name of a row, what exists elsewhere,
// what exists here, and the tests that prove it, each of which names the row in its comment.
type rowsPage struct {
	file  string
	rows  []string       // in order
	row   *regexp.Regexp // the name of a row
	known []string       // the packages that it may name
}

// check returns the faults of the page: missing rows and rows without proof, unknown names,
// tests that do not exist or do not name the row, code that does not exist.
func (p rowsPage) check(r *tree, page, text string) (faults []string) {
	known := r.identifiers(p.known...)
	var names []string
	list, faults := rows(text, p.row)
	for _, row := range list {
		name := row.name
		names = append(names, name)
		says := false
		for _, id := range row.spans {
			if !known[id] {
				faults = append(faults, name+": there is no "+id)
			}
		}
		for _, c := range row.cases {
			dir, test, _ := strings.Cut(c, " ")
			if !r.hasTest(dir, test) {
				faults = append(faults, name+": there is no case "+c)
			}
			says = says || r.testNames(dir, test, name)
		}
		if len(row.spans) == 0 || len(row.cases) == 0 {
			faults = append(faults, name+": names nothing")
		}
		if !says {
			faults = append(faults, name+": no test says that it is about it")
		}
	}
	if !slices.Equal(names, p.rows) {
		faults = append(faults, fmt.Sprintf("the rows are %v", names))
	}
	for _, m := range span.FindAllStringSubmatch(prose(text), -1) {
		if qualified.MatchString(m[1]) && !known[m[1]] {
			faults = append(faults, "there is no "+m[1])
		}
	}
	return slices.Concat(faults, r.checkLinks(page, text), r.checkQuotes(text))
}

// hold checks the page, and a damaged copy of it, in which certain faults must be
// found.
func (p rowsPage) hold(t *testing.T, damage *strings.Replacer, found ...string) {
	t.Helper()
	r := newTree(t)
	r.hold(p.file, func(page, text string) []string { return p.check(r, page, text) }, damage, found...)
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

// Everything that the page about tools names exists, and each row has a test that names it.
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
