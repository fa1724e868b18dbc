package mapping_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "docs/coming-from-beamagent.md"

// row is a row of a table of the page.
type row struct {
	name  string
	spans []string // the code spans of the third cell
	cases []string // those of the last one
}

var (
	span       = regexp.MustCompile("`([^`]+)`")
	identifier = regexp.MustCompile(`^[a-z]+(\.[A-Z]\w*)+$`)
	number     = regexp.MustCompile(`^C?[0-9]+$`)
)

// rows reads the rows of tables whose name has a form.
func rows(text string, form *regexp.Regexp) (list []row, faults []string) {
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if !form.MatchString(cells[0]) {
			continue // the head of a table, or another one
		}
		if len(cells) != 4 || slices.Contains(cells, "") {
			faults = append(faults, fmt.Sprintf("line %d has %q", i+1, cells))
			continue
		}
		r := row{name: cells[0]}
		for _, m := range span.FindAllStringSubmatch(cells[3], -1) {
			r.cases = append(r.cases, m[1])
		}
		if rest := strings.Trim(span.ReplaceAllString(cells[3], ""), ", "); rest != "" {
			faults = append(faults, fmt.Sprintf("%s: %q is no case", r.name, rest))
		}
		for _, m := range span.FindAllStringSubmatch(cells[2], -1) {
			r.spans = append(r.spans, m[1])
		}
		list = append(list, r)
	}
	return list, faults
}

// wanted are the rows that the page has to have, in this order.
func wanted() (list []string) {
	for n := 1; n <= 83; n++ {
		list = append(list, fmt.Sprintf("C%d", n))
	}
	for n := 1; n <= 39; n++ {
		list = append(list, fmt.Sprint(n))
	}
	return list
}

// check returns what is wrong with a page.
func (r *tree) check(text string) []string {
	list, faults := rows(text, number)
	known := r.identifiers("jsonrpc", "protocol", "lifecycle", "lifecycle/engine", "server", "server/registry", "client", "client/calls")
	var names []string
	for _, row := range list {
		names = append(names, row.name)
		named := slices.DeleteFunc(row.spans, func(s string) bool { return !identifier.MatchString(s) })
		if strings.HasPrefix(row.name, "C") && len(named) == 0 {
			faults = append(faults, row.name+": names no identifier")
		}
		for _, id := range named {
			if !known[id] {
				faults = append(faults, row.name+": there is no "+id)
			}
		}
		if len(row.cases) == 0 {
			faults = append(faults, row.name+": names no case")
		}
		for _, c := range row.cases {
			if !r.exists(c) {
				faults = append(faults, row.name+": there is no case "+c)
			}
		}
	}
	if want := wanted(); !slices.Equal(names, want) {
		for i, w := range want {
			if i >= len(names) || names[i] != w {
				faults = append(faults, fmt.Sprintf("row %s is missing or out of place", w))
				break
			}
		}
		if len(names) > len(want) {
			faults = append(faults, fmt.Sprintf("%d rows, want %d", len(names), len(want)))
		}
	}
	return faults
}

// exists reports whether there is the case: a transcript, or a folder and its test.
func (r *tree) exists(name string) bool {
	if strings.HasSuffix(name, ".txt") {
		info, err := os.Stat(r.at("conformance/testdata/" + name))
		return err == nil && info.Mode().IsRegular()
	}
	dir, test, ok := strings.Cut(name, " ")
	return ok && r.hasTest(dir, test)
}

// Every row is on the page, once and in order, and what it names exists.
func TestPage(t *testing.T) {
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.check(string(text)) {
		t.Errorf("%s: %s", page, f)
	}
}

// What the check is there for is found.
func TestDamagedPages(t *testing.T) {
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, pattern, by, fault string }{
		{"a row is gone", `(?m)^\| C53 .*\n`, "", "row C53 is missing"},
		{"the last row is gone", `(?m)^\| 39 .*\n`, "", "row 39 is missing"},
		{"a row is there twice", `(?m)^(\| 39 .*\n)`, "$1$1", "rows, want 122"},
		{"two rows are exchanged", `(?m)^(\| 7 .*\n)(\| 8 .*\n)`, "$2$1", "row 7 is missing"},
		{"an identifier", "`client.State.Cancel`", "`client.State.Undo`", "no client.State.Undo"},
		{"a field", "`lifecycle.Policy.StrictVersion`", "`lifecycle.Policy.Strict`", "no lifecycle.Policy.Strict"},
		{"a field of an alias", "`client.RequestOptions.Timeout`", "`client.RequestOptions.After`", "no client.RequestOptions.After"},
		{"a function of a package below", "`registry.FromGroups`", "`registry.FromList`", "no registry.FromList"},
		{"a transcript", "`timeouts/order.txt`", "`timeouts/disorder.txt`", "no case timeouts/disorder.txt"},
		{"a test", "`client TestPagerGuards`", "`client TestPagerSleeps`", "no case client TestPagerSleeps"},
		{"a subtest", "`conformance/cases/rows TestLifecycleEnd/LIFE-032`", "`conformance/cases/rows TestLifecycleEnd/LIFE-001`", "no case conformance/cases/rows TestLifecycleEnd/LIFE-001"},
		{"a folder", "`client TestPagerGuards`", "`clients TestPagerGuards`", "no case clients TestPagerGuards"},
		{"a word that is no case", "`client TestPagerGuards`", "see there", `"see there" is no case`},
		{"no case at all", `(?m)^(\| C62 .*\|) [^|]*\|$`, "$1 - |", "C62: names no case"},
		{"no identifier", "`lifecycle.Status.Outbound`, and `client.State.Outbound`", "a count", "C77: names no identifier"},
		{"an empty cell", `(?m)^\| C62 \|[^|]*\|`, "| C62 | |", "row C62 is missing"},
	} {
		damaged := regexp.MustCompile(c.pattern).ReplaceAllString(string(text), c.by)
		if damaged == string(text) {
			t.Errorf("%s: nothing was damaged", c.name)
			continue
		}
		faults := strings.Join(tree.check(damaged), "\n")
		if !strings.Contains(faults, c.fault) {
			t.Errorf("%s: found %q, want %q", c.name, faults, c.fault)
		}
	}
}
