package mapping_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every fault is on the page once and in order, and its tests
// or CI stages exist.
func TestPageOfFaults(t *testing.T) {
	const page = "docs/faults.md"
	tree := newTree(t)
	text, err := os.ReadFile(tree.at(page))
	if err != nil {
		t.Fatal(err)
	}
	ci, err := os.ReadFile(tree.at(".ci/run"))
	if err != nil {
		t.Fatal(err)
	}
	script := string(ci)
	list, faults := rows(string(text), number)
	for i, r := range list {
		if n, _ := strconv.Atoi(r.name); n != i+1 {
			faults = append(faults, fmt.Sprintf("row %s stands in place %d", r.name, i+1))
		}
		if len(r.cases) == 0 {
			faults = append(faults, r.name+": names no test")
		}
		for _, c := range r.cases {
			if stage, ok := strings.CutPrefix(c, ".ci/run "); ok && strings.Contains(script, "\nstage_"+stage+"() {") {
				continue
			}
			if !tree.exists(c) {
				faults = append(faults, r.name+": there is no test "+c)
			}
		}
	}
	if len(list) < 180 {
		faults = append(faults, fmt.Sprintf("%d points, there were 180", len(list)))
	}
	if faults != nil {
		t.Errorf("%s:\n%s", page, strings.Join(faults, "\n"))
	}
}
