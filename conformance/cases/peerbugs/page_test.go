package peerbugs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numbers are the cases of the catalogue of reports.
var numbers = []int{
	3, 5, 7, 8, 10, 11, 13, 15, 16, 18, 20, 21, 22, 24, 25, 27, 28, 29, 30, 32, 33, 34, 35, 37, 38,
	39, 40, 42, 43, 44, 45, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65,
}

// proofs are the tests and transcripts, by the number in their names.
func proofs(t *testing.T) map[int][]string {
	t.Helper()
	list := map[int][]string{}
	add := func(digits, name string) {
		n, err := strconv.Atoi(digits)
		if err != nil {
			t.Fatalf("%s has no number", name)
		}
		list[n] = append(list[n], name)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && numbered.MatchString(fn.Name.Name) {
				add(fn.Name.Name[4:6], fn.Name.Name)
			}
		}
	}
	scripts, err := filepath.Glob("../../testdata/peerbugs/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range scripts {
		name := filepath.Base(path)
		add(name[:2], name)
	}
	return list
}

var (
	numbered = regexp.MustCompile(`^Test[0-9]{2}[A-Z]`)
	cited    = regexp.MustCompile("`([^`]+)`")
)

// TestPage holds docs/peer-bugs.md against the list of cases and against the tests: each
// case has one row, which names all of its tests and transcripts and no others, or says
// that it concerns a transport only.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/peer-bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	have := proofs(t)
	var rows []int
	for l := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(l), " | ")
		n, err := strconv.Atoi(strings.TrimPrefix(cells[0], "| "))
		if err != nil {
			continue // not in the table, or its head
		}
		rows = append(rows, n)
		if len(cells) != 5 {
			t.Errorf("case %d: %d cells, want 5", n, len(cells))
			continue
		}
		var named []string
		for _, m := range cited.FindAllStringSubmatch(cells[3], -1) {
			named = append(named, m[1])
		}
		want := have[n]
		slices.Sort(named)
		slices.Sort(want)
		only := strings.HasPrefix(cells[3], "transport only: ")
		if only == (len(want) > 0) || !slices.Equal(named, want) {
			t.Errorf("case %d: the page names %v, there are %v", n, named, want)
		}
		delete(have, n)
	}
	if !slices.Equal(rows, numbers) {
		t.Errorf("the rows are %v, want %v", rows, numbers)
	}
	for _, n := range slices.Sorted(maps.Keys(have)) {
		t.Errorf("case %d has %v, but no row", n, have[n])
	}
	if len(numbers) != 50 || !slices.IsSorted(numbers) || len(slices.Compact(slices.Clone(numbers))) != 50 {
		t.Errorf("there are %d numbers, want 50", len(numbers))
	}
}
